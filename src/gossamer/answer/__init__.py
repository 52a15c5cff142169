"""From a query to a page of results.

Input is a request; output is a `ResultPage`. `pipeline.py` is the one place where this happens, step by step:
prepare, search, diversify, make snippets, correct the spelling, cluster, add instant answers.
"""
