"""Which queries might others go on with?

Phrases that hold all words of the query and say more: known ones (`completion`), those that the best results
have words of first, and runs of words in the titles of the best results. Each adds another telling word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations

from gossamer.results.completion import Completions, Typed, folded_words
from gossamer.text.words import is_unspaced, joined, words, written_as

MOST = 8
MOST_ADDED = 3  # words that a related query adds
LOOKED_AT = 30  # known phrases
LONGEST_QUERY = 4  # words; longer ones say what is meant
SHORTEST = 3  # letters of a word that may have another ending
ENDING = 2  # letters
LEAST_TITLES = 2  # that a run of words stands in, where only titles speak for it


def related(
    query: str, titles: Sequence[str], stop_words: Collection[str], known: Completions | None = None
) -> tuple[str, ...]:
    """At most eight queries that say more than this one, of which the best results have these titles.

    >>> related("jaguar", ["Jaguar cars", "The Jaguar E-Type", "Jaguar cars of the sixties"], {"the", "of"})
    ('jaguar cars',)
    """
    asked = folded_words(query)
    if not 0 < len(asked) <= LONGEST_QUERY:
        return ()
    rows = [folded_words(title) for title in titles]
    said = frozenset(chain.from_iterable(rows))
    found: dict[frozenset[str], str] = {}  # by what is added
    for text in chain(_known(asked, said, known), _of_titles(asked, titles, rows, stop_words)):
        own = folded_words(text)
        added = frozenset(_added(own, asked)).difference(stop_words)
        if added and len(own) <= len(asked) + MOST_ADDED and not any(added >= other for other in found):
            found[added] = text
            if len(found) == MOST:
                break
    return tuple(found.values())


def _added(words: Sequence[str], asked: tuple[str, ...]) -> list[str]:
    """The words that are not asked for, in any ending."""
    # Whatever is a form begins so, and few words do.
    return [
        word
        for word in words
        if word not in asked and not (word.startswith(asked) and any(_is_form(word, one) for one in asked))
    ]


def _is_form(word: str, asked: str) -> bool:
    """Whether a word is another, perhaps with an ending: cats for cat."""
    if len(asked) < SHORTEST:
        return word == asked
    return word.startswith(asked) and len(word) <= len(asked) + ENDING


def _holds(words: Sequence[str], asked: Sequence[str]) -> bool:
    return all(any(_is_form(word, one) for word in words) for one in asked)


def _known(asked: tuple[str, ...], said: frozenset[str], known: Completions | None) -> Iterator[str]:
    """Known phrases with all words of the query, those with words of the best results first."""
    if known is None:
        return
    phrases = known.holding(Typed(asked, ""), LOOKED_AT)
    if len(phrases) < MOST:
        likely = known.holding(Typed(asked[:-1], asked[-1]), LOOKED_AT)
        phrases += [one for one in likely if one not in phrases and _holds(known.words_in(one), asked)]
    rows = [(phrase, _added(known.words_in(phrase), asked)) for phrase in phrases]
    ranked = sorted([(said.isdisjoint(own), phrase) for phrase, own in rows])
    yield from (known.text(phrase) for _, phrase in ranked)


def _of_titles(
    asked: tuple[str, ...], titles: Sequence[str], rows: Sequence[Sequence[str]], stop_words: Collection[str]
) -> Iterator[str]:
    """Runs of words that several titles have, and that hold all words of the query."""
    counted: Counter[str] = Counter()
    for title, row in zip(titles, rows, strict=True):
        counted.update(set(_runs(asked, title, row, stop_words)))
    often = {run: count for run, count in counted.items() if count >= LEAST_TITLES}
    whole = [(run, count) for run, count in often.items() if run.isascii() or not _is_cut(run, often)]
    yield from (run for run, _ in sorted(whole, key=lambda one: (-one[1], len(one[0]), one[0])))


def _is_cut(run: str, often: Mapping[str, int]) -> bool:
    """Whether a run in an unspaced script goes on in every title that has it, in the same way."""
    if not (is_unspaced(run[0]) or is_unspaced(run[-1])):
        return False
    return any(len(other) > len(run) and run in other and often[other] == often[run] for other in often)


def _runs(
    asked: tuple[str, ...], title: str, row: Sequence[str], stop_words: Collection[str]
) -> Iterator[str]:
    key = " ".join(("", *row))
    if not all(f" {one}" in key for one in asked):  # most titles; whatever is a form begins so
        return
    places = [[place for place, word in enumerate(row) if _is_form(word, one)] for one in asked]
    if not all(places):
        return
    forms = row if title.isascii() else written_as(title, words(title))
    tells = [place for place, form in enumerate(forms) if form not in stop_words]
    for begin, last in combinations(tells, 2):
        if len(asked) <= last - begin < len(asked) + MOST_ADDED and all(
            any(begin <= place <= last for place in own) for own in places
        ):
            yield joined(forms[begin : last + 1])
