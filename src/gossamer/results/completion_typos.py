"""Which beginnings of words may have been meant by one that is mistyped once?"""

from __future__ import annotations

from collections.abc import Iterator

SHORTEST = 3  # characters; below, everything is one mistake away from everything
LONGEST = 24
_STEP = 0x80  # code points within which letters of one script stand


def likely_words(word: str, letters: str) -> Iterator[str]:
    """All that is one insertion, deletion, substitution or swap away, of these letters.

    Only letters near those of the word are put in: nobody types a Greek letter in a Russian word.

    >>> [one for one in likely_words("jga", "ag") if one in {"jag", "ja", "ga", "jaga", "jgag"}]
    ['ga', 'ja', 'jag', 'jaga', 'jgag']
    """
    if not SHORTEST <= len(word) <= LONGEST:
        return
    blocks = {ord(letter) // _STEP for letter in word}
    near = [letter for letter in letters if ord(letter) // _STEP in blocks]
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    yield from dict.fromkeys(head + tail[1:] for head, tail in cuts[:-1])
    yield from (head + tail[1] + tail[0] + tail[2:] for head, tail in cuts[:-2] if tail[0] != tail[1])
    for letter in near:
        yield from (head + letter + tail for head, tail in cuts)
        yield from (head + letter + tail[1:] for head, tail in cuts[:-1] if tail[0] != letter)
