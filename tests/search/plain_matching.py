"""Which pages answer a query? Read from the pages themselves, as slowly and plainly as can be."""

from __future__ import annotations

from itertools import pairwise

from letters_apart import distance

from gossamer.index.bm25f import Field, field_texts
from gossamer.index.segment import file_type
from gossamer.model import (
    After,
    And,
    Before,
    FileType,
    Fuzzy,
    Group,
    In,
    Language,
    Near,
    Not,
    Or,
    Phrase,
    Prefix,
    Site,
    Word,
    leaves,
)
from gossamer.query.syntax import beginning
from gossamer.text.words import words

FIELD_OF = {"title": Field.TITLE, "url": Field.URL, "body": Field.BODY}
WISHES = (Word, Prefix, Fuzzy)
SEVERAL = (Site, FileType, Language)
TEXTS = (Word, Prefix, Fuzzy, Phrase, In, Near)


def answers(query, page):
    """Whether the page answers; a wish of several words, as in wall-mounted, is as many wishes."""
    apart = [Word(word) for one in query.clauses if isinstance(one, Word) for word in words(one.text)]
    return side_by_side((*(one for one in query.clauses if not isinstance(one, Word)), *apart), page)


def side_by_side(clauses, page):
    wishes = [one for one in clauses if isinstance(one, WISHES)]
    for kind in SEVERAL:
        wanted = [one for one in clauses if isinstance(one, kind)]
        if wanted and not any(holds(one, page) for one in wanted):
            return False
    rest = [one for one in clauses if not isinstance(one, WISHES + SEVERAL)]
    if not all(holds(one, page) for one in rest):
        return False
    return any(map(asks_for_text, rest)) or not wishes or any(holds(one, page) for one in wishes)


def asks_for_text(clause):
    return any(wanted and isinstance(leaf, TEXTS) for leaf, wanted in leaves(clause))


def holds(clause, page):
    match clause:
        case Not(inner):
            return not holds(inner, page)
        case And(parts):
            return all(holds(one, page) for one in parts)
        case Or(parts):
            return any(holds(one, page) for one in parts)
        case Group(parts):
            return side_by_side(parts, page)
        case In("anchor", _):
            return False
        case In(part, text):
            return bool(places(text, fields(page)[FIELD_OF[part]]))
        case Near(texts, within):
            return any(are_near(texts, within, field) for field in fields(page))
        case Site(host):
            return page.url.host == host or page.url.host.endswith("." + host)
        case FileType(name):
            media_type, extension = file_type(page.media_type, page.url.path).split(" ")
            return name in {extension, media_type, media_type.split("/")[1]}
        case Language(code):
            return page.language == code
        case Before(day):
            return moment(page) < beginning(day)
        case After(day):
            return moment(page) >= beginning(day)
    return any(places(clause, field) for field in fields(page))


def moment(page):
    return page.fetched_at if page.published is None else page.published


def fields(page):
    """Those whose words stand in a row: what is emphasised stands in the body already."""
    return [words(text) for text in field_texts([page])][: Field.EMPHASISED]


def places(text, field):
    """Where a text begins in a field."""
    typed = words(text.text)
    return [
        start
        for start in range(len(field) - len(typed) + 1)
        if field[start : start + len(typed) - 1] == typed[:-1]
        and is_meant(text, typed[-1], field[start + len(typed) - 1])
    ]


def is_meant(text, typed, word):
    match text:
        case Prefix():
            return word.startswith(typed)
        case Fuzzy(_, mistakes):
            return distance(typed, word) <= (mistakes or (2 if len(typed) >= 7 else 1))
    return word == typed


def are_near(texts, within, field):
    """Whether one comes first and each other begins at most `within` words behind its end."""
    spans = [[(start, start + len(words(text.text)) - 1) for start in places(text, field)] for text in texts]
    return any(
        all(
            any(end < start <= end + within for start, _ in other)
            for place, other in enumerate(spans)
            if place != number
        )
        for number, own in enumerate(spans)
        for _, end in own
    )


def is_ranked(ranking):
    """Best first, ties by fingerprint."""
    return all((-a[0], a[1]) < (-b[0], b[1]) for a, b in pairwise(ranking))
