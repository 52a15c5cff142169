"""Exceptions.

    GossamerError
    ├── UsageError            the request cannot be fulfilled as it was made
    │   ├── BadUrl            not a URL of the web
    │   ├── BadQuery          a syntax error in a query; knows the position
    │   ├── BadSetting        a setting with a wrong name or value
    │   │   └── BadFile       a file of the owner with a syntax error; names the file
    │   ├── UnknownPage       the collection does not know the URL
    │   └── EngineClosed      the engine was closed
    ├── CollectionError       this folder cannot be used as a collection
    │   ├── NotACollection
    │   ├── CollectionBusy    another process writes to it
    │   ├── NotRanked         its link ranks were not computed yet
    │   └── WrongFormat       made by another version
    └── DamagedFile           a file's content is not what was written; names the file

Failures of the outside world (a refused connection, a broken page) are values, not exceptions.
"""

from __future__ import annotations

import shlex
from importlib import import_module
from pathlib import Path

LONGEST_TEXT = 120  # characters of an error's text in the reason for a failed page


class GossamerError(Exception):
    """Base of all exceptions that Gossamer raises. Its text is one line that says what to do."""


class UsageError(GossamerError):
    """The request cannot be fulfilled as it was made."""


def require_extra(feature: str, extra: str, *modules: str) -> None:
    """Raise UsageError if a module that a feature needs is missing. The error names the extra to install."""
    try:
        for module in modules:
            import_module(module)
    except ImportError as error:
        raise UsageError(f"{feature} needs {error.name}: pip install 'gossamer-search[{extra}]'") from None


class BadUrl(UsageError):
    """Not a URL of the web."""

    def __init__(self, text: str, why: str) -> None:
        super().__init__(f"not a web address: {text!r} ({why})")
        self.text = text


class BadQuery(UsageError):
    """A syntax error in a query, at the character `position`, counted from 0."""

    def __init__(self, query: str, position: int, why: str) -> None:
        super().__init__(f"cannot read the query at character {position + 1}: {why}")
        self.query = query
        self.position = position
        self.why = why

    def pointer(self) -> str:
        """Return the query, and below it a caret at the position of the error."""
        return f"{self.query}\n{' ' * self.position}^"


class BadSetting(UsageError):
    """A setting with a wrong name or value, or an option with a wrong value.

    A keyword argument with a wrong name raises TypeError.
    """


class RenamedSetting(FutureWarning):
    """A setting under its former name, which still works."""


class BadFile(BadSetting):
    """A file of the owner with a syntax error. The message names the file, so visitors must not see it."""


class UnknownPage(UsageError):
    """The collection does not know the URL."""

    def __init__(self, address: str, why: str) -> None:
        super().__init__(f"{address} {why}")
        self.address = address


class EngineClosed(UsageError):
    """The engine was closed and cannot answer."""

    def __init__(self, directory: Path) -> None:
        super().__init__(f"the engine of {directory} is closed; open the collection again")


class CollectionError(GossamerError):
    """This folder cannot be used as a collection."""


class NotACollection(CollectionError):
    """The folder holds no collection."""

    def __init__(self, directory: Path) -> None:
        super().__init__(
            f"{directory} is not a Gossamer collection (it has no collection.json); "
            f"make one with: gossamer -C {shlex.quote(str(directory))} crawl URL"
        )


class CollectionBusy(CollectionError):
    """Another process writes to the collection."""


class NotRanked(CollectionError):
    """The link ranks of the collection were not computed yet."""

    def __init__(self) -> None:
        super().__init__("nothing is ranked yet (in Python: engine.rank()); run: gossamer rank")


class WrongFormat(CollectionError):
    """Made by a version of Gossamer that wrote another format."""

    EXPORT = "export the pages with the version that made it and import them here"

    def __init__(self, path: Path, found: object, expected: int, advice: str = EXPORT) -> None:
        super().__init__(
            f"{path} has format {found}, this version of Gossamer reads format {expected}; {advice}"
        )


class DamagedFile(GossamerError):
    """A file's content is not what was written."""

    REPAIR = "run: gossamer check --repair"

    def __init__(self, path: Path, why: str, advice: str = REPAIR) -> None:
        super().__init__(f"damaged file {path}: {why}; {advice}")
        self.path = path
        self.why = why


# Errors of the machine or of the collection: a job on many pages ends with them. Any other error is
# a bug in Gossamer, and only the page at which it occurs fails.
BEYOND_ONE_PAGE = (GossamerError, OSError, MemoryError)
INTERNAL_ERROR = "internal-error"  # the reason under which such pages are counted


def internal_error(error: Exception) -> str:
    """Return the reason for a page that failed because of a bug: type, place, text of the error, in ASCII."""
    place, trace = "", error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.startswith("gossamer."):
            place = f" in {module}, line {trace.tb_lineno}"
        trace = trace.tb_next
    said = " ".join(str(error).split()).encode("ascii", "backslashreplace").decode()
    return f"{INTERNAL_ERROR}: {type(error).__name__}{place} ({said[:LONGEST_TEXT]})"
