"""How is a word read in each of several languages?

A query's words are read in all languages that a collection speaks, dozens of times in one search. Readings
are remembered as a whole, and several words that are new are stemmed at once: both take a fraction of the
time that one look-up a language does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gossamer.text.analysis import Analyser, analyser
from gossamer.text.words import LONGEST_WORD

REMEMBERED = 20_000  # words; beyond it the memory starts anew

Terms = tuple[str, ...]  # of one word, in each language


class Readers(tuple[Analyser, ...]):
    """The different ways to read a word in some languages. Threads may share it.

    >>> [term[:-1].rstrip(chr(31)) for term in Readers.of(["en", "la"]).read("ruling")]
    ['rule\\x1fe', 'ruling']
    """

    _known: dict[str, Terms]

    @classmethod
    def of(cls, languages: Iterable[str]) -> Readers:
        made = cls({one.language: one for one in map(analyser, languages)}.values())
        made._known = {}
        return made

    def read(self, word: str) -> Terms:
        return self._known.get(word) or self.read_all([word])[0]

    def read_all(self, words: Sequence[str], remembered: bool = True) -> list[Terms]:
        """The terms of each word."""
        found = {word: terms for word in words if (terms := self._known.get(word))}
        if len(found) < len(words) and (new := [*dict.fromkeys(one for one in words if one not in found)]):
            read = dict(zip(new, self._read(new), strict=True))
            found |= read
            if remembered:
                if len(self._known) + len(new) > REMEMBERED:
                    self._known.clear()
                self._known.update(read)
        return [found[word] for word in words]

    def _read(self, words: Sequence[str]) -> list[Terms]:
        if not self:
            return [()] * len(words)
        are_plain = _are_plain(words)
        rows = self._read_plain(words) if are_plain else [[one[word] for word in words] for one in self]
        return list(zip(*rows, strict=True))

    def _read_plain(self, words: Sequence[str]) -> list[list[str]]:
        """The same of words of ASCII.

        What stemmers leave is looked at once for all languages: each look takes as long as a stem.
        """
        stems = [one.plain_stems(words) for one in self]
        are_plain = _are_plain([stem for own in stems for stem in own])
        return [
            [stem + one.mark for stem in own]
            if are_plain or _are_plain(own)
            else [one[word] for word in words]
            for one, own in zip(self, stems, strict=True)
        ]


def _are_plain(words: Sequence[str]) -> bool:
    """Whether all are ASCII, none is empty, and none is longer than a word may be."""
    return all(words) and "".join(words).isascii() and max(map(len, words), default=0) <= LONGEST_WORD
