"""What are the terms of this text, and does it say the same as another?

In: a text and its language. Out: words, and the terms under which they are indexed (stemmed where Snowball
knows the language, diacritics folded); a digest and a sketch that tell copies. Knows no URL. The central
class is `analysis.Analyser`; `runs` and `terms` do its work with numbers; `shingles` compares texts.
"""
