"""Which URL may be fetched now, and which is worth it?

In: `CrawlRequest`s, and the time, which the caller tells. Out: one request at a time for each host, no
sooner than politeness allows. Pure data structures without I/O. The central class is `frontier.Frontier`;
`seen.SeenTable` remembers which URLs are known.
"""
