"""Instant answers, one module per family.

Input: a query and a `Context` (the time, the owner's rates and links, a gazetteer). Output: `InstantAnswer`s.
Each kind of answer first makes a quick test, computes offline, and returns nothing if the meaning is unclear.
The entry point is `answer.answers`.
"""
