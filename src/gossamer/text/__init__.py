"""What are the terms of this text?"""
