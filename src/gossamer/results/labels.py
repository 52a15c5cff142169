"""What is a group of results called?

By the phrase that tells it best from the others (`phrases`), if that stands so in the texts of its results,
and no other group is called by the same words. It is written as most of the best results write it.
Before a single word comes a phrase around it that is nearly as good.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from gossamer.results.clustering import Group
from gossamer.results.likeness import Shared
from gossamer.results.phrases import Phrase
from gossamer.text.characters import small
from gossamer.text.words import is_unspaced, is_word

LONGER = 0.7  # of the score of a word that a phrase around it must have to be shown instead
WRITERS = 3  # results of a group, the best that hold a phrase, say how it is written
MOST_CHARACTERS = 40  # of a label
_SITE = re.compile(r"(.*\S)\s+[-|–—·•»:]+\s+(\S.*)", re.DOTALL)


def without_site_names(titles: Sequence[str]) -> list[str]:
    """Titles without what several of them end in behind a dash or a bar.

    >>> without_site_names(["Jaguar - Wildcats", "Puma - Wildcats", "Mac OS X - Jaguar"])
    ['Jaguar', 'Puma', 'Mac OS X - Jaguar']
    """
    parts = [_SITE.fullmatch(title) for title in titles]
    ends = Counter([part[2] for part in parts if part])
    return [
        part[1] if part and ends[part[2]] > 1 else title for title, part in zip(titles, parts, strict=True)
    ]


def labels(
    found: Sequence[Sequence[Phrase]],
    groups: Sequence[Group],
    texts: Sequence[str],
    words: Shared,
    words_of: Callable[[Phrase], Sequence[str]],
) -> list[str]:
    """A label for each group, "" where none can be found; `texts` are those of the results."""
    taken: list[set[int]] = []
    return [
        _label(own, [texts[place] for place in group], words, words_of, taken)
        for own, group in zip(found, groups, strict=True)
    ]


def _label(
    found: Sequence[Phrase],
    texts: Sequence[str],
    words: Shared,
    words_of: Callable[[Phrase], Sequence[str]],
    taken: list[set[int]],
) -> str:
    """The first phrase that stands so in the texts, and does not say what another label says."""
    for phrase in _longer_first(found, words):
        terms = _terms(phrase, words)
        if any(terms <= other or other <= terms for other in taken):
            continue
        if label := written(words_of(phrase), texts):
            taken.append(terms)
            return label
    return ""


def _terms(phrase: Phrase, words: Shared) -> set[int]:
    return set(words.terms[phrase.first : phrase.first + phrase.length].tolist())


def _longer_first(found: Sequence[Phrase], words: Shared) -> Iterator[Phrase]:
    """The phrases, before a single word those that hold it and are nearly as good."""
    for place, phrase in enumerate(found):
        if phrase.length == 1:
            behind = [one for one in found[place + 1 :] if one.length > 1]
            good = [one for one in behind if one.score >= LONGER * phrase.score]
            yield from [one for one in good if _terms(phrase, words) < _terms(one, words)]
        yield phrase


def written(words: Sequence[str], texts: Sequence[str]) -> str:
    """How texts write words in a row; "" where none has them side by side.

    >>> written(["big", "cats"], ["Big cats", "the big cats", "of big cats, and others"])
    'big cats'
    """
    joined = _joined(words)
    forms: Counter[str] = Counter()
    for text in texts:
        plain = small(text)
        at = plain.find(joined) if len(plain) == len(text) else -1
        while at >= 0 and not is_word(plain, at, joined):
            at = plain.find(joined, at + 1)
        if at >= 0:
            forms[text[at : at + len(joined)]] += 1
            if forms.total() >= WRITERS:
                break
    return max(forms, key=forms.__getitem__, default="") if len(joined) <= MOST_CHARACTERS else ""


def _joined(words: Sequence[str]) -> str:
    """Words as they stand in a text; the pieces of unspaced scripts overlap."""
    whole = words[0]
    for word in words[1:]:
        whole += word[-1] if is_unspaced(word) and is_unspaced(whole[-1]) else f" {word}"
    return whole
