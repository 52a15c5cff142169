"""Does the memory of this process lie in large pages?

A page of results reads a little here and there in hundreds of megabytes. In pages of 4 KB the processor must
look up most of these places in tables in memory, on a virtual machine twice over; in pages of 2 MB it knows
them. Linux gives them to those who ask: https://docs.kernel.org/admin-guide/mm/transhuge.html. Files keep
theirs, as reading 2 MB for every missing page would harm an index that is larger than the memory.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from pathlib import Path

LARGE = 1 << 21  # bytes
HUGEPAGE, COLLAPSE = 14, 25  # advice of madvise(2); the second is known from Linux 6.1 on, and made at once
_MAPS = Path("/proc/self/maps")
_ANONYMOUS = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p \S+ \S+ 0 +(?:\[heap\])?", re.ASCII)


def use_large_pages() -> int:
    """Asks for large pages for all memory that is no file's; how many were made at once.

    It says nothing where there are none: all that is lost is time.
    """
    madvise = getattr(ctypes.CDLL(None), "madvise", None) if _MAPS.exists() else None
    if madvise is None:
        return 0
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    made = 0
    for begin, end in _stretches(_MAPS.read_text(encoding="ascii")):
        madvise(begin, end - begin, HUGEPAGE)
        # One by one, as one that cannot be made would keep the others from it.
        made += sum(madvise(page, LARGE, COLLAPSE) == 0 for page in range(begin, end, LARGE))
    return made


def _stretches(maps: str) -> Iterator[tuple[int, int]]:
    """Where whole large pages fit into memory that is no file's.

    >>> list(_stretches("00100000-00900000 rw-p 00000000 00:00 0 \\n00a00000-01000000 r--p 0 00:00 7 /a"))
    [(2097152, 8388608)]
    """
    for line in maps.splitlines():
        if match := _ANONYMOUS.fullmatch(line):
            begin, end = (int(number, 16) for number in match.groups())
            begin, end = -(-begin // LARGE) * LARGE, end // LARGE * LARGE
            if begin < end:
                yield begin, end
