"""Which different addresses of a host are one page?

Servers give the same page with and without a parameter that only they care for, under `/x/` and
`/x/index.html`, with `www.` and without it. Bar-Yossef, Keidar and Schonfeld ("Do not crawl in the DUST:
different URLs with similar text", WWW 2007) learn such rules from the addresses and contents that a crawl has
seen, and test each before they believe it. What makes a rule stands in `evidence`. A parameter is judged for
each shape of path, and for the whole host when it did not matter under three of them.

Nothing is lost by a rule: only addresses that nobody has seen are rewritten, one in 50 is asked for as it is,
and a pair of pages that turns out different counts against its rule, which falls at one in a hundred.
Targets of redirects must not be rewritten: a server that insists on a session would be asked in a circle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gossamer.frontier.equivalence.differences import (
    PARAMETER,
    bare_host,
    difference,
    folded,
    without_parameter,
)
from gossamer.frontier.equivalence.evidence import PROBED, Evidence
from gossamer.frontier.equivalence.rewriting import rewrite
from gossamer.model import Url
from gossamer.model.url import fingerprint_of
from gossamer.web.hostbook import HostBook, State
from gossamer.web.pattern import path_pattern

MOST_DIFFERENCES = 256  # of one host
REMEMBERED = 512  # variants of one host whose content is known
MOST_PARAMETERS = 6  # addresses with more are not taken apart
MOST_ENTRIES = 50_000  # of all hosts: about 25 MB


@dataclass(frozen=True, slots=True)
class Rule:
    """A difference that does not matter, as `status` shows it."""

    difference: str  # scheme, www, slash, case, order, `index NAME`, `?NAME` or `PATH ?NAME`
    same: int
    different: int
    example: str  # an address that was found to be a copy


class Equivalences:
    """The differences between addresses of one host, with `www.` or without, http or https."""

    def __init__(self) -> None:
        self.changed = False
        self._evidence: dict[str, Evidence] = {}
        self._rules: dict[str, Evidence] = {}  # those of the evidence that hold
        self._contents: dict[int, tuple[Url, bytes]] = {}  # by folded address, the newest ones

    def __len__(self) -> int:
        return len(self._evidence) + len(self._contents)

    def rewritten(self, url: Url) -> Url | None:
        """The address that stands for a new one, or None when it stands for itself."""
        if not self._rules or url.fingerprint % PROBED == 0:
            return None
        return rewrite(url, self._rules)

    def observe_duplicate(self, url: Url, of_url: Url) -> None:
        """Learns that two addresses have exactly the same content; the second is the one to keep."""
        for name, page in _names(difference(url, of_url), url):
            evidence = self._evidence.get(name)
            if evidence is None:
                evidence = self._evidence[name] = Evidence(example=url.text)
                self._forget_weakest()
            evidence.agree(page)
            evidence.lean += 1 if len(of_url.text) > len(url.text) else -1
            self._settle(name, evidence)

    def observe_distinct(self, one: Url, other: Url) -> None:
        """Learns that two addresses have different contents."""
        for name, _ in _names(difference(one, other), one):
            if (evidence := self._evidence.get(name)) is not None:
                evidence.disagree()
                self._settle(name, evidence)

    def observe_page(self, url: Url, digest: bytes) -> None:
        """Compares a page that was fetched with its variants, in search of differences that do matter."""
        if not self._evidence:
            return
        for key in _variants(url):
            known, content = self._contents.setdefault(key, (url, digest))
            if known == url:
                self._contents[key] = (url, digest)
            elif content != digest:
                self.observe_distinct(url, known)
            if len(self._contents) > REMEMBERED:
                del self._contents[next(iter(self._contents))]

    def rules(self) -> list[Rule]:
        """The rules that hold now, those with the most evidence first."""
        found = [
            Rule(name, one.same, one.different, one.example)
            for name, one in self._rules.items()
            if not self._is_part(name)
        ]
        return sorted(found, key=lambda rule: (-rule.same, rule.difference))

    def state(self) -> State:
        """JSON. Contents are left out: they are a cache."""
        return {name: evidence.state() for name, evidence in self._evidence.items()}

    def restore(self, state: State) -> None:
        self._evidence = {name: Evidence(*one) for name, one in state.items()}
        self._rules = {name: one for name, one in self._evidence.items() if one.holds}

    def _is_part(self, name: str) -> bool:
        """Whether a rule about one shape of path is contained in one about the whole host."""
        path, _, parameter = name.rpartition(" ")
        return bool(path) and parameter in self._rules

    def _settle(self, name: str, evidence: Evidence) -> None:
        self.changed = True
        if evidence.holds:
            self._rules[name] = evidence
        else:
            self._rules.pop(name, None)

    def _forget_weakest(self) -> None:
        if len(self._evidence) > MOST_DIFFERENCES:
            # The newest has no evidence yet; it must get its chance.
            *older, _ = self._evidence
            weakest = min(older, key=lambda name: self._evidence[name].same)
            del self._evidence[weakest]
            self._rules.pop(weakest, None)


class EquivalenceBook(HostBook[Equivalences]):
    """The equivalences of all hosts, by their name without `www.`."""

    def __init__(self, most_entries: int = MOST_ENTRIES) -> None:
        super().__init__(Equivalences, most_entries)

    def rewritten(self, url: Url) -> Url | None:
        """As `Equivalences.rewritten`, for the host of the address."""
        notes = self.get(bare_host(url.host))
        return None if notes is None else notes.rewritten(url)

    def observe(self, url: Url, digest: bytes, of_url: Url | None) -> None:
        """Learns from a page, and from the page with exactly the same content when there is one."""
        host = bare_host(url.host)
        if not host:  # what a scheme without hosts may write in several ways is its own matter
            return
        related = of_url is not None and bare_host(of_url.host) == host
        if not related and self.get(host) is None:
            return
        notes = self.of(host)
        notes.observe_page(url, digest)
        if of_url is not None and related:
            notes.observe_duplicate(url, of_url)
        self.settle(host)

    def rules(self, host: str) -> list[Rule]:
        """The rules that hold for a host."""
        notes = self.get(bare_host(host))
        return [] if notes is None else notes.rules()


def _names(name: str | None, url: Url) -> Iterator[tuple[str, int]]:
    """The evidence that a difference belongs to, and what counts there as a page of its own."""
    if name is None:
        return
    if not name.startswith(PARAMETER):
        yield name, fingerprint_of(folded(url.host, url.path))
        return
    path = path_pattern(url)
    yield f"{path} {name}", fingerprint_of(without_parameter(url.path, name.removeprefix(PARAMETER)))
    yield name, fingerprint_of(path)


def _variants(url: Url) -> Iterator[int]:
    """Keys under which an address meets those that differ from it in one way."""
    yield fingerprint_of(folded(url.host, url.path))
    pieces = url.path.partition("?")[2].split("&")
    if pieces[0] and len(pieces) <= MOST_PARAMETERS:
        for name in dict.fromkeys(piece.partition("=")[0] for piece in pieces):
            yield fingerprint_of(folded(url.host, without_parameter(url.path, name)))
