"""Which URL may be fetched now, which is worth it, and when again?

In: `CrawlRequest`s, what came of them, and the time, which the caller tells. Out: one request at a time for
each host, no sooner than politeness allows; whether an address is a trap; when a known page is to be asked
for again. Pure data structures without I/O. The central class is `frontier.Frontier`; `seen.SeenTable`
remembers which URLs are known and what each is worth (`order`).

Beside it stand what is learned of hosts, `traps.TrapBook` and `equivalence`, and what decides about known
pages: `revisit` (when), `allocation` (how often), `gone` (whether they are still there).
"""
