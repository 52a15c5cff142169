"""Navigational, informational, transactional and recency intent.

The first three are those of Broder ("A taxonomy of web search", SIGIR Forum 2002); a query with recency
intent asks for news. Intents are guessed from typical words, and from the index: a query that equals the
host name of a site, or the title of its home page, is navigational.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache

from gossamer.text.stopwords import languages, section
from gossamer.text.words import folded, words
from gossamer.web.host import is_ip_literal, registrable_domain

NAVIGATIONAL, INFORMATIONAL, TRANSACTIONAL = "navigational", "informational", "transactional"
QUESTION = "question"  # marks lines of words that count only at the beginning of a query
SHORTEST_NAME = 3  # letters of a host name
ARTICLES = frozenset(["the", "der", "die", "das", "le", "la", "les", "el", "il", "lo", "ο", "η", "το"])
MOST_BEHIND = 2  # words after the name of a site, which name one of its pages
_ADDRESS = re.compile(r"(?:https?://)?(?:[\w-]+\.)+[^\W\d_]{2,}(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE)
_SURE = re.compile(r"https?://|www\.|[^\s/]+\.[^\s/]+/", re.IGNORECASE)
_PARTS = re.compile(r"\s+[-–—|·:»]\s+|: ")


def typed_address(text: str) -> bool:
    """Return whether the query has the form of a web address.

    >>> typed_address("example.org/guide"), typed_address("setup.py"), typed_address("3.5 mm jack")
    (True, True, False)
    """
    return _ADDRESS.fullmatch(text.strip()) is not None


def surely_address(text: str) -> bool:
    """Return whether the query is certainly a web address; `setup.py` may be a host or a file name.

    >>> surely_address("www.example.org"), surely_address("setup.py")
    (True, False)
    """
    return typed_address(text) and _SURE.match(text.strip()) is not None


def intent(typed: Sequence[str], spoken: Collection[str]) -> str:
    """Return the intent of the words of a query, in the languages of the collection; "" without words.

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
    """Return the first host with these words as its name, without www. and public suffix.

    Return "" if there is none.

    >>> named(["harbour", "herald"], ["fans.test", "www.harbour-herald.co.uk"])
    'www.harbour-herald.co.uk'
    >>> named(["bbc", "news"], ["news.bbc.co.uk"]), named(["news"], ["news.bbc.co.uk"])
    ('news.bbc.co.uk', '')
    """
    name = _compact("".join(typed))
    return next((host for host in hosts if name in names_of(host)), "")


def begins_with_name(typed: Sequence[str], host: str) -> bool:
    """Return whether the words begin with a host name of several words, followed by the name of a page."""
    names = names_of(host)
    ends = range(max(2, len(typed) - MOST_BEHIND), len(typed))
    return any(_compact("".join(typed[:end])) in names for end in ends)


def is_title_of(typed: Sequence[str], title: str) -> bool:
    """Return whether the words are one part of a title, such as the name of the site.

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
    """Return the names of a host, without spaces and punctuation."""
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
    """Return the typical words of each intent in several languages, from the lists of these languages."""
    found: dict[str, set[str]] = {
        kind: set() for kind in (NAVIGATIONAL, INFORMATIONAL, TRANSACTIONAL, QUESTION)
    }
    for language in languages("intent") & spoken:
        for line in section("intent", language):
            kind, *own = line.split()
            found[kind].update(map(folded, own))
    return {kind: frozenset(own) for kind, own in found.items()}


# Queries that ask for news
# -------------------------
#
# Each language has a list of words. The list also has names that contain such a word but do not ask for
# news, such as "New York", each on a line that begins with "not".

NOT = "not"  # begins a line with a name
LANGUAGES = languages("recent")
REMEMBERED = 16  # sets of languages


def asks_for_news(words: Sequence[str], spoken: Iterable[str], year: int) -> bool:
    """Return whether words ask for news in one of the languages; `year` is the current year.

    >>> asks_for_news(["python", "news"], ["en"], 2026), asks_for_news(["new", "york"], ["en"], 2026)
    (True, False)
    >>> asks_for_news(["election", "2026"], ["en"], 2026), asks_for_news(["election", "1998"], ["en"], 2026)
    (True, False)
    """
    if str(year) in words or str(year + 1) in words:
        return True
    listed = LANGUAGES.intersection(spoken)
    return not _known(listed).isdisjoint(words) and any(_asks_in(words, language) for language in listed)


@lru_cache(REMEMBERED)
def _known(spoken: frozenset[str]) -> frozenset[str]:
    """Return the words of several languages together: most queries contain none of them."""
    return frozenset().union(*[_recency_words(language)[0] for language in spoken])


def _asks_in(words: Sequence[str], language: str) -> bool:
    """Return whether words ask for news in one language."""
    known, names = _recency_words(language)
    places = [place for place, word in enumerate(words) if word in known]
    return any(not _is_named(words, place, names) for place in places)


def _is_named(words: Sequence[str], place: int, names: frozenset[tuple[str, ...]]) -> bool:
    """Return whether the word at a place is a part of a name."""
    return any(
        tuple(words[start : start + len(name)]) == name
        for name in names
        for start in range(max(0, place - len(name) + 1), place + 1)
    )


@cache
def _recency_words(language: str) -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
    """Return the words of a language, and the names in which they do not count."""
    lines = [folded(line).split() for line in section("recent", language)]
    known = frozenset(word for line in lines if line[0] != NOT for word in line)
    return known, frozenset(tuple(line[1:]) for line in lines if line[0] == NOT)
