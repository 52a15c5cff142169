"""Is it new, and does it go into the index?

In: a `Page` and the content digests of the pages that are kept. Out: a `Verdict` with its reason: keep,
duplicate, noindex or unreadable. The central function is `judge.judge`.
"""
