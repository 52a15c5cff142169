"""What did the server say?

In: a `CrawlRequest`, or a host whose robots.txt is wanted. Out: a `FetchResult`, in which failures of the
outside world are values. The central class is `fetcher.Fetcher`; it speaks through a `Transport`, which
is the real web (`http`) or one in memory (`scripted`).
"""
