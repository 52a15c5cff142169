"""What is this URL, host, robots rule, content coding?

Pure functions without I/O. In: what people, pages and servers write. Out: canonical `Url`s, registrable
domains and buckets, `RobotsRules`, `UrlFilter`s, host overrides, decoded bodies, and whether an address is
public. The central function is `url.canonical`: two spellings of one address become one `Url`.
"""
