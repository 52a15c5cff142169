"""URLs, hosts, robots.txt, sitemaps and feeds, as pure functions.

Input is text that servers send; output are values: a canonical `Url`, rules of a robots.txt, links of a feed.
`url.py` comes first, because a canonical URL is the identity of a page everywhere.
Nothing here opens a connection or a file.
"""
