"""Where may a word be parted that few pages hold, because others write it as two?

Both parts must be words that the collection knows, and the rarer one as frequent as can be. Long words need
no more: their parts, one right behind the other, hardly mean anything else. Short ones, and those of which a
single letter is parted, fall into scraps that meet by chance ("atone" and "at one"). They are parted only
where most of the pages with both parts in a row join them by a sign, as in "Wi-Fi" and "e-mail". A border
between letters and digits parts by itself: `covid19` is "COVID-19", `utf8` is "UTF-8".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from gossamer.index.snapshot import Snapshot
from gossamer.index.stored_document import title_and_text
from gossamer.search.simple import read_words
from gossamer.search.together import side_by_side_in
from gossamer.text.analysis import fold
from gossamer.text.characters import folded
from gossamer.text.readers import Readers

SHORTEST = 4  # letters of a word that is parted
SHORTEST_SURE = 6  # of one whose parts need not be looked at in pages
SHORTEST_PART = 2  # in it
LONGEST = 40
TRIED = 3  # places in one word that are looked for in pages
LOOKED_AT = 8  # pages with both parts in a row
LONGEST_TEXT = 20_000  # bytes of each that are read

JOINING = "-\u2010\u2012\u2013./_'\u2019\u00b7"  # signs

Frequencies = Callable[[Sequence[str]], Sequence[int]]  # how many pages hold each word, in any language
Parts = tuple[str, str]
Joined = Callable[[Parts], bool]  # whether pages mostly join these two where they stand in a row


def parted(words: Sequence[str], frequencies: Frequencies, joined: Joined) -> dict[str, Parts]:
    """The two parts of each word that has them."""
    places = {word: list(_places(word)) for word in words if SHORTEST <= len(word) <= LONGEST}
    held = _held([parts for several in places.values() for parts in several], frequencies)
    found: dict[str, Parts] = {}
    for word, several in places.items():
        known = [parts for parts in several if held.get(parts[0]) and held.get(parts[1])]
        known.sort(key=lambda parts: -min(held[parts[0]], held[parts[1]]))
        for parts in known[:TRIED]:
            if _is_sure(parts) or joined(parts):
                found[word] = parts
                break
    return found


def _held(pairs: Iterable[Parts], frequencies: Frequencies) -> dict[str, int]:
    """How many pages hold each part; the shorter one is looked up only where some hold the longer one."""
    by_length = [sorted(pair, key=len) for pair in pairs]
    longer = list(dict.fromkeys(pair[1] for pair in by_length))
    held = dict(zip(longer, frequencies(longer), strict=True)) if longer else {}
    shorter = list(dict.fromkeys(pair[0] for pair in by_length if held[pair[1]] and pair[0] not in held))
    return held | (dict(zip(shorter, frequencies(shorter), strict=True)) if shorter else {})


def _places(word: str) -> Iterator[Parts]:
    """Where a word can be parted at all; among letters and digits only at their border."""
    for at in range(1, len(word)):
        if word.isalpha() or word[at - 1].isdigit() != word[at].isdigit():
            yield word[:at], word[at:]


def _is_sure(parts: Parts) -> bool:
    first, second = parts
    if first.isdigit() or second.isdigit():
        return True
    return len(first + second) >= SHORTEST_SURE and min(map(len, parts)) >= SHORTEST_PART


def joined_in_pages(snapshots: Sequence[Snapshot], readers: Readers, parts: Parts) -> bool:
    """Whether most of some pages that hold two words in a row have a sign between them."""
    first, second = map(fold, parts)
    written = [first + sign + second for sign in JOINING]
    texts = [fold(folded(text)) for text in _texts_with(snapshots, readers, parts)]
    signed = sum(any(_begins_with(text, one) for one in written) for text in texts)
    return bool(texts) and 2 * signed >= len(texts)


def _begins_with(text: str, written: str) -> bool:
    """Whether a word of a text begins so."""
    at = text.find(written)
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at = text.find(written, at + 1)
    return at >= 0


def _texts_with(snapshots: Sequence[Snapshot], readers: Readers, parts: Parts) -> Iterator[str]:
    """The texts of some pages that hold two words in a row; which, does not depend on partitions."""
    first, second = read_words(parts, readers)
    places = []
    for view in (view for snapshot in snapshots for view in snapshot.views):
        docs = side_by_side_in(view, (first, second))
        pages = view.segment.columns.fingerprints[docs]
        few = np.argsort(pages)[:LOOKED_AT]
        places += [(int(pages[place]), view.segment, int(docs[place])) for place in few]
    for _, segment, doc in sorted(places, key=lambda place: place[0])[:LOOKED_AT]:
        stored = segment.stored
        title, text = title_and_text(stored.at(int(stored.slots[doc])))
        yield b"\n".join([title, text[:LONGEST_TEXT]]).decode("utf-8", "ignore")
