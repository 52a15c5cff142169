"""Words, index terms, languages, character encodings and shingles, as pure functions.

The input is the text of a page or a query. The output is words, their index terms, the language, and sketches
of the content. `words.py` splits text, `terms.py` folds and stems words, and `tokenizer.py` does both for
whole pages in compiled code.
"""
