"""Ask servers: HTTP, DNS, log-ins.

In: a `CrawlRequest`, or a host whose robots.txt is wanted. Out: a `FetchResult`, in which failures of the
outside world are values. The central class is `fetcher.Fetcher`; it speaks through a `Transport`, which
is the real web (`http`), one in memory (`scripted`), or another distribution's (`plugins`).

The real web, from the outside in: `http` asks, `pool` keeps connections, `connections` opens them where they
may lead, `dns` and `nameservice` say where that is, `exchange` speaks over one of them, `head` and `framing`
read what comes, `trouble` names what goes wrong. `session` adds log-ins (`login`, `form`) and `cookies`.
"""
