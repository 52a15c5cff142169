"""Which addresses besides those of http and https can be asked for? Those that a fetcher is installed for.

Fetchers are found by their entry points (see `gossamer.fetch.plugins`), which are named for their schemes: to
know the names none of them need be loaded.
"""

from __future__ import annotations

from functools import cache

GROUP = "gossamer.fetchers"
OWN = ("http", "https")


@cache
def other_schemes() -> frozenset[str]:
    """The schemes of the fetchers that are installed, in lower case."""
    from importlib.metadata import entry_points  # most processes meet no other scheme, and need not load it

    return frozenset(point.name.lower() for point in entry_points(group=GROUP)).difference(OWN)
