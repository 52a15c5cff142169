"""Which documents hold this term, where, how strongly?"""
