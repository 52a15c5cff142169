"""Export pages as text, JSON, CSV, WARC."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

from gossamer.collection.partition import Partition
from gossamer.index.segment import Snapshot
from gossamer.model import BadSetting, GossamerError, Url
from gossamer.model.notebook import iso
from gossamer.model.progress import Observer, StepProgress, unobserved

LONGEST_NAME = 50  # characters of a file name: a character may take 4 bytes, and a name at most 255
WARC = "warc"
FORMATS = ("text", "jsonl", WARC, "csv")
FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class ExportedPage:
    """A page in the form of an export."""

    url: str
    title: str
    author: str
    language: str
    media_type: str
    published: str  # "" if not known
    fetched: str
    text: str


def export(
    partitions: Sequence[Partition], out: Path, form: str, observer: Observer[StepProgress] | None = None
) -> int:
    """Write all indexed pages, or for WARC all stored responses; return their number."""
    if form not in FORMATS:
        raise BadSetting(f"unknown format {form!r}; choose from: {', '.join(FORMATS)}")
    try:
        return _exported(partitions, out, form, observer or unobserved)
    except OSError as error:
        raise GossamerError(f"cannot write {error.filename or out}: {error.strerror}") from error


def _exported(partitions: Sequence[Partition], out: Path, form: str, tell: Observer[StepProgress]) -> int:
    if form == WARC:
        return _export_warc(partitions, out, tell)
    snapshots = [partition.index.snapshot() for partition in partitions]
    total = sum(snapshot.documents for snapshot in snapshots)
    _WRITERS[form](_pages(snapshots, total, tell), out)
    return total


def _pages(snapshots: Sequence[Snapshot], total: int, tell: Observer[StepProgress]) -> Iterator[ExportedPage]:
    done = 0
    for view in (view for snapshot in snapshots for view in snapshot.views):
        for doc in view.alive().nonzero()[0].tolist():
            done += 1
            if done % 100 == 0 or done == total:
                tell(StepProgress("exporting", done, total))
            stored, columns = view.segment.stored.document(doc), view.segment.columns
            yield ExportedPage(
                stored.url,
                stored.title,
                stored.author,
                stored.language,
                stored.media_type,
                iso(float(columns.published[doc])),
                iso(float(columns.fetched_at[doc])),
                stored.text,
            )


def _write_text(pages: Iterable[ExportedPage], out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for page in pages:
        file = out / file_name(Url.parsed(page.url))
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"{page.url}\n{page.title}\n\n{page.text}\n", encoding="utf-8")


def file_name(url: Url) -> Path:
    """Return the file name of a page's text: a folder for its host, then its path in portable characters.

    The fingerprint of the URL at the end keeps names distinct and the same in every export.

    >>> str(file_name(Url.parsed("http://cats.example:8080/big/J%C3%A4ger.html?a=1"))).rpartition("-")[0]
    'cats.example_8080/big-jäger.html-a-1'
    """
    written = unquote(url.path, errors="replace").lower()
    slug = "".join(letter if letter.isalnum() or letter in "._" else "-" for letter in written)
    short = re.sub("-+", "-", slug).strip("-.")[:LONGEST_NAME]
    host = re.sub(r"[^\w.-]", "_", url.authority)
    return Path(host) / f"{short or 'index'}-{url.fingerprint:016x}.txt"


def _write_jsonl(pages: Iterable[ExportedPage], out: Path) -> None:
    with out.open("w", encoding="utf-8") as file:
        for page in pages:
            file.write(json.dumps({"_id": page.url, **asdict(page)}, ensure_ascii=False) + "\n")


def _write_csv(pages: Iterable[ExportedPage], out: Path) -> None:
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(ExportedPage.__slots__)
        for page in pages:
            writer.writerow([_escaped(getattr(page, name)) for name in ExportedPage.__slots__])


def _escaped(cell: str) -> str:
    """Escape a cell that a spreadsheet would run as a formula: titles come from strangers."""
    return f"'{cell}" if cell.startswith(FORMULA_MARKS) else cell


def _export_warc(partitions: Sequence[Partition], out: Path, tell: Observer[StepProgress]) -> int:
    """Concatenate the committed WARC files of the page store; return the number of responses.

    They include redirects, error pages and earlier versions of pages.
    """
    answers = sum(partition.catalogue.stored_answers() for partition in partitions)
    with out.open("wb") as file:
        for partition in partitions:
            committed = partition.catalogue.committed()
            for path in sorted(partition.pages_folder.glob("*.warc.gz")):
                _copy(path, committed.get(path.name, 0), file)
    tell(StepProgress("exporting", answers, answers))
    return answers


def _copy(path: Path, length: int, out: BinaryIO) -> None:
    """Copy the first `length` bytes of a file, which are committed."""
    with path.open("rb") as source:
        while length > 0 and (data := source.read(min(length, 1 << 20))):
            out.write(data)
            length -= len(data)


_WRITERS = {"text": _write_text, "jsonl": _write_jsonl, "csv": _write_csv}
