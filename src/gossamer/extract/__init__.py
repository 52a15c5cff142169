"""Turn a fetched document into a page: text, links and metadata.

Input is the answer of a server; output is a `Page`. `document.py` chooses the reader by media type. HTML is
read in `html`, office documents, PDF and others in `documents`, all of it in the processes of `workers`.
"""
