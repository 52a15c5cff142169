"""Golden recordings: freeze what the code does, and compare it after a change.

code_under_test   every internal name that is imported, and the clock under which the code runs
webs              the collections: a crawl of the demo web, a larger import
questions         the queries that are asked of them
kinds             what is recorded of each kind
rows              files of recorded values, and how two of them are compared
"""
