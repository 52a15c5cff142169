"""File formats on disk: catalogue, page store, link log, table of known URLs.

Input is what the crawler learns: rows, responses and links. Output is the same data, even after a crash at
any moment. `files.py` has the durable writes that the other modules use.
"""
