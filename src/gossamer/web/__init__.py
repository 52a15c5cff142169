"""URLs, hosts, robots.txt, sitemaps and feeds, as pure functions.

The input is text from servers. The output is values, such as a canonical `Url`, the rules of a robots.txt or
the entries of a feed. Start with `url.py`: a canonical URL identifies a page in the whole engine.
Nothing here opens a connection or a file.
"""
