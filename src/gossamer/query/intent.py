"""Navigational, transactional and recency intent.

The three kinds are Broder's ("A taxonomy of web search", SIGIR Forum 2002): navigational, informational and
transactional. They are guessed from words that tell, and from what the index knows: a query that is the name
of a site, as its host or the title of its home page has it, wants that site.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache

from gossamer.text.stopwords import languages, section
from gossamer.text.words import folded, words
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
    known = _intent_words(frozenset(spoken))
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
def _intent_words(spoken: frozenset[str]) -> dict[str, frozenset[str]]:
    """The words of several languages by what they tell; none of a language that has no list."""
    found: dict[str, set[str]] = {
        kind: set() for kind in (NAVIGATIONAL, INFORMATIONAL, TRANSACTIONAL, QUESTION)
    }
    for language in languages("intent") & spoken:
        for line in section("intent", language):
            kind, *own = line.split()
            found[kind].update(map(folded, own))
    return {kind: frozenset(own) for kind, own in found.items()}


# Does a query ask for news
# -------------------------
#
# The words of each language stand in a list. Some of them are parts of names ("New York"), which ask
# for nothing new: the list has these too, each on a line behind "not".

NOT = "not"  # begins a line with a name
LANGUAGES = languages("recent")
REMEMBERED = 16  # sets of languages


def asks_for_news(words: Sequence[str], spoken: Iterable[str], year: int) -> bool:
    """Whether these words, as `words` finds them, do so in one of the languages; `year` is the present one.

    >>> asks_for_news(["python", "news"], ["en"], 2026), asks_for_news(["new", "york"], ["en"], 2026)
    (True, False)
    >>> asks_for_news(["election", "2026"], ["en"], 2026), asks_for_news(["election", "1998"], ["en"], 2026)
    (True, False)
    """
    if str(year) in words or str(year + 1) in words:
        return True
    listed = LANGUAGES.intersection(spoken)
    return not _known(listed).isdisjoint(words) and any(_says_so(words, language) for language in listed)


@lru_cache(REMEMBERED)
def _known(spoken: frozenset[str]) -> frozenset[str]:
    """The words of several languages: most queries hold none."""
    return frozenset().union(*[_recency_words(language)[0] for language in spoken])


def _says_so(words: Sequence[str], language: str) -> bool:
    known, names = _recency_words(language)
    places = [place for place, word in enumerate(words) if word in known]
    return any(not _is_named(words, place, names) for place in places)


def _is_named(words: Sequence[str], place: int, names: frozenset[tuple[str, ...]]) -> bool:
    """Whether a word is a part of a name there."""
    return any(
        tuple(words[start : start + len(name)]) == name
        for name in names
        for start in range(max(0, place - len(name) + 1), place + 1)
    )


@cache
def _recency_words(language: str) -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
    """The words of a language, and names in which they mean nothing."""
    lines = [folded(line).split() for line in section("recent", language)]
    known = frozenset(word for line in lines if line[0] != NOT for word in line)
    return known, frozenset(tuple(line[1:]) for line in lines if line[0] == NOT)
