"""Is it new, and does it go into the index?

In: a `Page`, and what the pages that are kept say. Out: a `Verdict` with its reason: keep, duplicate, noindex
or unreadable. The central function is `judge.judge`; `sketches.Sketches` finds pages that nearly repeat
another, `mirrors` hosts that do, and `soft404` pages that only say that they are not there.
"""
