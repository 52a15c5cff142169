"""How do the stages work together on one collection?"""
