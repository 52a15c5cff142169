"""When is a known page worth another visit, and when is it gone?

In: what earlier visits saw. Out: a date, or that the page leaves. The central function is
`revisit.next_visit`.
"""
