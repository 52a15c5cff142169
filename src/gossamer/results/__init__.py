"""How do we show it?

In: a document's text and the terms of a query; the words of several results; a `ResultPage`. Out: a `Snippet`
with the places to highlight, a better spelling, groups of results with labels, what can be said at once, the
intent behind a query, and the answer as JSON or safe HTML. The central functions are `snippet.snippet`,
`respelling.respelt`, `clustering.merged`, `labels.labels`, `answers.answering.answers` and `show.as_dict`.
"""
