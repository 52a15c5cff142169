"""Which known addresses may be shown although nobody has fetched them?

Those that wait in the catalogue, have never been fetched, and that nobody has forbidden: neither the owner's
filters as they are now, nor the robots.txt of their host, where it was asked for. What was fetched and
turned out to be dead, forbidden or not to be indexed does not wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from gossamer.engine.config import Config
from gossamer.engine.partition import Partition
from gossamer.engine.runs import url_filter
from gossamer.fetch.fetcher import rules_from
from gossamer.index.unfetched import Unfetched
from gossamer.model import Url
from gossamer.store.catalogue import Catalogue
from gossamer.web.filters import UrlFilter
from gossamer.web.robots import ALLOW_ALL, RobotsRules, product_token

HOSTS = 4096  # whose rules are remembered: addresses of one do not come together


def may_be_shown(partitions: Sequence[Partition], config: Config) -> list[Unfetched]:
    """Of each partition, the addresses that may be found by what links say of them alone."""
    left_out = url_filter(config, (), partitions)
    agent = product_token(config.fetch.user_agent)
    return [_of_partition(partition.catalogue, left_out, agent) for partition in partitions]


def _of_partition(catalogue: Catalogue, left_out: UrlFilter, agent: str) -> Unfetched:
    rules_of = _rules(catalogue)
    fingerprints, hosts = [], []
    for fingerprint, text, depth in catalogue.never_fetched():
        url = Url.parsed(text)
        if rules_of(url.authority, url.origin).allows(url, agent) and not left_out.refusal(url, depth):
            fingerprints.append(fingerprint)
            hosts.append(url.authority)
    return Unfetched.of(fingerprints, hosts)


def _rules(catalogue: Catalogue) -> Callable[[str, str], RobotsRules]:
    @lru_cache(HOSTS)
    def rules(authority: str, origin: str) -> RobotsRules:
        """What a host allows; everything where it was not asked, or did not answer."""
        row = catalogue.robots(authority)
        known = row is not None and row.origin == origin and 0 < row.status < 500
        return rules_from(row.status, row.body) if row is not None and known else ALLOW_ALL

    return rules
