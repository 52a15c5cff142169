"""The crawler: frontier, fetch, ingest and revisit.

Input are seeds; output are pages in the store, links in the log and URLs in the catalogue. Four parts have
clear borders: `Frontier` says which URL is next, `Fetcher` asks, `Ingest` stores, judges and indexes what
came, `Revisit` says when a known page is fetched again. `visit.py` connects them for one URL, `loop.py`
dispatches visits, `hosts` has what is learned of hosts, and all report to the `CrawlReport` of `log.py`.
"""
