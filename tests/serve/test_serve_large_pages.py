import numpy as np

from gossamer.serve import server as large_pages
from gossamer.serve.server import LARGE, use_large_pages


def test_memory_stays_what_it_was():
    held = np.arange(4 * LARGE, dtype=np.uint8)
    names = {f"name {n}": n for n in range(100_000)}
    use_large_pages()
    assert np.array_equal(held, np.arange(4 * LARGE, dtype=np.uint8))
    assert names["name 99999"] == 99_999


def test_large_pages_are_requested_for_anonymous_memory(monkeypatch):
    asked = []

    class Library:
        class madvise:  # noqa: N801
            def __new__(cls, begin, size, advice):
                asked.append((begin, size, advice))
                return -(begin == 2 * LARGE)  # which cannot be made

    maps = (
        f"{LARGE + 4096:08x}-{4 * LARGE + 4096:08x} rw-p 00000000 00:00 0 \n"
        f"{8 * LARGE:08x}-{9 * LARGE:08x} rw-p 00000000 00:00 0                          [heap]\n"
        f"{16 * LARGE:08x}-{32 * LARGE:08x} r--p 00000000 fe:00 260386                     /a/segment\n"
        f"{40 * LARGE:08x}-{48 * LARGE:08x} rw-p 00000000 00:00 0                          [stack]\n"
    )
    monkeypatch.setattr(large_pages.ctypes, "CDLL", lambda _: Library)
    monkeypatch.setattr(large_pages, "_MAPS", FakeMaps(maps))
    assert use_large_pages() == 2
    assert asked == [
        (2 * LARGE, 2 * LARGE, large_pages.HUGEPAGE),
        (2 * LARGE, LARGE, large_pages.COLLAPSE),
        (3 * LARGE, LARGE, large_pages.COLLAPSE),
        (8 * LARGE, LARGE, large_pages.HUGEPAGE),
        (8 * LARGE, LARGE, large_pages.COLLAPSE),
    ]


class FakeMaps:
    def __init__(self, text):
        self._text = text

    def exists(self):
        return True

    def read_text(self, encoding):
        return self._text


def test_nothing_happens_without_support_for_large_pages(monkeypatch, tmp_path):
    monkeypatch.setattr(large_pages, "_MAPS", tmp_path / "maps")
    assert use_large_pages() == 0
