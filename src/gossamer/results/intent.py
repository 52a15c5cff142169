"""What does somebody want who asks this: to reach a site, to know something, or to do something?

The three kinds are Broder's ("A taxonomy of web search", SIGIR Forum 2002): navigational, informational and
transactional. They are guessed from words that tell, and from what the index knows: a query that is the name
of a site, as its host or the title of its home page has it, wants that site.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache

from gossamer.text.characters import folded
from gossamer.text.word_lists import languages, section
from gossamer.text.words import words
from gossamer.web.host import is_ip_literal, registrable_domain

NAVIGATIONAL, INFORMATIONAL, TRANSACTIONAL = "navigational", "informational", "transactional"
QUESTION = "question"  # begins lines with words that only tell something at the beginning
SHORTEST_NAME = 3  # letters of a host's name that is recognised
ARTICLES = frozenset(["the", "der", "die", "das", "le", "la", "les", "el", "il", "lo", "ο", "η", "το"])
MOST_BEHIND = 2  # words behind the name of a site, for one of its pages

_ADDRESS = re.compile(r"(?:https?://)?(?:[\w-]+\.)+[^\W\d_]{2,}(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE)
_SURE = re.compile(r"https?://|www\.|[^\s/]+\.[^\s/]+/", re.IGNORECASE)
_PARTS = re.compile(r"\s+[-–—|·:»]\s+|: ")


def typed_address(text: str) -> bool:
    """Whether the query has the form of a web address.

    >>> typed_address("example.org/guide"), typed_address("setup.py"), typed_address("3.5 mm jack")
    (True, True, False)
    """
    return _ADDRESS.fullmatch(text.strip()) is not None


def surely_address(text: str) -> bool:
    """Whether it can hardly be anything else: a file's name may have the form of a host's.

    >>> surely_address("www.example.org"), surely_address("setup.py")
    (True, False)
    """
    return typed_address(text) and _SURE.match(text.strip()) is not None


def intent(typed: Sequence[str], spoken: Collection[str]) -> str:
    """The intent behind the words of a query, in the languages of the collection; "" without words.

    >>> intent(["buy", "a", "lantern"], ["en"]), intent(["how", "to", "buy", "shares"], ["en"])
    ('transactional', 'informational')
    """
    if not typed:
        return ""
    known = _joined(frozenset(spoken))
    if typed[0] in known[QUESTION]:
        return INFORMATIONAL
    for found in (INFORMATIONAL, TRANSACTIONAL, NAVIGATIONAL):
        if not known[found].isdisjoint(typed):
            return found
    return INFORMATIONAL


def named(typed: Sequence[str], hosts: Iterable[str]) -> str:
    """The first host whose name the words are, without www and what nobody chose; "" where none is.

    >>> named(["harbour", "herald"], ["fans.test", "www.harbour-herald.co.uk"])
    'www.harbour-herald.co.uk'
    >>> named(["bbc", "news"], ["news.bbc.co.uk"]), named(["news"], ["news.bbc.co.uk"])
    ('news.bbc.co.uk', '')
    """
    name = _compact("".join(typed))
    return next((host for host in hosts if name in names_of(host)), "")


def begins_with_name(typed: Sequence[str], host: str) -> bool:
    """Whether a name of two words or more stands at the beginning, and one of its pages behind it."""
    names = names_of(host)
    ends = range(max(2, len(typed) - MOST_BEHIND), len(typed))
    return any(_compact("".join(typed[:end])) in names for end in ends)


def is_title_of(typed: Sequence[str], title: str) -> bool:
    """Whether the words are a part of the title, as a site calls itself there.

    >>> is_title_of(["harbour", "herald"], "Home - The Harbour Herald")
    True
    """
    wanted = list(typed)
    return bool(wanted) and any(
        own == wanted or (own[:1] and own[0] in ARTICLES and own[1:] == wanted)
        for own in map(words, _PARTS.split(title))
    )


@lru_cache(maxsize=4_096)
def names_of(host: str) -> frozenset[str]:
    """Under which names people know a host, without anything between their words."""
    name = host.partition(":")[0].removeprefix("www.")
    if is_ip_literal(name) or not name:
        return frozenset()
    domain = registrable_domain(name)
    own = domain.partition(".")[0]
    below = name.removesuffix(domain).strip(".").split(".") if name != domain else []
    found = {own} if not below else {"".join([own, *below]), "".join([*below, own])}
    whole = {name} if not below else set()
    names = {_compact(one) for one in found | whole}
    return frozenset(one for one in names if len(one) >= SHORTEST_NAME)


def _compact(text: str) -> str:
    return "".join(filter(str.isalnum, text))


@lru_cache(maxsize=64)
def _joined(spoken: frozenset[str]) -> dict[str, frozenset[str]]:
    """The words of several languages by what they tell."""
    lists = [known for language in spoken if (known := _lists(language))]
    return {
        kind: frozenset().union(*(known[kind] for known in lists))
        for kind in (NAVIGATIONAL, INFORMATIONAL, TRANSACTIONAL, QUESTION)
    }


@cache
def _lists(language: str) -> dict[str, frozenset[str]]:
    """The words of a language by what they tell; none where there is no list."""
    if language not in languages("intent"):
        return {}
    found: dict[str, set[str]] = {
        one: set() for one in (NAVIGATIONAL, INFORMATIONAL, TRANSACTIONAL, QUESTION)
    }
    for line in section("intent", language):
        kind, *own = line.split()
        found[kind].update(map(folded, own))
    return {kind: frozenset(own) for kind, own in found.items()}
