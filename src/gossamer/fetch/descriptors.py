"""How many connections can this process have open, and was it our own lack of them that failed?

Each connection takes a file descriptor, and so do names that are looked up, pages that are stored and workers
that read. A crawl of many hosts meets the limit sooner than any other limit of the machine.
"""

from __future__ import annotations

import errno
import os

from gossamer.disk import most_open

RESERVED = 128  # for databases, page stores, workers and the name service

_STARVED = frozenset({errno.EMFILE, errno.ENFILE})


def spare_descriptors() -> int:
    """How many descriptors connections may take."""
    usable = most_open()
    return max(usable - RESERVED, usable // 2)


def is_starved(error: BaseException) -> bool:
    """Whether an error comes of our own lack of descriptors; a failed look-up of a name may hide it."""
    causes = (error, error.__cause__)
    if any(isinstance(cause, OSError) and cause.errno in _STARVED for cause in causes):
        return True
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as refused:
        return refused.errno in _STARVED
    return False
