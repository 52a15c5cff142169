"""What is being asked? Words, "phrases", -exclusions and site:host.

    clause = ["-"] ( word | '"' words '"' | "site:" host )

A minus excludes only where it begins a word and touches it; elsewhere it is punctuation. A prefix other than
`site:` is part of the word.
"""

from __future__ import annotations

import re

from gossamer.model import BadQuery, Clause, Not, Phrase, Query, Site, Word
from gossamer.web.url import canonical

LONGEST = 2_000  # characters
MOST_CLAUSES = 64

_QUOTES = '"“”„‟«»＂'
_CLAUSE = re.compile(
    rf"(?P<minus>(?<!\S)-(?!-))?(?:(?P<open>[{_QUOTES}])(?P<phrase>[^{_QUOTES}]*)(?P<close>[{_QUOTES}]?)"
    rf"|(?P<word>[^\s{_QUOTES}]+))"
)
_SITE = "site:"


def parse(text: str) -> Query:
    """The query behind what a person typed; raises BadQuery, which knows the position.

    >>> parse('jaguar "new world" -car').clauses
    (Word(text='jaguar'), Phrase(text='new world'), Not(clause=Word(text='car')))
    """
    if len(text) > LONGEST:
        raise BadQuery(text, LONGEST, f"it is longer than {LONGEST:,} characters")
    clauses: list[Clause] = []
    for match in _CLAUSE.finditer(text):
        clause = _clause(text, match)
        if clause is None:
            continue
        if len(clauses) == MOST_CLAUSES:
            raise BadQuery(text, match.start(), f"it has more than {MOST_CLAUSES} words and phrases")
        clauses.append(clause)
    if all(isinstance(clause, Not) for clause in clauses):
        raise BadQuery(text, 0, "there is nothing to look for" + (", only exclusions" if clauses else ""))
    return Query(text, tuple(clauses))


def _clause(text: str, match: re.Match[str]) -> Clause | None:
    bare = _phrase(text, match) if match["open"] else _word(text, match)
    return Not(bare) if bare is not None and match["minus"] else bare


def _phrase(text: str, match: re.Match[str]) -> Phrase:
    words = " ".join(match["phrase"].split())
    if not match["close"]:
        raise BadQuery(text, match.start("open"), "this quotation mark is never closed")
    if not words:
        raise BadQuery(text, match.start("open"), "there is nothing between the quotation marks")
    return Phrase(words)


def _word(text: str, match: re.Match[str]) -> Word | Site | None:
    word = match["word"]
    if not word.strip("-"):
        return None
    if word[: len(_SITE)].lower() == _SITE:
        return Site(_host(text, match.start("word"), word[len(_SITE) :]))
    return Word(word)


def _host(text: str, position: int, typed: str) -> str:
    """The host of `site:`; people also paste whole addresses, and write *. for "all below"."""
    address = typed.partition("://")[2] or typed
    host = re.split(r"[/?#]", address, maxsplit=1)[0].removeprefix("*").strip(".")
    url = canonical(f"http://{host}/") if host else None
    if url is None:
        raise BadQuery(text, position, "site: needs a host right behind it, such as site:example.com")
    return url.host
