"""How do we show it?

In: a document's text and the terms of a query; a `ResultPage`. Out: a `Snippet` with the places to
highlight, a better spelling, instant answers, the intent behind a query, and the answer as JSON or safe HTML.
The central functions are `snippet.snippet`, `spelling.did_you_mean`, `answers.answering.answers` and
`show.as_dict`.
"""
