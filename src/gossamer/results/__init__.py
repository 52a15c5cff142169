"""How do we show it?

In: a document's text and the terms of a query; the words of several results; a `ResultPage`. Out: a `Snippet`
with the places to highlight, a better spelling, groups of results with labels, and the answer as JSON or safe
HTML. The central functions are `snippet.snippet`, `respelling.respelt`, `clustering.merged`,
`labels.labels` and `show.as_dict`.
"""
