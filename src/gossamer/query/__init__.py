"""Query understanding: syntax, plan, expansion and language of a query.

The input is what a user typed. The output is a plan in terms of the index. `syntax.py` parses the query,
`planner.py` makes the plan, `expansion.py` finds the words that match a pattern, and `vocabulary.py` knows
the frequencies of words.
"""
