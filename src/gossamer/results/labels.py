"""What is a group of results called?

By the phrase that tells it best from the others (`phrases`), if that stands so in the texts of its results,
and no other group is called by the same words. It is written as most of the best results write it.
Before a single word comes a phrase around it that is nearly as good.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from gossamer.results.clustering import Group
from gossamer.results.phrases import Phrase
from gossamer.text.characters import small
from gossamer.text.words import is_word, joined

LONGER = 0.7  # of the score of a word that a phrase around it must have to be shown instead
WRITERS = 3  # results of a group, the best that hold a phrase, say how it is written
MOST_CHARACTERS = 40  # of a label
_SITE = re.compile(r"(.*\S)\s+[-|–—·•»:]+\s+(\S.*)", re.DOTALL)
_SIGN = re.compile(r"\s[-|–—·•»:]")  # without one there is no name of a site, and most titles have none


def without_site_names(titles: Sequence[str]) -> list[str]:
    """Titles without what several of them end in behind a dash or a bar.

    >>> without_site_names(["Jaguar - Wildcats", "Puma - Wildcats", "Mac OS X - Jaguar"])
    ['Jaguar', 'Puma', 'Mac OS X - Jaguar']
    """
    if not _SIGN.search("\n".join(titles)):
        return list(titles)
    parts = [_SITE.fullmatch(title) if _SIGN.search(title) else None for title in titles]
    ends = Counter([part[2] for part in parts if part])
    return [
        part[1] if part and ends[part[2]] > 1 else title for title, part in zip(titles, parts, strict=True)
    ]


def labels(
    found: Sequence[Sequence[Phrase]],
    groups: Sequence[Group],
    text_of: Callable[[int], str],
    words_of: Callable[[Phrase], Sequence[str]],
) -> list[str]:
    """A label for each group, "" where none can be found; what the texts of the results are is asked late."""
    taken: list[set[int]] = []
    read = cache(lambda place: Text.read(text_of(place)))  # a text is looked at for several phrases
    return [_label(own, group, read, words_of, taken) for own, group in zip(found, groups, strict=True)]


def _label(
    found: Sequence[Phrase],
    group: Group,
    read: Callable[[int], Text],
    words_of: Callable[[Phrase], Sequence[str]],
    taken: list[set[int]],
) -> str:
    """The first phrase that stands so in the texts, and does not say what another label says."""
    for phrase in _longer_first(found):
        terms = set(phrase.terms)
        if any(terms <= other or other <= terms for other in taken):
            continue
        if label := written(words_of(phrase), map(read, group)):
            taken.append(terms)
            return label
    return ""


def _longer_first(found: Sequence[Phrase]) -> Iterator[Phrase]:
    """The phrases, before a single word those that hold it and are nearly as good."""
    for place, phrase in enumerate(found):
        if len(phrase.terms) == 1:
            (word,) = phrase.terms
            least = LONGER * phrase.score
            yield from [one for one in found[place + 1 :] if one.score >= least and _holds(one, word)]
        yield phrase


def _holds(phrase: Phrase, word: int) -> bool:
    """Whether a phrase has this word and others."""
    return word in phrase.terms and len(set(phrase.terms)) > 1


class Text(NamedTuple):
    """A text, and the same in small letters; these are empty where places in them are others."""

    written: str
    small: str

    @classmethod
    def read(cls, text: str) -> Text:
        plain = small(text)
        return cls(text, plain if len(plain) == len(text) else "")


def written(words: Sequence[str], texts: Iterable[Text]) -> str:
    """How texts write words in a row; "" where none has them side by side.

    >>> written(["big", "cats"], map(Text.read, ["Big cats", "the big cats", "of big cats, and others"]))
    'big cats'
    """
    row = joined(words)
    if len(row) > MOST_CHARACTERS:
        return ""
    forms: list[str] = []
    for text, plain in texts:
        at = plain.find(row)
        while at >= 0 and not is_word(plain, at, row):
            at = plain.find(row, at + 1)
        if at >= 0:
            forms.append(text[at : at + len(row)])
            if len(forms) == WRITERS:
                break
    return max(forms, key=forms.count, default="")
