import sys

import pytest

from gossamer.extract.document import extract, extractors
from gossamer.model import FetchResult
from gossamer.web.url import canonical

URL = canonical("http://cats.example/book.epub")
MODULE = """
from gossamer.model import Page

def read_book(body, url, content_type):
    return Page(url, title="A book", text=body.decode() + " " + content_type)

def trips(body, url, content_type):
    raise KeyError("no such chapter")

def no_page(body, url, content_type):
    return None

def steals(body, url, content_type):
    return Page(url, title="stolen")
"""
POINTS = """
[gossamer.extractors]
application/epub+zip = shelf:read_book
Application/X-Trips = shelf:trips
application/x-none = shelf:no_page
application/x-missing = shelf:nowhere
application/x-gone = gone_package:read
text/html = shelf:steals
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a distribution as `pip install` does."""
    (tmp_path / "shelf.py").write_text(MODULE)
    folder = tmp_path / "shelf-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    extractors.cache_clear()
    yield
    extractors.cache_clear()
    sys.modules.pop("shelf", None)


def page(content_type, body=b"Once upon a time"):
    headers = (("Content-Type", content_type), ("Content-Language", "en"))
    return extract(FetchResult(URL, 5.0, status=200, headers=headers, body=body))


@pytest.mark.usefixtures("installed")
def test_a_plugin_reads_other_formats():
    book = page("Application/EPUB+zip; v=3")
    assert (book.title, book.text) == ("A book", "Once upon a time Application/EPUB+zip; v=3")
    assert (book.media_type, book.fetched_at, book.language, book.problem) == (
        "application/epub+zip",
        5.0,
        "en",
        "",
    )
    assert book.digest
    assert book.words == 11


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("content_type", "problem"),
    [
        ("application/x-trips", "extraction-error shelf:trips: KeyError 'no such chapter'"),
        (
            "application/x-none",
            "extraction-error shelf:no_page: it must return a Page with the URL of the document",
        ),
        ("application/x-missing", "extraction-error shelf:nowhere: AttributeError"),
        ("application/x-gone", "extraction-error gone_package:read: ModuleNotFoundError"),
        ("application/x-other", "media-type application/x-other"),
    ],
)
def test_a_plugin_that_fails_is_named(content_type, problem):
    assert page(content_type).problem.startswith(problem)
    assert page("application/epub+zip").title == "A book"


@pytest.mark.usefixtures("installed")
def test_plugins_do_not_replace_our_formats():
    assert page("text/html", b"<title>Ours</title>").title == "Ours"


def test_no_plugin_is_installed_by_default():
    extractors.cache_clear()
    assert extractors() == {}
