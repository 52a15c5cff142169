"""Schedule visits to known pages.

The input is the history of visits to a page. The output is the date of the next visit, or the decision that
the page leaves the index. The central class is `revisit.Revisit`.
"""
