"""Answer queries with pages of results.

Input: a query and its options. Output: a `ResultPage`. `pipeline.py` runs the steps: prepare, search,
diversify, make snippets, correct the spelling, cluster, add instant answers.
"""
