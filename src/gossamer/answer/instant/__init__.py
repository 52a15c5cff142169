"""Instant answers, one module per family.

In: a query and a `Context` (the moment, the owner's rates and links, a gazetteer). Out: `InstantAnswer`s. One
file a kind; each looks first whether it could be meant at all, computes offline, and is silent when unsure.
The central function is `answer.answers`.
"""
