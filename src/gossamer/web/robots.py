"""Parse and match robots.txt (RFC 9309).

The file is UTF-8 in lines that end in CR, LF or both; only its first 500 KiB are read. Groups for the same
product token are one group; an agent that has one of its own does not look at the general group `*`. Only
`Allow` and `Disallow` end the list of agents that a group begins with, no other line does: section 2.2.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter

from gossamer.model import Url

# Match a path against robots.txt rules
# -------------------------------------
#
# A path and a rule are compared octet by octet, once both are written in one form:
#
#     unreserved and reserved characters      as themselves, however they were escaped
#     `/` and `?` that are escaped            stay so in the path, where they would else separate;
#                                             behind the `?` they are characters like others
#     `$` and the `*` of an address           `%24` and `%2A`, for in a rule they have a meaning
#     all other octets, and a lone `%`        `%XX` in upper case
#
# Of the rules that match, the one of the most octets decides, and of two equals the one that allows.
# A crawl asks for every page, so the rules are kept by what stands before their first `*`: an address
# looks up as many of its own beginnings as there are lengths of such heads, and tries only the rules
# found there.

_SEPARATORS = frozenset("/?")
_PLAIN = (
    frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:@[]!&'()+,;=") | _SEPARATORS
)
_ODD = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:@\[\]!&'()*+,;=/?]")
_ABSOLUTE = re.compile(r"https?://[^/]*/?")

# Strength, the longest of the pieces that stars divide, the pieces, and whether the path must end there.
_Rule = tuple[int, str, tuple[str, ...], bool]


@dataclass(frozen=True, slots=True)
class PathRules:
    """The rules of one group, ready to be asked. Made by `compiled`."""

    heads: dict[str, tuple[_Rule, ...]]  # by what stands before the first star, the strongest rule first
    lengths: tuple[int, ...]  # of the heads, rising

    def allow(self, path: str) -> bool:
        """Whether a canonical path, with its query, may be asked for."""
        if _ODD.search(path) is None and "*" not in path:
            strongest = self._strongest(path)
        else:
            strongest = max(self._strongest(spelling) for spelling in _spellings(path))
        return strongest < 0 or strongest & 1 == 1

    def _strongest(self, path: str) -> int:
        """Twice the octets of the rule that decides, plus one if it allows; -1 when there is none."""
        found = -1
        for length in self.lengths:
            if length > len(path):
                break
            for strength, longest, pieces, is_anchored in self.heads.get(path[:length], ()):
                if strength <= found:
                    break
                if longest in path and _matches(path, length, pieces, is_anchored):
                    found = strength
                    break
        return found


def compiled(rules: Iterable[tuple[bool, bytes]]) -> PathRules:
    """The rules of a group from (allows, path as written); what can be no path is passed over."""
    heads: dict[str, set[_Rule]] = {}
    for allows, written in rules:
        pattern = _pattern(written)
        if pattern:
            head, rule = _rule(pattern, allows)
            heads.setdefault(head, set()).add(rule)
    buckets = {head: tuple(sorted(found, key=itemgetter(0), reverse=True)) for head, found in heads.items()}
    return PathRules(buckets, tuple(sorted({len(head) for head in buckets})))


def _pattern(written: bytes) -> str:
    """A rule in the one form, or "". People also write `index.php`, and whole addresses, for `/index.php`."""
    text = written.decode("latin-1")  # one character an octet: the files are not all in UTF-8
    if text.startswith("http"):
        text = _ABSOLUTE.sub("", text, count=1)
    if not text:
        return ""
    anchor = "$" if text[-1] == "$" else ""
    path, mark, query = text.removesuffix("$").partition("?")
    rooted = path if path.startswith(("/", "*")) else "/" + path
    return _one_form(rooted, False) + mark + _one_form(query, True) + anchor


def _rule(pattern: str, allows: bool) -> tuple[str, _Rule]:
    head, *pieces = pattern.removesuffix("$").split("*")
    # Stars in a row are one star; the last piece stays even when empty, for it says that anything may follow.
    kept = (*(piece for piece in pieces[:-1] if piece), *pieces[-1:])
    return head, (2 * len(pattern) + allows, max(kept, key=len, default=""), kept, pattern.endswith("$"))


def _matches(path: str, start: int, pieces: tuple[str, ...], is_anchored: bool) -> bool:
    """Whether the pieces follow one another from `start`; taking each as early as possible loses no match."""
    if not pieces:
        return not is_anchored or start == len(path)
    for piece in pieces[:-1]:
        start = path.find(piece, start) + len(piece)
        if start < len(piece):
            return False
    last = pieces[-1]
    if is_anchored:
        return len(path) - len(last) >= start and path.endswith(last)
    return path.find(last, start) >= 0


def _spellings(path: str) -> set[str]:
    """The forms in which rules may speak of a path: one without `?` cannot tell where an escape stands."""
    before, mark, query = path.replace("*", "%2A").partition("?")
    before = _one_form(before, False)
    return {before + mark + _one_form(query, is_query) for is_query in (False, True)}


def _one_form(text: str, is_query: bool) -> str:
    def octet(match: re.Match[str]) -> str:
        character = chr(int(match[1], 16)) if match[1] else match[0]
        if character in _PLAIN and (is_query or character not in _SEPARATORS):
            return character
        return f"%{ord(character):02X}"

    return _ODD.sub(octet, text) if _ODD.search(text) else text


MAX_BYTES = 500 * 1024  # RFC 9309, section 2.5: at least this much must be read
LONGEST_DELAY = 7 * 86_400.0  # seconds; whoever wants longer ones does not mean a number

# The spellings are those that people use: some forget the colon, others cannot write "disallow".
_LINE = re.compile(
    rb"^[ \t]*(user[- ]?agent|allow|dis{1,2}al{1,2}ow|diasllow|disallaw|crawl[- ]?delay|request[- ]?rate|"
    rb"site-?maps?)[ \t]*[: \t][ \t]*([^\n#]*)",
    re.IGNORECASE | re.MULTILINE,
)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TOKEN = re.compile(rb"\*(?=\s|$)|[^\s/*,;]+")
_RULES = frozenset((b"al", b"di"))
_SECONDS = re.compile(rb"(\d+[.,]?\d*|[.,]\d+)\s*(?:s|secs?|seconds?)?", re.IGNORECASE)
_RATE = re.compile(rb"0*([1-9]\d{0,8})\s*/\s*(\d{1,9})\s*([smhd]?)", re.IGNORECASE)
_UNITS = {b"": 1, b"s": 1, b"m": 60, b"h": 3_600, b"d": 86_400}


@dataclass(frozen=True, slots=True)
class _Group:
    """What the file says to one user agent."""

    paths: PathRules
    delay: float | None


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules of one robots.txt. Made by `parse`.

    Only the lines that mean something are kept, as they were written, and for each user agent that asks its
    group is made ready once: a file that names a hundred crawlers costs no more than one that names none.
    """

    sitemaps: tuple[str, ...]
    _lines: bytes = field(repr=False)
    _groups: dict[str, _Group] = field(default_factory=dict, repr=False, compare=False)

    def allows(self, url: Url, agent: str) -> bool:
        """Whether that user agent may ask for the URL; the longest matching rule decides."""
        return self._group(agent).paths.allow(url.path) or url.path.partition("?")[0] == "/robots.txt"

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds the host wants between two requests of that user agent, when it says so.

        The longest of its Crawl-delay and Request-rate lines; at most a week.
        """
        return self._group(agent).delay

    def _group(self, agent: str) -> _Group:
        group = self._groups.get(agent)
        if group is None:
            group = self._groups[agent] = _group_of(self._lines, product_token(agent))
        return group


def product_token(agent: str) -> str:
    """The name in a user agent: of `Gossamer/0.1 (+https://example.com)` it is `gossamer`."""
    return re.split(r"[/\s]", agent.strip(), maxsplit=1)[0].lower()


def parse(body: bytes) -> RobotsRules:
    """The rules in the body of a robots.txt. Lines that make no sense are passed over."""
    text = _within_limit(body).removeprefix(_BYTE_ORDER_MARK).replace(b"\r", b"\n")
    sitemaps: dict[str, None] = {}
    lines = []
    for match in _LINE.finditer(text):
        if match[1][:1] in b"sS":
            sitemaps[match[2].strip().decode("utf-8", "replace")] = None
        else:
            lines.append(match[0])
    return RobotsRules(tuple(address for address in sitemaps if address), b"\n".join(lines))


def whole_lines(cut: bytes) -> bytes:
    """A file that was cut, without the line that the cut went through.

    Half of `Disallow: /a` would shut out all.
    """
    return cut[: max(cut.rfind(b"\n"), cut.rfind(b"\r")) + 1]


def _within_limit(body: bytes) -> bytes:
    """At most 500 KiB, in whole lines."""
    if len(body) <= MAX_BYTES:
        return body
    return whole_lines(body[:MAX_BYTES])


def _group_of(lines: bytes, token: str) -> _Group:
    """The group of that product token, or the general one when it has none."""
    said = list(_said_to(lines, token)) or list(_said_to(lines, "*"))
    rules = ((kind == b"al", value) for kind, value in said if kind in _RULES)
    delays = (_delay(kind, value) for kind, value in said)
    return _Group(compiled(rules), max((delay for delay in delays if delay is not None), default=None))


def _said_to(lines: bytes, token: str) -> Iterator[tuple[bytes, bytes]]:
    """The lines that speak to a product token, and those that name it: the first letters, and the value."""
    is_meant = has_rules = False
    for match in _LINE.finditer(lines):
        kind, value = match[1][:2].lower(), match[2].strip()
        if kind == b"us":
            named = _TOKEN.match(value)
            is_this = named is not None and named[0].decode("utf-8", "replace").lower() == token
            is_meant = is_this or (is_meant and not has_rules)
            has_rules = False
        has_rules |= kind in _RULES
        if is_meant:
            yield kind, value


def _delay(kind: bytes, value: bytes) -> float | None:
    """The seconds in a Crawl-delay (`2.5`, `1,5`, `10 s`) or a Request-rate (`1/5`, `30/60m 0800-1200`)."""
    if kind == b"cr" and (stated := _SECONDS.fullmatch(value)):
        return min(float(stated[1].replace(b",", b".")), LONGEST_DELAY)
    if kind == b"re" and (rate := _RATE.match(value)):
        return min(int(rate[2]) * _UNITS[rate[3].lower()] / int(rate[1]), LONGEST_DELAY)
    return None


ALLOW_ALL = parse(b"")
DISALLOW_ALL = parse(b"User-agent: *\nDisallow: /\n")
