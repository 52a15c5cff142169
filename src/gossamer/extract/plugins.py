"""Who reads documents of kinds that Gossamer does not know, or better than it does? What is installed for it.

A package names a function for a media type under the entry point `gossamer.extractors`:

    [project.entry-points."gossamer.extractors"]
    "application/epub+zip" = "my_package.books:read_book"

and the function turns the body of a document into a page:

    def read_book(body: bytes, url: Url, content_type: str) -> Page:
        book = open_book(body)
        return Page(url, title=book.title, text=book.text)

It runs in the extraction workers, with their limits on time and memory, and is loaded with the first document
of its kind. What it raises is the problem of that document, with the plug-in's name, and costs nothing else.
HTML, plain text, Markdown, feeds and PDF are read by Gossamer itself, whatever is installed; for office
documents, books, RTF and subtitles a plug-in is asked instead.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from gossamer.model import Page, Url

GROUP = "gossamer.extractors"

Reader = Callable[[bytes, Url, str], Page]


class PluginFailed(Exception):
    """A plug-in that could not be loaded, raised something, or gave no page."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")


class Plugin:
    """A reader that is loaded when it is first asked."""

    def __init__(self, point: EntryPoint) -> None:
        self._point = point
        self._reader: Reader | None = None

    def __call__(self, body: bytes, url: Url, content_type: str) -> Page:
        try:
            if self._reader is None:
                self._reader = self._point.load()
            page = self._reader(body, url, content_type)
        except MemoryError:
            raise
        except Exception as error:  # whatever it is, it is the plug-in's
            raise PluginFailed(self._point.value, f"{type(error).__name__} {error}".strip()) from error
        if not isinstance(page, Page) or page.url != url:
            raise PluginFailed(self._point.value, "it gave no page of the document's address")
        return page


@cache
def extractors() -> dict[str, Reader]:
    """What is installed, by media type in lower case; of two for one type the first by name counts."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.value, reverse=True)
    return {point.name.strip().lower(): Plugin(point) for point in points}
