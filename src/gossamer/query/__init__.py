"""What is asked: syntax, plan, expansion and language of a query.

Input is what somebody typed; output is a plan in terms of the index. `syntax.py` parses, `planner.py` plans,
`expansion.py` adds the words that a pattern stands for, `vocabulary.py` knows how frequent words are.
"""
