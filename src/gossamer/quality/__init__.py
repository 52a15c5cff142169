"""Is it new, honest, worth indexing?"""
