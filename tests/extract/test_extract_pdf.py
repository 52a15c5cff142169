import random

import pytest

from gossamer.extract.documents.pdf import read_pdf
from gossamer.web.url import canonical

URL = canonical("http://cats.example/paper.pdf")
PERMISSIONS = (
    b"/Encrypt << /Filter /Standard /V 1 /R 2 /O <" + b"00" * 32 + b"> /U <" + b"11" * 32 + b"> /P -4 >>"
)


def pdf(*pages, title=None, trailer=b""):
    """Make a PDF with one page for each entry, and one line of text for each line of the entry."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for text in pages:
        drawn = "".join(f"({line}) Tj 0 -20 Td " for line in text.split("\n"))
        stream = f"BT /F1 12 Tf 50 700 Td {drawn} ET".encode("latin-1")
        objects.append(b"<< /Length %d >> stream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    if title is not None:
        objects.append(b"<< /Title (%s) >>" % title.encode("latin-1"))
        trailer += b" /Info %d 0 R" % len(objects)
    return _assembled(objects, trailer)


def _assembled(objects, trailer):
    out, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    return (
        out
        + head
        + b"trailer << /Size %d /Root 1 0 R /ID [<01> <01>] %s >>\nstartxref\n%d\n%%%%EOF"
        % (
            size,
            trailer,
            len(out),
        )
    )


def test_reads_all_pages():
    page = read_pdf(pdf("Retrieval\nA syllabus", "Second   page"), URL, 5.0)
    assert page.text == "Retrieval\nA syllabus\nSecond page"
    assert (page.title, page.media_type, page.fetched_at) == ("Retrieval", "application/pdf", 5.0)
    assert page.problem == ""


def rich_pdf():
    """Make a PDF with metadata, language, an outline and a link."""
    text = b"BT /F1 12 Tf 50 700 Td (See the zoo) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) /Outlines 6 0 R >>",
        b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d >> stream\n%s\nendstream" % (len(text), text),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Annots [9 0 R 10 0 R] "
        b"/Resources << /Font << /F1 3 0 R >> >> >>",
        b"<< /Type /Outlines /First 7 0 R /Last 8 0 R /Count 2 >>",
        b"<< /Title (Jaguars) /Parent 6 0 R /Next 8 0 R /Dest [5 0 R /Fit] >>",
        b"<< /Title (Lions) /Parent 6 0 R /Prev 7 0 R /Dest [5 0 R /Fit] >>",
        b"<< /Type /Annot /Subtype /Link /Rect [40 690 300 720] /A << /S /URI /URI (http://zoo.example/)>>>>",
        b"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /Dest [5 0 R /Fit] >>",
        b"<< /Title (Big cats) /Author (Ada Lovelace) /Subject (All of them) "
        b"/CreationDate (D:20240501100000Z) >>",
    ]
    return _assembled(objects, b"/Info 11 0 R")


def test_metadata_of_a_pdf():
    page = read_pdf(rich_pdf(), URL, 2e9)
    assert (page.title, page.author, page.description) == ("Big cats", "Ada Lovelace", "All of them")
    assert (page.language, page.published) == ("en", 1_714_557_600.0)
    assert page.headings == ("Jaguars", "Lions")
    assert [(link.target.text, link.anchor) for link in page.links] == [
        ("http://zoo.example/", "See the zoo")
    ]


def test_damaged_pdfs():
    body, chance = rich_pdf(), random.Random(5)
    for end in range(0, len(body), 25):
        assert read_pdf(body[:end], URL).problem in {"", "broken-pdf", "no-text-in-pdf"}
    for _ in range(200):
        changed = bytearray(body)
        changed[chance.randrange(len(body))] ^= 1 << chance.randrange(8)
        assert read_pdf(bytes(changed), URL).problem in {"", "broken-pdf", "no-text-in-pdf", "encrypted-pdf"}


def test_title_from_the_metadata():
    assert read_pdf(pdf("First line", title="The  syllabus"), URL).title == "The syllabus"


@pytest.mark.parametrize(
    "title",
    [
        *("", "Untitled", "untitled", "Untitled-3", "Untitled Document 2", "untitled (1)", "Untitled_1-2"),
        *("Unbenanntes Dokument", "Unbenannt 1", "Microsoft Word - draft.doc", "paper.TEX", "untitled.indd"),
    ],
)
def test_useless_titles(title):
    assert read_pdf(pdf("First line", title=title), URL).title == "First line"


@pytest.mark.parametrize(
    "title", ["Untitled Goose Game: a review", "Unbenannte Tiere", "How to write a README.pdf"]
)
def test_titles_that_only_look_useless(title):
    assert read_pdf(pdf("First line", title=title), URL).title == title


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (pdf("Secret", trailer=PERMISSIONS), "encrypted-pdf"),
        (b"%PDF-1.4 nothing", "broken-pdf"),
        (b"", "broken-pdf"),
        (pdf("Half")[:100], "broken-pdf"),
        (pdf(""), "no-text-in-pdf"),
    ],
)
def test_problems_are_named(body, problem):
    page = read_pdf(body, URL)
    assert (page.problem, page.text, page.title) == (problem, "", "")
