"""What is this URL, host, robots rule, sitemap, content coding?

Pure functions without I/O. In: what people, pages and servers write. Out: canonical `Url`s and their shapes,
registrable domains and buckets, `RobotsRules`, sitemaps and feeds, `UrlFilter`s, host overrides, decoded
bodies, and whether an address is public. The central function is `url.canonical`: two spellings of one
address become one `Url`.
"""
