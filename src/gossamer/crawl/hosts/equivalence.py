"""Rules for different URLs of one host with the same page (DUST).

Servers give the same page with and without an irrelevant parameter, under `/x/` and `/x/index.html`, with
`www.` and without it. Bar-Yossef, Keidar and Schonfeld ("Do not crawl in the DUST: different URLs with
similar text", WWW 2007) learn such rules from the URLs and contents of a crawl, and test each rule before
use. `EquivalenceEvidence` decides when a rule holds. A parameter is judged for each path pattern. If it is
irrelevant under three patterns, it is irrelevant for the whole host.

Wrong rules do little harm: only new URLs are rewritten, one in 50 is fetched unchanged, and a rule is dropped
if more than one in a hundred pairs of pages differ. Targets of redirects must not be rewritten: a server
that insists on a session id would redirect in a circle.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from gossamer.crawl.hosts.notes import HostNotes, State, drop_oldest
from gossamer.crawl.hosts.url_pattern import PROBED, EquivalenceEvidence, path_pattern
from gossamer.model import Url
from gossamer.model.url import DEFAULT_PORTS, fingerprint_of
from gossamer.web.host import is_ip_literal
from gossamer.web.url import OWN, canonical

# How two URLs differ
# -------------------
#
# The URLs of most copies within a site differ in one of a few ways. Each way has a name here. `folded`
# returns a form that many variants have in common.

SCHEME = "scheme"  # http or https
WWW = "www"  # with or without www.
SLASH = "slash"  # at the end of the path
CASE = "case"  # of the path
ORDER = "order"  # of the parameters
INDEX = "index "  # followed by the file name of an index page
PARAMETER = "?"  # followed by the name of the parameter
INDEX_NAMES = tuple(
    f"{name}.{ending}"
    for name in ("index", "default")
    for ending in ("html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp")
)


def difference(one: Url, other: Url) -> str | None:
    """Return the name of the only difference between two URLs; None if there is another or more than one.

    >>> from gossamer.web.url import canonical
    >>> difference(canonical("http://a.com/x?n=1"), canonical("http://a.com/x?n=1&ref=7"))
    '?ref'
    """
    first, first_mark, first_query = one.path.partition("?")
    second, second_mark, second_query = other.path.partition("?")
    found = [_of_hosts(one, other), _of_paths(first, second)]
    if (first_mark, first_query) != (second_mark, second_query):
        found.append(_of_queries(first_query.split("&"), second_query.split("&")))
    named = [difference for difference in found if difference != ""]
    return named[0] if len(named) == 1 else None


def _of_hosts(one: Url, other: Url) -> str | None:
    if one.origin == other.origin:
        return ""
    if one.host == other.host:
        return SCHEME if is_usual_door(one) and is_usual_door(other) else None
    same_door = (one.scheme, one.port) == (other.scheme, other.port)
    return WWW if same_door and bare_host(one.host) == bare_host(other.host) else None


def is_usual_door(url: Url) -> bool:
    """Return whether a URL is http or https at the default port, which are usually the same site."""
    return url.scheme in OWN and url.port == DEFAULT_PORTS[url.scheme]


def bare_host(host: str) -> str:
    """Return the host without `www.`."""
    return host.removeprefix("www.")


def _of_paths(one: str, other: str) -> str | None:
    if one == other:
        return ""
    shorter, longer = sorted((one, other), key=len)
    rest = longer.removeprefix(shorter)
    if rest == "/":
        return SLASH
    if rest in INDEX_NAMES and shorter.endswith("/"):
        return INDEX + rest
    return CASE if one.lower() == other.lower() else None


def _of_queries(one: list[str], other: list[str]) -> str | None:
    if sorted(one) == sorted(other):
        return ORDER
    names = {_name(piece) for piece in set(one) ^ set(other)} - {""}
    if len(names) != 1:
        return None
    name = names.pop()
    rest = [[piece for piece in pieces if _name(piece) not in {name, ""}] for pieces in (one, other)]
    return PARAMETER + name if rest[0] == rest[1] else None


def _name(piece: str) -> str:
    return piece.partition("=")[0]


def without_parameter(path: str, name: str) -> str:
    """Return a path and query without the parameters of one name.

    >>> without_parameter("/x?a=1&ref=2&b=3", "ref")
    '/x?a=1&b=3'
    """
    path, _, query = path.partition("?")
    kept = "&".join(piece for piece in query.split("&") if _name(piece) != name)
    return f"{path}?{kept}" if kept else path


def folded(host: str, path: str) -> str:
    """Return the common form of URLs that differ only in scheme, www, slash, index, case or order."""
    path, _, query = path.lower().partition("?")
    head, _, last = path.rpartition("/")
    path = head if last in INDEX_NAMES else path.rstrip("/")
    return f"{bare_host(host)}{path}?{'&'.join(sorted(query.split('&')))}"


# Apply learned rewrites
# ----------------------


def rewrite(url: Url, rules: Mapping[str, EquivalenceEvidence]) -> Url | None:
    """Return the common URL of all variants under these rules, or None if it is the given URL.

    For `www.` and the slash at the end, the more frequent form of kept pages is chosen.
    """
    path, mark, query = url.path.partition("?")
    scheme, authority = _door(url, rules)
    text = f"{scheme}://{authority}{_path(path, rules)}"
    if mark and (kept := _query(url, query.split("&"), rules)):
        text = f"{text}?{kept}"
    if text == url.text:
        return None
    # The parser makes the URL canonical again, for example capitals in escapes.
    better = canonical(text)
    return None if better is None or better == url else better


def _door(url: Url, rules: Mapping[str, EquivalenceEvidence]) -> tuple[str, str]:
    """Return the scheme and authority of the common URL."""
    scheme = "https" if SCHEME in rules and is_usual_door(url) else url.scheme
    evidence = rules.get(WWW)
    if evidence is None or is_ip_literal(url.host):
        return scheme, url.authority
    bare = bare_host(url.authority)
    return scheme, f"www.{bare}" if evidence.lean > 0 else bare


def _path(path: str, rules: Mapping[str, EquivalenceEvidence]) -> str:
    if CASE in rules:
        path = path.lower()
    folder, _, last = path.rpartition("/")
    if last in INDEX_NAMES and INDEX + last in rules:
        return f"{folder}/"
    slash = rules.get(SLASH)
    if slash is None or "." in last:
        return path
    if slash.lean > 0:
        return path if not last else f"{path}/"
    return path.rstrip("/") or "/"


def _query(url: Url, pieces: list[str], rules: Container[str]) -> str:
    path = path_pattern(url)
    kept = [piece for piece in pieces if not _is_idle(path, piece.partition("=")[0], rules)]
    return "&".join(sorted(kept) if ORDER in rules else kept)


def _is_idle(path: str, name: str, rules: Container[str]) -> bool:
    return f"{PARAMETER}{name}" in rules or f"{path} {PARAMETER}{name}" in rules


MOST_DIFFERENCES = 256  # of one host
REMEMBERED = 512  # variants of one host whose content is remembered
MOST_PARAMETERS = 6  # URLs with more parameters are not compared without each of them
MOST_ENTRIES = 50_000  # of all hosts, about 25 MB


@dataclass(frozen=True, slots=True)
class EquivalenceRule:
    """An irrelevant difference between URLs, as `status` shows it."""

    difference: str  # scheme, www, slash, case, order, `index NAME`, `?NAME` or `PATH ?NAME`
    same: int
    different: int
    example: str  # the URL of a copy


class Equivalences:
    """The notes about the differences between URLs of one host (with and without `www.`, http and https)."""

    def __init__(self) -> None:
        self.changed = False
        self._evidence: dict[str, EquivalenceEvidence] = {}
        self._rules: dict[str, EquivalenceEvidence] = {}  # the part of `_evidence` that holds
        self._contents: dict[int, tuple[Url, bytes]] = {}  # URL and digest by folded URL, the latest ones

    def __len__(self) -> int:
        return len(self._evidence) + len(self._contents)

    def rewritten(self, url: Url) -> Url | None:
        """Return the URL to fetch in place of a new one, or None if it is not rewritten."""
        if not self._rules or url.fingerprint % PROBED == 0:
            return None
        return rewrite(url, self._rules)

    def observe_duplicate(self, url: Url, of_url: Url) -> None:
        """Learn that two URLs have the same content; the page at the second one is kept."""
        for name, page in _names(difference(url, of_url), url):
            evidence = self._evidence.get(name)
            if evidence is None:
                evidence = self._evidence[name] = EquivalenceEvidence(example=url.text)
                self._forget_weakest()
            evidence.agree(page)
            evidence.lean += 1 if len(of_url.text) > len(url.text) else -1
            self._settle(name, evidence)

    def observe_distinct(self, one: Url, other: Url) -> None:
        """Learn that two URLs have different contents."""
        for name, _ in _names(difference(one, other), one):
            if (evidence := self._evidence.get(name)) is not None:
                evidence.disagree()
                self._settle(name, evidence)

    def observe_page(self, url: Url, digest: bytes) -> None:
        """Compare a fetched page with its variants, to find differences that are relevant."""
        if not self._evidence:
            return
        for key in _variants(url):
            known, content = self._contents.setdefault(key, (url, digest))
            if known == url:
                self._contents[key] = (url, digest)
            elif content != digest:
                self.observe_distinct(url, known)
            drop_oldest(self._contents, REMEMBERED)

    def rules(self) -> list[EquivalenceRule]:
        """Return the rules that hold now, those with the most evidence first."""
        found = [
            EquivalenceRule(name, one.same, one.different, one.example)
            for name, one in self._rules.items()
            if not self._is_part(name)
        ]
        return sorted(found, key=lambda rule: (-rule.same, rule.difference))

    def state(self) -> State:
        """Return the evidence as JSON, without the contents, which are only cached."""
        return {name: evidence.state() for name, evidence in self._evidence.items()}

    def restore(self, state: State) -> None:
        self._evidence = {name: EquivalenceEvidence(*one) for name, one in state.items()}
        self._rules = {name: one for name, one in self._evidence.items() if one.holds}

    def _is_part(self, name: str) -> bool:
        """Return whether a rule for one path pattern is part of a rule for the whole host."""
        path, _, parameter = name.rpartition(" ")
        return bool(path) and parameter in self._rules

    def _settle(self, name: str, evidence: EquivalenceEvidence) -> None:
        self.changed = True
        if evidence.holds:
            self._rules[name] = evidence
        else:
            self._rules.pop(name, None)

    def _forget_weakest(self) -> None:
        if len(self._evidence) > MOST_DIFFERENCES:
            # The newest one has no evidence yet and is kept.
            *older, _ = self._evidence
            weakest = min(older, key=lambda name: self._evidence[name].same)
            del self._evidence[weakest]
            self._rules.pop(weakest, None)


def _names(name: str | None, url: Url) -> Iterator[tuple[str, int]]:
    """Yield the names of the evidence for a difference, each with the key that distinguishes pages there."""
    if name is None:
        return
    if not name.startswith(PARAMETER):
        yield name, fingerprint_of(folded(url.host, url.path))
        return
    path = path_pattern(url)
    yield f"{path} {name}", fingerprint_of(without_parameter(url.path, name.removeprefix(PARAMETER)))
    yield name, fingerprint_of(path)


def _variants(url: Url) -> Iterator[int]:
    """Yield keys that a URL shares with the URLs that differ from it in one way."""
    yield fingerprint_of(folded(url.host, url.path))
    pieces = url.path.partition("?")[2].split("&")
    if pieces[0] and len(pieces) <= MOST_PARAMETERS:
        for name in dict.fromkeys(piece.partition("=")[0] for piece in pieces):
            yield fingerprint_of(folded(url.host, without_parameter(url.path, name)))


class HostEquivalences(HostNotes[Equivalences]):
    """The notes about equivalent URLs of all hosts, by name without `www.`."""

    def __init__(self, most_entries: int = MOST_ENTRIES) -> None:
        super().__init__(Equivalences, most_entries)

    def rewritten(self, url: Url) -> Url | None:
        """Return the URL to fetch in place of a new one, or None; see `Equivalences.rewritten`."""
        notes = self.get(bare_host(url.host))
        return None if notes is None else notes.rewritten(url)

    def observe(self, url: Url, digest: bytes, of_url: Url | None) -> None:
        """Learn from a page; `of_url` is the kept page with exactly the same content, if there is one."""
        host = bare_host(url.host)
        if not host:  # the rules do not apply to schemes without hosts
            return
        related = of_url is not None and bare_host(of_url.host) == host
        if not related and self.get(host) is None:
            return
        notes = self.of(host)
        notes.observe_page(url, digest)
        if of_url is not None and related:
            notes.observe_duplicate(url, of_url)
        self.account(host)
