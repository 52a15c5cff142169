"""Which words of this text stand for terms of the query, as they are written there?

A text is cut at its blanks, over which no word reaches. Most of what stands between two of them begins as no
word does that would matter (`beginnings`); the rest was nearly always met in an earlier text, and so were its
words and their terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain

from gossamer.results.beginnings import Sought, sought
from gossamer.text.analysis import analyser
from gossamer.text.words import written_forms

TermOf = Callable[[str], Iterable[str]]

# Around letters and digits of ASCII they change nothing; # @ + . before a word, or + # behind it, may.
_OPENING = "([{<\"'"
_CLOSING = ".,;:!?)]}>\"'"
LONGEST_KEPT = 40  # characters between two blanks; a sentence without any does not come again


class Written:
    """What was met so far in one language, where `term_of(word)` gives the terms that a word stands for.

    Where the language is named, words that cannot stand for a wanted term are passed over.

    Threads may share it: what one of them adds takes nothing from the others.
    """

    LARGEST = 200_000  # words and stretches remembered, about 40 MB; beyond it the memory starts anew

    def __init__(self, term_of: TermOf, language: str | None = None) -> None:
        self._term_of = term_of
        self._language = language
        self._memory = _Memory(term_of)

    def bearers(self, text: str, wanted: frozenset[str]) -> dict[str, frozenset[str]]:
        """The words of a text that stand for any of the wanted terms, as they are written, and for which.

        >>> found = written_in("en").bearers("A jaguar, the JAGUARS' family", frozenset({"jaguar\\x1fen"}))
        >>> sorted(found)
        ['JAGUARS', 'jaguar']
        """
        known, memory = self.sought(wanted), self._remembered()
        terms, own = memory.terms, known.terms if known else wanted
        forms = memory.forms(known.among(text) if known else text.split())
        found = ((form, own.intersection(terms[form])) for form in forms)
        return {form: borne for form, borne in found if borne}

    def sought(self, wanted: frozenset[str]) -> Sought | None:
        """How words begin that stand for the wanted terms, where that is known."""
        return None if self._language is None else sought(wanted, self._language)

    def terms(self, form: str) -> tuple[str, ...]:
        """The terms that a word stands for, as it is written."""
        return self._remembered().terms[form]

    def _remembered(self) -> _Memory:
        if self._memory.size > self.LARGEST:
            self._memory = _Memory(self._term_of)
        return self._memory  # another thread may put a new one in its place


class _Memory(dict[str, tuple[str, ...]]):
    """From what stands between two blanks to the words in it, as they are written; it fills itself."""

    def __init__(self, term_of: TermOf) -> None:
        super().__init__()
        self.terms = _Terms(term_of)

    @property
    def size(self) -> int:
        return len(self) + len(self.terms)

    def forms(self, stretches: Iterable[str]) -> set[str]:
        """What `written_forms` finds in them."""
        return set(chain.from_iterable(map(self.__getitem__, stretches)))

    def __missing__(self, stretch: str) -> tuple[str, ...]:
        core = stretch.lstrip(_OPENING).rstrip(_CLOSING)
        found = (core,) if core.isascii() and core.isalnum() else tuple(written_forms(stretch))
        if len(stretch) <= LONGEST_KEPT:
            self[stretch] = found
        return found


class _Terms(dict[str, tuple[str, ...]]):
    """From a word as it is written to the terms that it stands for; it fills itself."""

    def __init__(self, term_of: TermOf) -> None:
        super().__init__()
        self._term_of = term_of

    def __missing__(self, form: str) -> tuple[str, ...]:
        found = self[form] = tuple(self._term_of(form))
        return found


def written_in(language: str) -> Written:
    """The memory of a language; those that are read alike share one."""
    return _of(analyser(language).language)


@cache
def _of(language: str) -> Written:
    return Written(analyser(language).terms, language)
