"""Ask servers: HTTP, DNS, robots.txt, log-ins, retries.

In: a `CrawlRequest`, or a host whose robots.txt is wanted. Out: a `FetchResult`, in which failures of the
outside world are values, and what follows from a failure. The central class is `fetcher.Fetcher`; it speaks
through a `Transport`, which is the real web (`http.py`), one in memory, or another distribution's.

The real web, from the outside in: `http.py` asks, keeps connections and opens them where they may lead,
`dns.py` says where that is, `exchange.py` speaks over one of them and names what goes wrong. `site_logins.py`
adds log-ins and cookies.
"""
