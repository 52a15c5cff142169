"""Which number has this string? The first one to come has 0, the next new one 1, and so on.

The strings stand one behind the other in one array of bytes, and a kernel finds them by their bytes: a
million of them are no Python objects.
"""

from __future__ import annotations

import os
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gossamer.text.order_kernel import heads_of, sort_alike
from gossamer.text.strings_kernel import move_all, number_lines, write_lines

CODING = ("utf-8", "surrogatepass")
FIRST_SLOTS = 1 << 12

Scalar = TypeVar("Scalar", bound=np.generic)


class Strings:
    """Numbered strings of UTF-8 without line feeds and NUL bytes. One thread at a time may add to it.

    What has been numbered never changes, so others may read it meanwhile.
    """

    def __init__(self) -> None:
        self.known = 0
        self.slots = np.zeros((FIRST_SLOTS, 2), np.uint64)
        self.arena = np.empty(0, np.uint8)
        self.bounds = np.zeros(1, np.int64)
        self.seed = np.uint64(int.from_bytes(os.urandom(8), "little"))

    def __len__(self) -> int:
        return self.known

    def __getitem__(self, number: int) -> str:
        return self.arena[self.bounds[number] : self.bounds[number + 1]].tobytes().decode(*CODING)

    @property
    def memory(self) -> int:
        """About how many bytes it takes; what is reserved and not yet used is given by no system."""
        return self.slots.nbytes + 8 * self.known + int(self.bounds[self.known])

    def number(self, lines: bytes, count: int) -> NDArray[np.uint32]:
        """The numbers of so many lines, each ended by a line feed.

        >>> strings = Strings()
        >>> strings.number(b"jaguar\\ncat\\njaguar\\n", 3).tolist(), strings[1]
        ([0, 1, 0], 'cat')
        """
        self.make_room(count, len(lines))
        self.make_slots(self.known + count)
        numbers = np.empty(count, np.uint32)
        data, known = np.frombuffer(lines, np.uint8), self.known
        try:
            self.known = number_lines(data, self.slots, self.arena, self.bounds, self.seed, known, numbers)
        except BaseException:
            self.keep(known, len(self.slots))  # an interruption must not leave slots whose numbers count not
            raise
        return numbers

    def lines(self, numbers: NDArray[np.uint32]) -> bytes:
        """The strings of these numbers, each ended by a line feed."""
        return write_lines(self.arena, self.bounds, numbers).tobytes()

    def in_order(self, numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The same numbers in the order of the strings' bytes."""
        arena, bounds = self.arena, self.bounds
        heads = heads_of(arena, bounds, numbers)
        order = np.argsort(heads)
        ordered = numbers[order]
        sort_alike(arena, bounds, heads[order], ordered)
        return ordered

    def make_room(self, strings: int, size: int) -> None:
        """Room for so many more strings and so many bytes of them."""
        self.bounds = with_room(self.bounds, self.known + 1, strings)
        self.arena = with_room(self.arena, int(self.bounds[self.known]), size)

    def make_slots(self, known: int) -> None:
        """Slots of which at most half are taken when so many strings are known."""
        slots = len(self.slots)
        while 2 * known >= slots:
            slots *= 2
        if slots > len(self.slots):
            self.keep(known, slots)

    def keep(self, known: int, slots: int) -> None:
        """Puts so many strings, the first ones, into new slots. What came after them is forgotten."""
        self.known = min(self.known, known)
        old, self.slots = self.slots, np.zeros((slots, 2), np.uint64)
        move_all(old, self.slots, known, self.seed)


def with_room(array: NDArray[Scalar], used: int, wanted: int) -> NDArray[Scalar]:
    """The array, or a larger copy of its used part when fewer than the wanted places are free."""
    if len(array) - used >= wanted:
        return array
    larger = np.empty(max(2 * len(array), used + wanted), array.dtype)
    larger[:used] = array[:used]
    return larger
