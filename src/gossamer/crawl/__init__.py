"""The crawler: frontier, fetch, ingest and revisit.

Input are seeds; output are pages in the store, links in the log and URLs in the catalogue. `loop.py` drives,
`visit.py` follows one URL, `frontier` chooses what is next, `fetch` asks servers, `ingest.py` takes an answer
in, `hosts` has what is learned of hosts, `revisit` decides when a page is fetched again.
"""
