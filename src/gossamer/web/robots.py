"""Parse and match robots.txt (RFC 9309).

The file is UTF-8. Its lines end in CR, LF or both, and only the first 500 KiB are read. All groups for a
product token count as one group. An agent with a group of its own ignores the general group `*`. A group
begins with a list of agents, which only an `Allow` or `Disallow` line ends (section 2.2.4).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import itemgetter

from gossamer.model import Url

# Match a path against robots.txt rules
# -------------------------------------
#
# A path and a rule are compared octet by octet after both are written in one form:
#
#     unreserved and reserved characters      unescaped
#     escaped `/` and `?`                     escaped in the path, where they would be separators;
#                                             unescaped after the `?`
#     `$`, and the `*` of a URL               `%24` and `%2A`, because they have a meaning in a rule
#     all other octets, and a lone `%`        `%XX` in upper case
#
# Of the rules that match, the longest decides; of two with the same length, the one that allows.
# A crawl checks every URL, so the rules are indexed by their head, the part before the first `*`. For
# each length of a head, the beginning of the path is looked up, and only the rules found are tried.

_SEPARATORS = frozenset("/?")
_PLAIN = (
    frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:@[]!&'()+,;=") | _SEPARATORS
)
_ODD = re.compile(r"%([0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:@\[\]!&'()*+,;=/?]")
_ABSOLUTE = re.compile(r"https?://[^/]*/?")

# Strength, the longest piece between stars, all pieces, and whether the path must end there.
_Rule = tuple[int, str, tuple[str, ...], bool]


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """The rules for one user agent, indexed by their heads, and its crawl delay. Made by `_group_of`."""

    heads: dict[str, tuple[_Rule, ...]]  # by the part before the first star, the strongest rule first
    lengths: tuple[int, ...]  # of the heads, ascending
    delay: float | None  # seconds

    def allow(self, path: str) -> bool:
        """Return whether a canonical path, with its query, may be fetched."""
        if _ODD.search(path) is None and "*" not in path:
            strongest = self._strongest(path)
        else:
            strongest = max(self._strongest(spelling) for spelling in _spellings(path))
        return strongest < 0 or strongest & 1 == 1

    def _strongest(self, path: str) -> int:
        """Return the strength of the deciding rule: twice its length, plus 1 if it allows; -1 for no rule."""
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


def _pattern(written: bytes) -> str:
    """Normalise a rule; "" if it is empty. Some authors write `index.php` or a whole URL for `/index.php`."""
    text = written.decode("latin-1")  # one character for each octet: not all files are in UTF-8
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
    # Stars in a row count as one. An empty last piece is kept: it means that anything may follow.
    kept = (*(piece for piece in pieces[:-1] if piece), *pieces[-1:])
    return head, (2 * len(pattern) + allows, max(kept, key=len, default=""), kept, pattern.endswith("$"))


def _matches(path: str, start: int, pieces: tuple[str, ...], is_anchored: bool) -> bool:
    """Return whether the pieces occur in this order from `start` on; greedy search finds every match."""
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
    """Return the normal forms of a path that rules are compared with.

    The query has two forms: escaped like a query, and escaped like a path. A rule without `?`, such as
    `/*%2F`, may match in either part, but is written in the form of a path.
    """
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
LONGEST_DELAY = 7 * 86_400.0  # seconds; a longer delay is a mistake

# Common misspellings are accepted: a missing colon, and wrong forms of "disallow".
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
class RobotsRules:
    """The rules of one robots.txt. Made by `parse`.

    The meaningful lines are kept as they were written. The group of a user agent is built at its first use,
    so a file that names a hundred crawlers costs no more than one that names none.
    """

    sitemaps: tuple[str, ...]
    _lines: bytes = field(repr=False)
    _groups: dict[str, RuleGroup] = field(default_factory=dict, repr=False, compare=False)

    def allows(self, url: Url, agent: str) -> bool:
        """Return whether a user agent may fetch a URL; the longest matching rule decides."""
        return self._group(agent).allow(url.path) or url.path.partition("?")[0] == "/robots.txt"

    def crawl_delay(self, agent: str) -> float | None:
        """Return the seconds between two requests that the host demands of a user agent, if any.

        It is the longest delay of the Crawl-delay and Request-rate lines, at most a week.
        """
        return self._group(agent).delay

    def _group(self, agent: str) -> RuleGroup:
        group = self._groups.get(agent)
        if group is None:
            group = self._groups[agent] = _group_of(self._lines, product_token(agent))
        return group


def product_token(agent: str) -> str:
    """Return the product token of a user agent: `gossamer` for `Gossamer/0.1 (+https://example.com)`."""
    return re.split(r"[/\s]", agent.strip(), maxsplit=1)[0].lower()


def parse(body: bytes) -> RobotsRules:
    """Parse the body of a robots.txt, at most its first 500 KiB. Unknown lines are ignored."""
    read = body if len(body) <= MAX_BYTES else whole_lines(body[:MAX_BYTES])
    text = read.removeprefix(_BYTE_ORDER_MARK).replace(b"\r", b"\n")
    sitemaps: dict[str, None] = {}
    lines = []
    for match in _LINE.finditer(text):
        if match[1][:1] in b"sS":
            sitemaps[match[2].strip().decode("utf-8", "replace")] = None
        else:
            lines.append(match[0])
    return RobotsRules(tuple(address for address in sitemaps if address), b"\n".join(lines))


def whole_lines(cut: bytes) -> bytes:
    """Drop the last, incomplete line of a truncated file: half of `Disallow: /a` would forbid everything."""
    return cut[: max(cut.rfind(b"\n"), cut.rfind(b"\r")) + 1]


def _group_of(lines: bytes, token: str) -> RuleGroup:
    """Build the group of a product token, or the general group if it has none."""
    values = list(_lines_of_group(lines, token)) or list(_lines_of_group(lines, "*"))
    heads: dict[str, set[_Rule]] = {}
    for kind, value in values:
        if kind in _RULES and (pattern := _pattern(value)):
            head, rule = _rule(pattern, allows=kind == b"al")
            heads.setdefault(head, set()).add(rule)
    ordered = {head: tuple(sorted(rules, key=itemgetter(0), reverse=True)) for head, rules in heads.items()}
    delays = (_delay(kind, value) for kind, value in values)
    longest = max((delay for delay in delays if delay is not None), default=None)
    return RuleGroup(ordered, tuple(sorted({len(head) for head in heads})), longest)


def _lines_of_group(lines: bytes, token: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield the first two letters and the value of each line in the groups of a product token."""
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
    """Parse a Crawl-delay (`2.5`, `1,5`, `10 s`) or a Request-rate (`1/5`, `30/60m 0800-1200`) to seconds."""
    if kind == b"cr" and (stated := _SECONDS.fullmatch(value)):
        return min(float(stated[1].replace(b",", b".")), LONGEST_DELAY)
    if kind == b"re" and (rate := _RATE.match(value)):
        return min(int(rate[2]) * _UNITS[rate[3].lower()] / int(rate[1]), LONGEST_DELAY)
    return None


ALLOW_ALL = parse(b"")
DISALLOW_ALL = parse(b"User-agent: *\nDisallow: /\n")
