"""What is being asked?

In: what a person typed. Out: a `Query` of words, phrases, sites and exclusions, or a `BadQuery` that
knows the position. The central function is `parse.parse`.
"""
