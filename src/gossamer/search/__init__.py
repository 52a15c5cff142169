"""Which documents answer best?"""
