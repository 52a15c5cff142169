"""A small web to try it all on.

In: the pages in `web/`, a folder a host, and judged queries beside it. Out: that web served on loopback,
crawled and searched. `site.demo_web` reads it, `loopback.LoopbackServer` serves it, `tour` runs the demo.
"""
