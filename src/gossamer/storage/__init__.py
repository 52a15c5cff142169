"""File formats on disk: catalogue, page store, link log, table of known URLs.

Input are rows, answers of servers and links; output are the same after a crash at any moment. `files.py` has
the durable writes that all others build on.
"""
