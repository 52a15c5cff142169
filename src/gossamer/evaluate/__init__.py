"""How good are the answers?"""
