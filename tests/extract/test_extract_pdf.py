import pytest

from gossamer.extract.pdf import read_pdf
from gossamer.web.url import canonical

URL = canonical("http://cats.example/paper.pdf")
PERMISSIONS = (
    b"/Encrypt << /Filter /Standard /V 1 /R 2 /O <" + b"00" * 32 + b"> /U <" + b"11" * 32 + b"> /P -4 >>"
)


def pdf(*pages, title=None, trailer=b""):
    """A PDF with one line of text a page entry, or several where the entry has line ends."""
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


def test_title_from_the_metadata():
    assert read_pdf(pdf("First line", title="The  syllabus"), URL).title == "The syllabus"


@pytest.mark.parametrize("title", ["", "Untitled-3", "Microsoft Word - draft.doc", "paper.TEX"])
def test_titles_that_say_nothing(title):
    assert read_pdf(pdf("First line", title=title), URL).title == "First line"


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
