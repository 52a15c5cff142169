"""Build a fetcher as in a crawl, with defaults for tests."""

from gossamer.crawl.fetch.fetcher import Fetcher
from gossamer.crawl.fetch.settings import FetchSettings


def fetcher_of(transport, settings=None, delay=0.0):
    return Fetcher(transport, settings or FetchSettings(), delay)
