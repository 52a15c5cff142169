"""What is this URL, host, robots rule?

Pure functions without I/O. In: what people, pages and servers write. Out: canonical `Url`s, registrable
domains and buckets, `RobotsRules`, `UrlFilter`s, host overrides, and whether an address is public. The
central function is `url.canonical`: two spellings of one address become one `Url`.
"""
