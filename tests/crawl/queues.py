"""Queues of one partition that hold everything in memory."""

from math import inf

from gossamer.crawl.frontier.host_queues import HostQueues
from gossamer.crawl.frontier.politeness import AddressRateLimit
from gossamer.storage.seen_urls import SeenTable

EVERYTHING = 1 << 62


class EmptyReserve:
    """A reserve without URLs on disk."""

    def take(self, authority, room, now):
        return ()

    def due_at(self, authority):
        return inf


def queues_in_memory(settings, rate_limit=None, seed=0, seen=None):
    seen = SeenTable() if seen is None else seen
    rate_limit = rate_limit or AddressRateLimit.by(settings, lambda host: None)
    return HostQueues(settings, seen, EmptyReserve(), rate_limit, seed, EVERYTHING, EVERYTHING)
