"""When known pages are fetched again.

In: what earlier visits saw. Out: a date, or that the page leaves. The central class is `revisit.Revisit`.
"""
