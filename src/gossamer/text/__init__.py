"""Words, index terms, languages, character sets and shingles, as pure functions.

Input is the text of a page or of a query; output are words, the terms they are indexed under, the language,
and sketches of the content. `words.py` splits text, `terms.py` folds and stems, `tokenizer.py` does both for
whole pages in compiled code.
"""
