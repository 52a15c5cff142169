"""Where does a link lead, when a hundred pages of one folder hold the same links?

What an address means depends only on scheme, authority and folder of the page that it stands on, unless
it is empty or begins with `?`, which speak of the page itself. So each is looked up once for all pages of a
folder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gossamer.model import Url
from gossamer.web.url import canonical

MOST_KNOWN = 100_000  # addresses that are remembered, about 50 MB; then all are forgotten

# Also behind its own scheme: "http:?x" is "?x" on a page that was fetched by http.
_OF_THE_PAGE = re.compile(r"[\x00- ]*(?:[hH][\t\n\r]*[tT].*?:[\x00- ]*)?(?:[?#]|$)", re.DOTALL)


class Resolver:
    """Remembers the targets of addresses by the folder of the page."""

    def __init__(self, most: int = MOST_KNOWN) -> None:
        self._most = most
        self._count = 0
        self._folders: dict[str, dict[str, Url | None]] = {}

    def targets(self, base: Url, addresses: Sequence[str]) -> list[Url | None]:
        """Where each address leads from a page with this base; None where it leads nowhere on the web."""
        known = self._folder(base)
        try:
            return [known[address] for address in addresses]
        except KeyError:
            return [
                known[address] if address in known else self._learn(known, base, address)
                for address in addresses
            ]

    def target(self, base: Url, address: str) -> Url | None:
        """Where one address leads."""
        return self.targets(base, (address,))[0]

    def _folder(self, base: Url) -> dict[str, Url | None]:
        if self._count > self._most:
            self._folders.clear()
            self._count = 0
        path = base.path.partition("?")[0]
        folder = base.origin + path[: path.rindex("/")]
        return self._folders.setdefault(folder, {})

    def _learn(self, known: dict[str, Url | None], base: Url, address: str) -> Url | None:
        target = canonical(address, base)
        if not _OF_THE_PAGE.match(address):
            known[address] = target
            self._count += 1
        return target
