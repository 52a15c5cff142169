"""A fetcher as a crawl has it, with as little said as the tests need."""

from gossamer.crawl.fetch.fetcher import Fetcher
from gossamer.crawl.fetch.settings import FetchSettings


def fetcher_of(transport, settings=None, delay=0.0):
    return Fetcher(transport, settings or FetchSettings(), delay)
