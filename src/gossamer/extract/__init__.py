"""Turn a fetched document into a page: text, links and metadata.

Input is the response of a server; output is a `Page`. `document.py` chooses the reader by media type. The
readers are in `html` and in `documents` (PDF, office documents and others). They run in the processes of
`workers`.
"""
