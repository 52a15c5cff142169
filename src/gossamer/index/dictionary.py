"""Which number has this term in the segment, and how is it written by people?

The terms stand in a marisa trie (recursive, compressed, memory-mapped, with prefixes). Beside it the most
frequent written form of each term, because a stem is nothing to show to a person.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import marisa_trie
import numpy as np
import zstandard
from isal.isal_zlib import crc32

from gossamer.disk import new_file
from gossamer.index.files import read_arrays, write_arrays
from gossamer.model import DamagedFile

FORMS_LEVEL = 3  # of zstandard: 6 saves 7% of the little room that forms take, at more than twice the time


class Dictionary:
    """The terms of a segment; a term's number is its place in the trie."""

    def __init__(self, trie: marisa_trie.Trie, packed_forms: bytes) -> None:
        self._trie = trie
        self._packed_forms = packed_forms
        self._forms: list[str] | None = None

    def __len__(self) -> int:
        return len(self._trie)

    def number(self, term: str) -> int:
        """The term's number, or -1."""
        found: int = self._trie.get(term, -1)
        return found

    def term(self, number: int) -> str:
        key: str = self._trie.restore_key(number)
        return key

    def terms(self, prefix: str = "") -> Iterator[str]:
        yield from self._trie.iterkeys(prefix)

    def form(self, number: int) -> str:
        """The term as people write it most often."""
        return self.forms()[number]

    def forms(self) -> list[str]:
        if self._forms is None:
            self._forms = zstandard.decompress(self._packed_forms).decode().split("\n")
        return self._forms


def numbered(terms: Sequence[str]) -> tuple[marisa_trie.Trie, np.ndarray[tuple[int], np.dtype[np.uint32]]]:
    """A trie over the terms, and the number it gave to each."""
    trie = marisa_trie.Trie(terms)
    return trie, np.fromiter(map(trie.__getitem__, terms), np.uint32, len(terms))


def write_dictionary(folder: Path, trie: marisa_trie.Trie, forms: Sequence[str]) -> None:
    """`forms` by number."""
    data = trie.tobytes()
    with new_file(folder / "terms.marisa") as out:
        out.write(data)
    packed = np.frombuffer(zstandard.compress("\n".join(forms).encode(), FORMS_LEVEL), dtype=np.uint8)
    write_arrays(
        folder / "forms.arrays", {"trie_crc32": np.array([crc32(data)], np.uint32), "packed": packed}
    )


def read_dictionary(folder: Path) -> Dictionary:
    path = folder / "terms.marisa"
    arrays = read_arrays(folder / "forms.arrays")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise DamagedFile(path, "it is missing") from None
    if crc32(data) != arrays["trie_crc32"][0]:
        raise DamagedFile(path, "it does not match its checksum")
    return Dictionary(marisa_trie.Trie().mmap(str(path)), arrays["packed"].tobytes())
