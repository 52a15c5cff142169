"""What are the terms of this text?

In: a text and its language. Out: words, and the terms under which they are indexed (stemmed where
Snowball knows the language, diacritics folded). Knows no URL. The central class is `analysis.Analyser`.
"""
