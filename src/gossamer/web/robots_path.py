"""Which rule of a robots.txt speaks for this path? (RFC 9309, sections 2.2.2 and 2.2.3)

A path and a rule are compared octet by octet, once both are written in one form:

    unreserved and reserved characters      as themselves, however they were escaped
    `/` and `?` that are escaped            stay so in the path, where they would else separate;
                                            behind the `?` they are characters like others
    `$` and the `*` of an address           `%24` and `%2A`, for in a rule they have a meaning
    all other octets, and a lone `%`        `%XX` in upper case

Of the rules that match, the one of the most octets decides, and of two equals the one that allows. A crawl
asks for every page, so the rules are kept by what stands before their first `*`: an address looks up as many
of its own beginnings as there are lengths of such heads, and tries only the rules found there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

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
