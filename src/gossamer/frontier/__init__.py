"""Which URL may be fetched now?"""
