"""The crawler: frontier, fetch, ingest and revisit.

The input is seeds. The output is pages in the page store, links in the link log and URLs in the catalogue.
There are four parts. `Frontier` chooses the next URL, `Fetcher` requests it, `Ingest` stores, judges and
indexes the response, and `Revisit` schedules the next visit to a known page. `visit.py` connects them for one
URL, and `loop.py` dispatches visits. `hosts` keeps what a crawl learns about hosts. All parts report to the
`CrawlReport` of `log.py`.
"""
