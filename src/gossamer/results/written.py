"""Which words of this text stand for terms of the query, as they are written there?

A text is cut at its blanks, over which no word reaches. Most of what stands between two of them begins as no
word does that would matter (`beginnings`); the rest was nearly always met in an earlier text, and so were its
words: a few operations on sets tell which of them stand for a term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain

from gossamer.results.beginnings import sought
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
        if self._memory.size > self.LARGEST:
            self._memory = _Memory(self._term_of)
        memory = self._memory  # another thread may put a new one in its place
        stretches: Iterable[str] = text.split()
        if self._language is not None and (narrow := sought(wanted, self._language)):
            wanted, stretches = narrow.terms, narrow.among(text)
        forms, bearers = memory.forms(stretches), memory.bearers
        found: dict[str, frozenset[str]] = {}
        for term in wanted:
            for form in bearers.get(term, ()):
                if form in forms:
                    found[form] = found.get(form, frozenset()) | {term}
        return found


class _Memory(dict[str, tuple[str, ...]]):
    """From what stands between two blanks to the words in it, as they are written; it fills itself."""

    def __init__(self, term_of: TermOf) -> None:
        super().__init__()
        self.bearers: dict[str, list[str]] = {}  # by term, all words met so far that stand for it
        self._alone: dict[str, tuple[str]] = {}  # each of these words, as what stands where nothing else does
        self._term_of = term_of

    @property
    def size(self) -> int:
        return len(self) + len(self._alone)

    def forms(self, stretches: Iterable[str]) -> set[str]:
        """What `written_forms` finds in them; the terms of each are known from now on."""
        return set(chain.from_iterable(map(self.__getitem__, stretches)))

    def __missing__(self, stretch: str) -> tuple[str, ...]:
        core = stretch.lstrip(_OPENING).rstrip(_CLOSING)
        forms = {core} if core.isascii() and core.isalnum() else written_forms(stretch)
        for form in forms.difference(self._alone):
            self._learn(form)
        found = self._alone[forms.pop()] if len(forms) == 1 else tuple(forms)
        if len(stretch) <= LONGEST_KEPT:
            self[stretch] = found
        return found

    def _learn(self, form: str) -> None:
        for term in set(self._term_of(form)):
            self.bearers.setdefault(term, []).append(form)
        self._alone[form] = (form,)  # last: another thread takes what stands here for known


def written_in(language: str) -> Written:
    """The memory of a language; those that are read alike share one."""
    return _of(analyser(language).language)


@cache
def _of(language: str) -> Written:
    return Written(analyser(language).terms, language)
