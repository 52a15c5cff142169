"""Which texts is the corpus made of, and where do they come from?

Three kinds, named by the caller or fetched from Debian's archive: a folder of web sites, a file of articles
of an encyclopedia, and six packages of documentation. Nothing of them is kept in the project.
"""

from __future__ import annotations

import gzip
import json
import lzma
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gossamer.extract.document import Extractor
from gossamer.model import FetchResult, Page
from gossamer.web.url import canonical

PACKAGES = ("ghc-doc", "linux-doc-6.1", "libboost1.74-doc", "python-scipy-doc", "llvm-14-doc", "libgtk-3-doc")
PLAIN = ("*.txt.gz", "*.yaml.gz")  # of packages; these have no HTML beside them, .rst does
LARGEST = 20_000_000  # bytes of a file: what is larger is an index, and no text


@dataclass(frozen=True, slots=True)
class Text:
    """What one document says, and what stands above its parts."""

    headings: tuple[str, ...]
    lines: list[str]


def texts(docweb: Path, wikispeedia: Path, cache: Path) -> Iterator[Text]:
    """All documents, in an order that stays the same: sites, articles, packages."""
    sites = sorted(site for site in docweb.iterdir() if site.is_dir())
    if not any(next(site.rglob("*.html"), None) for site in sites):
        raise SystemExit(f"{docweb}: there is no HTML in its folders; --docweb wants one folder a site")
    for site in sites:
        yield from pages(site)
    yield from articles(wikispeedia)
    for package in PACKAGES:
        folder = unpacked(package, cache)
        yield from pages(folder)
        yield from plain_files(folder)


def pages(folder: Path) -> Iterator[Text]:
    """The main text of every HTML file; menus, headers and footers are left out."""
    extractor = Extractor()
    for file in sorted(folder.rglob("*.html")):
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= LARGEST:
            page = _page(extractor, file)
            yield Text((page.title, *page.headings), page.text.splitlines())


def _page(extractor: Extractor, file: Path) -> Page:
    url = canonical("http://passages.test/")
    assert url is not None
    html = (("Content-Type", "text/html"),)
    return extractor.page(FetchResult(url, 0.0, status=200, headers=html, body=file.read_bytes()))


def plain_files(folder: Path) -> Iterator[Text]:
    for file in sorted(file for pattern in PLAIN for file in folder.rglob(pattern)):
        with gzip.open(file, "rt", encoding="utf-8", errors="replace") as lines:
            yield Text((), list(lines))


def articles(file: Path) -> Iterator[Text]:
    """JSON objects with "title" and "text", one a line."""
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            article = json.loads(line)
            yield Text((article["title"].replace("_", " "),), article["text"].splitlines())


def unpacked(package: str, cache: Path) -> Path:
    """The files of a Debian package, downloaded once and unpacked without being installed."""
    folder = cache / "packages" / package
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", package], cwd=folder.parent, check=True, capture_output=True)
        archive = next(folder.parent.glob(f"{package}_*.deb"))
        unfinished = folder.with_suffix(".unpacking")
        subprocess.run(["dpkg", "-x", str(archive), str(unfinished)], check=True)
        unfinished.rename(folder)
    return folder
