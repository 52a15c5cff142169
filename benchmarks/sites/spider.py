"""The same crawl by Scrapy: robots obeyed, links followed once, title and links extracted.

    python spider.py '{"seeds": [...], "within": "", "address": "127.0.0.1", "links": "selector"}'

It runs in Scrapy's environment and needs nothing else. `links` chooses how links are found: by Scrapy's
LinkExtractor; by a selector and `urljoin`, which many fast spiders use; or by a selector with a set of URLs
in front of Scrapy's own filter, which spares Scrapy a Request for every link that it would throw away. What
costs time and serves nobody here is off: cookies, retries, telnet, referers, logs. `within` is a regular
expression for the URLs that may be followed; "" for all.
"""

from __future__ import annotations

import json
import re
import sys
from urllib.parse import urldefrag

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.resolver import CachingThreadedResolver
from twisted.internet import defer

TASK = json.loads(sys.argv[1])
WITHIN = re.compile(TASK["within"]) if TASK["within"] else None

SETTINGS = {
    "ROBOTSTXT_OBEY": True,
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "DOWNLOAD_DELAY": 0,
    "TWISTED_DNS_RESOLVER": "__main__.Loopback",
    "LOG_LEVEL": "ERROR",
    "LOGSTATS_INTERVAL": 0,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "REFERER_ENABLED": False,
    "HTTPPROXY_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "STATS_DUMP": False,
}


class Loopback(CachingThreadedResolver):
    """Finds every host at the one address where the benchmark's web is served."""

    def getHostByName(self, name, timeout=()):  # noqa: N802
        return defer.succeed(TASK["address"])


class Following(scrapy.Spider):
    """Follows all links."""

    name = "following"

    async def start(self):
        for url in TASK["seeds"]:
            yield scrapy.Request(url)  # start_urls would be asked again when a page links to them

    def parse(self, response):
        if not isinstance(response, HtmlResponse):
            return
        urls = self.links(response)
        yield {"url": response.url, "title": response.css("title::text").get(), "links": len(urls)}
        for url in urls:
            if WITHIN is None or WITHIN.search(url):
                yield scrapy.Request(url)


class ByExtractor(Following):
    extractor = LinkExtractor()

    def links(self, response):
        return [link.url for link in self.extractor.extract_links(response)]


class BySelector(Following):
    def links(self, response):
        found = map(response.urljoin, dict.fromkeys(response.css("a::attr(href)").getall()))
        return [url for url in found if url.startswith(("http://", "https://"))]


class ByOwnSet(BySelector):
    def __init__(self):
        super().__init__()
        self.seen = set()

    def links(self, response):
        found = {urldefrag(url).url for url in super().links(response)} - self.seen
        self.seen |= found
        return list(found)


SPIDERS = {"extractor": ByExtractor, "selector": BySelector, "own-set": ByOwnSet}

if __name__ == "__main__":
    process = CrawlerProcess(SETTINGS)
    process.crawl(SPIDERS[TASK["links"]])
    process.start()
