"""Fetch from servers: HTTP, DNS, robots.txt, log-ins, retries.

The input is a `CrawlRequest`, or a host whose robots.txt is needed. The output is a `FetchResult`, which also
describes failures of servers and networks, and the decision about a retry. The central class is
`fetcher.Fetcher`. It uses a `Transport`: the real web (`http.py`), a web in memory, or a plug-in.

For the real web, `http.py` opens and pools connections and checks their addresses, `dns.py` resolves host
names, and `exchange.py` carries out one exchange over a connection and names its errors. `site_logins.py`
adds log-ins and cookies.
"""
