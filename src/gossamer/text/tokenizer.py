# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return"
# ruff: noqa: PLR0912, PLR0915
"""Compiled tokenizer: UTF-8 to word numbers.

A kernel splits UTF-8 into runs, the text between bytes that never belong to words, and numbers them. Nearly
all runs are ASCII letters and digits, and each is one word. Every other run is passed once to `words`, which
finds no word, one or several. The result is exactly `words(text)` as one number per word, at the cost of one
hash table lookup. The table is kept between texts, because most runs of a page occurred on an earlier one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import kernel, kernel_part, prefetch
from gossamer.text.strings import CODING, HALF, LONG, LOW, Strings, home_of, key_of, number_in, with_room
from gossamer.text.terms import WORD_ONLY, Terms
from gossamer.text.utf8 import (
    BYTES,
    EIGHT,
    FIRST_TOP,
    FIVE_TOPS,
    JOINTS,
    LETTER,
    ONE,
    PARTING,
    SEVEN,
    SIGNS,
    SIX,
    SMALL_BITS,
    THREE,
    TOPS,
    TWO,
    UNSPACED,
    WIDTHS,
    ZERO,
    before_stop,
    begins_tag,
    eight_at,
    goes_on,
    is_digit,
    kind_of,
    nuls_in,
    pairs_from,
    run_from,
    stops_in,
)
from gossamer.text.words import words

# Kernels: cut and number runs of UTF-8
# -------------------------------------
#
# Nearly all runs are short words of ASCII. They are read eight bytes at a time, and are stored as
# they are in a slot of the string table (`text.strings`). Most slots are not in a processor cache,
# so they are prefetched while the next runs are split. Indices are unsigned, because Numba checks
# each signed index for being negative.

END = "\0"  # after each text
BEHIND = "\n" * 16  # after the last text: the kernel reads 16 bytes at each run
NUL, BEYOND_ASCII = ord(END), 0x80
MANY = np.uint32(1 << 31)  # plus a position in a list, in place of a word: the run has no word or several
AHEAD = 32  # runs that are split before the first of them is looked up


@kernel_part
def number_all(
    data: NDArray[np.uint8],
    keys: NDArray[np.uint64],
    spans: NDArray[np.uint64],
    are_ascii: NDArray[np.bool_],
    slots: NDArray[np.uint64],
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    seed: np.uint64,
    known: np.uint64,
    found: NDArray[np.uint32],
    filled: np.uint64,
    count: np.uint64,
) -> np.uint64:
    """Store the numbers of the last `count` runs. Return how many runs are known then."""
    mask = np.uint64(len(slots) - 1)
    for i in range(count):
        first, second = keys[i, ZERO], keys[i, ONE]
        slot = home_of(first, second, seed) & mask
        content = slots[slot, 1]
        # Nearly always the run is short and known. Calling a function here would take a quarter of the whole
        # time.
        if slots[slot, 0] == first and content >> HALF == second and second != LONG and content != ZERO:
            run = (content & LOW) - ONE
        else:
            begin, end = spans[i, ZERO], spans[i, ONE]
            run = number_in(data, begin, end, are_ascii[i], first, second, slots, arena, bounds, seed, known)
            known += np.uint64(run == known)
        found[filled - count + i] = np.uint32(run)
    return known


@kernel
def cut(
    data: NDArray[np.uint8],
    slots: NDArray[np.uint64],
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    seed: np.uint64,
    found: NDArray[np.uint32],
    found_ends: NDArray[np.uint64],
    state: NDArray[np.uint64],
) -> None:
    """Split several texts into runs. The texts are one array of UTF-8.

    Each text is followed by `END`, and the last one also by `BEHIND`. A boundary is valid if no word and no
    composition of characters can cross it. An ASCII character never composes with the character before it. So
    only few ASCII characters can continue a run (`goes_on`). Examples are an apostrophe if an s may follow,
    and an underscore if it may decide whether that s ends a word. A word with a sign before it may be a tag.
    Han, kana and Hangul are split into pairs of characters, unless the next character may belong to them.

    state: position, end of the pairs, number of known runs, number of runs found, text. It is updated in each
    call, because the kernel stops soon after half of the slots are used. `arena` and `bounds` have room for
    all runs.
    """
    at, pairs_end, known, filled, text = state[0], state[1], state[2], state[3], state[4]
    size = np.uint64(len(data) - len(BEHIND))
    mask = np.uint64(len(slots) - 1)
    most = np.uint64(len(slots) // 2)
    keys, spans = np.empty((AHEAD, 2), np.uint64), np.empty((AHEAD, 2), np.uint64)
    are_ascii, cut_ahead, ahead = np.empty(AHEAD, np.bool_), ZERO, np.uint64(AHEAD)
    is_tag = False
    while at < size and known < most:
        eight = eight_at(data, at)
        stops = stops_in(eight)
        if stops & FIRST_TOP != ZERO:
            if data[at] == NUL:
                found_ends[text] = filled
                text += ONE
                at += ONE
                continue
            if data[at] < BEYOND_ASCII:
                others = (~stops | eight | nuls_in(eight)) & TOPS
                if others == ZERO:
                    # A sign before a word is handled together with the word.
                    at += SEVEN if SIGNS[data[at + SEVEN]] else EIGHT
                    continue
                at += before_stop(others)[0]
                if not SIGNS[data[at - ONE]] or not begins_tag(data, at):
                    continue
                is_tag = True
            elif kind_of(data[at], data[at + ONE], data[at + TWO]) == PARTING:
                at += np.uint64(WIDTHS[data[at]])
                continue
        begin = at
        ascii_only = True
        first, second = eight | SMALL_BITS, ZERO
        if is_tag:
            begin = at - ONE
            end, ascii_only = run_from(data, at, size, False)
            first, second = key_of(data, begin, end, ascii_only, seed)
            at = end
            is_tag = False
        else:
            if stops != ZERO:
                length, bits = before_stop(stops)
                first &= bits
                end = begin + length
            else:
                eight = eight_at(data, at + EIGHT)
                stops = stops_in(eight) & FIVE_TOPS
                length, bits = before_stop(stops)
                second = (eight | SMALL_BITS) & bits
                end = begin + EIGHT + length if stops != ZERO else begin
            if end == begin or (JOINTS[data[end]] and goes_on(data, begin, end)):
                plain = True
                if at >= pairs_end and kind_of(data[at], data[at + ONE], data[at + TWO]) == UNSPACED:
                    pairs_end = pairs_from(data, at)
                    plain = pairs_end > at
                if at < pairs_end:
                    ascii_only = False
                    end = min(begin + SIX, pairs_end)
                    at = pairs_end if end == pairs_end else begin + THREE
                else:
                    end, ascii_only = run_from(data, begin, size, plain)
                    at = end
                first, second = key_of(data, begin, end, ascii_only, seed)
            else:
                at = end + np.uint64(data[end] != NUL)
        prefetch(slots, TWO * (home_of(first, second, seed) & mask))
        keys[cut_ahead, 0], keys[cut_ahead, 1], are_ascii[cut_ahead] = first, second, ascii_only
        spans[cut_ahead, 0], spans[cut_ahead, 1] = begin, end
        cut_ahead += ONE
        filled += ONE
        if cut_ahead == ahead:
            known = number_all(
                data, keys, spans, are_ascii, slots, arena, bounds, seed, known, found, filled, cut_ahead
            )
            cut_ahead = ZERO
    known = number_all(
        data, keys, spans, are_ascii, slots, arena, bounds, seed, known, found, filled, cut_ahead
    )
    state[0], state[1], state[2], state[3], state[4] = at, pairs_end, known, filled, text


@kernel
def learn(
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    before: int,
    known: int,
    words: NDArray[np.uint32],
    others: NDArray[np.uint32],
) -> int:
    """Set runs of ASCII letters and digits as their own words. List the other runs and return their number.

    A number with letters after it is listed too: they may be a unit.
    """
    count = ZERO
    for run in range(np.uint64(before), np.uint64(known)):
        at, end = np.uint64(bounds[run]), np.uint64(bounds[run + ONE])
        while at < end and arena[at] < BEYOND_ASCII and BYTES[arena[at]] == LETTER:
            at += ONE
        words[run] = np.uint32(run)
        if at < end or (is_digit(arena[bounds[run]]) and not is_digit(arena[end - ONE])):
            others[count] = np.uint32(run)
            count += ONE
    return count


@kernel
def expand(
    found: NDArray[np.uint32],
    found_ends: NDArray[np.uint64],
    words: NDArray[np.uint32],
    many_starts: NDArray[np.int64],
    many_words: NDArray[np.uint32],
    counts: NDArray[np.uint32],
) -> NDArray[np.uint32]:
    """Return the words of runs. `counts` receives the number of words of each text.

    Run r has the word words[r]. If that is MANY + m, it has the words many_words[many_starts[m] :
    many_starts[m + 1]].
    """
    total = len(found)
    for i in range(len(found)):
        if words[found[i]] >= MANY:
            many = words[found[i]] - MANY
            total += many_starts[many + 1] - many_starts[many] - 1
    out = np.empty(total, np.uint32)
    filled, i = ZERO, ZERO
    for text in range(len(found_ends)):
        before = filled
        while i < found_ends[text]:
            word = words[found[i]]
            if word < MANY:
                out[filled] = word
                filled += ONE
            else:
                for w in range(many_starts[word - MANY], many_starts[word - MANY + 1]):
                    out[filled] = many_words[w]
                    filled += ONE
            i += ONE
        counts[text] = filled - before
    return out


@kernel
def number_anew(numbers: NDArray[np.uint32], places: NDArray[np.uint32], taken: int) -> NDArray[np.uint32]:
    """Replace numbers by their positions in the order of first appearance; return the new ones.

    `places` holds the position of each number plus 1, or 0 if it has not appeared. `taken` positions are in
    use.
    """
    new = np.empty(len(numbers), np.uint32)
    appeared = 0
    for i in range(len(numbers)):
        number = numbers[i]
        if places[number] == 0:
            new[appeared] = number
            appeared += 1
            places[number] = taken + appeared
        numbers[i] = places[number] - np.uint32(1)
    return new[:appeared].copy()


class Tokenizer:
    """All runs so far, and the words of each. Threads may share it."""

    LARGEST = 100_000_000  # bytes, about 700,000 words; then `shared_runs` makes a new one

    def __init__(self) -> None:
        self.strings = Strings()  # the number of a word is that of the run that consists of it
        self.terms = Terms(self.strings)
        self._words = np.empty(0, np.uint32)  # by run: its word, or `MANY` plus the position of its words
        self._many = 0  # number of runs with no word or several
        self._many_starts = np.zeros(1, np.int64)
        self._many_words = np.empty(0, np.uint32)
        self._lock = Lock()

    def __len__(self) -> int:
        """Upper bound of the word numbers."""
        return len(self.strings)

    def word(self, number: int) -> str:
        return self.strings[number].removeprefix(WORD_ONLY)

    @property
    def memory(self) -> int:
        """Approximate memory in bytes."""
        words = 4 * len(self.strings) + 8 * self._many + 4 * int(self._many_starts[self._many])
        return self.strings.memory + words + self.terms.memory

    @property
    def is_full(self) -> bool:
        return self.memory > self.LARGEST

    def number(self, texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the words of all texts as numbers, one text after the other, and the word count of each.

        >>> tokenizer = Tokenizer()
        >>> numbers, counts = tokenizer.number(["The Jaguar's paws", "the jaguar"])
        >>> [tokenizer.word(number) for number in numbers.tolist()], counts.tolist()
        (['the', 'jaguar', 'paws', 'the', 'jaguar'], [3, 2])
        """
        return self._number(_joined(texts), len(texts))

    def number_utf8(self, texts: Sequence[bytes]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the same as `number`, for texts in UTF-8."""
        return self._number(_joined_utf8(texts), len(texts))

    def _number(self, data: NDArray[np.uint8], texts: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        counts = np.empty(texts, np.uint32)
        with self._lock:
            found, found_ends = self._cut(data, texts)
            return (
                expand(found, found_ends, self._words, self._many_starts, self._many_words, counts),
                counts,
            )

    def _cut(self, data: NDArray[np.uint8], texts: int) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        runs, before, most = self.strings, self.strings.known, len(data) // 2 + 1
        size = len(data) - len(BEHIND)
        runs.make_room(most, 2 * len(data))  # pairs overlap
        found, found_ends = np.empty(most, np.uint32), np.empty(texts, np.uint64)
        state = np.array([0, 0, before, 0, 0], np.uint64)
        try:
            while state[0] < size:
                runs.make_slots(int(state[2]))
                cut(data, runs.slots, runs.arena, runs.bounds, runs.seed, found, found_ends, state)
            runs.known = int(state[2])
            self._learn(before)
        except BaseException:
            runs.keep(before, len(runs.slots))  # after an interruption, no run may lack its words
            raise
        return found[: state[3]], found_ends

    def _learn(self, before: int) -> None:
        """Find the words of the new runs."""
        runs = self.strings
        known = runs.known
        if known == before:
            return
        self._words = with_room(self._words, before, known - before)
        others = np.empty(known - before, np.uint32)
        others = others[: learn(runs.arena, runs.bounds, before, known, self._words, others)]
        if len(others):
            self._learn_others(others)

    def _learn_others(self, others: NDArray[np.uint32]) -> None:
        """Find the words of the runs that are not plain ASCII."""
        runs = self.strings
        texts = runs.lines(others).decode(*CODING).split("\n")[:-1]
        found = [words(text) for text in texts]
        named = [
            word if one == [text] else _named(word)
            for text, one in zip(texts, found, strict=True)
            for word in one
        ]
        known = runs.known
        numbers = runs.number("".join(f"{name}\n" for name in named).encode(*CODING), len(named))
        self._words = with_room(self._words, known, runs.known - known)
        self._words[known : runs.known] = np.arange(known, runs.known)
        self._remember(others, np.array([len(one) for one in found]), numbers)

    def _remember(
        self, runs: NDArray[np.uint32], sizes: NDArray[np.int64], numbers: NDArray[np.uint32]
    ) -> None:
        """Store the words of runs: run i has sizes[i] words. `numbers` are the words of all runs in order."""
        one = sizes == 1
        in_one = np.repeat(one, sizes)
        self._words[runs[one]] = numbers[in_one]
        many, rest = sizes[~one], numbers[~in_one]
        begin, end = self._many, self._many + len(many)
        used = int(self._many_starts[begin])
        self._many_words = with_room(self._many_words, used, len(rest))
        self._many_words[used : used + len(rest)] = rest
        self._many_starts = with_room(self._many_starts, begin + 1, len(many))
        self._many_starts[begin + 1 : end + 1] = used + np.cumsum(many)
        self._words[runs[~one]] = MANY + np.arange(begin, end, dtype=np.uint32)
        self._many = end


def _joined(texts: Sequence[str]) -> NDArray[np.uint8]:
    """Return all texts as UTF-8, with `END` after each and `BEHIND` at the end."""
    data = np.frombuffer(END.join([*texts, BEHIND]).encode(*CODING), np.uint8)
    if np.count_nonzero(data) + len(texts) < len(data):
        # `END` occurs in a text. There it separates words as a space does.
        return _joined([text.replace(END, " ") for text in texts])
    return data


def _joined_utf8(texts: Sequence[bytes]) -> NDArray[np.uint8]:
    joined = END.encode().join([*texts, BEHIND.encode()])
    if joined.count(END.encode()) > len(texts):
        return _joined_utf8([text.replace(END.encode(), b" ") for text in texts])
    return np.frombuffer(joined, np.uint8)


def _named(word: str) -> str:
    """Return the run for a word: the word itself, unless `words` would return something else for it."""
    return word if words(word) == [word] else WORD_ONLY + word


_SHARED_LOCK = Lock()
_shared = cache(Tokenizer)


def shared_runs() -> Tokenizer:
    """Return the tokenizer of the process. A caller may keep it after it has been replaced by a new one."""
    with _SHARED_LOCK:
        if _shared().is_full:
            _shared.cache_clear()
        return _shared()
