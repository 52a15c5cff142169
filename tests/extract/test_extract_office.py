"""Office documents, books and RTF: their content, and protection against hostile files."""

import io
import random
import struct
import zipfile

import pytest
from office_files import FILES, R, W, docx, epub, odt, office, opendocument, paragraph, xlsx, zipped

from gossamer.extract.document import extract
from gossamer.extract.documents import archive
from gossamer.extract.documents.rtf import DEEPEST
from gossamer.extract.html.scan import MOST_TEXT
from gossamer.extract.media_type import BY_TYPE
from gossamer.model import FetchResult
from gossamer.web.url import canonical

URL = canonical("http://cats.example/papers/big")
NOW = 2_000_000_000.0
TEXTS = {
    "docx": "Jaguars\nThey live in the zoo\nSee old\none two\ncell\nA note",
    "pptx": "First\nshown first\na remark\nSecond\nshown last",
    "xlsx": "Animals\nName Weight\nJaguar 3.5 2024-05-01",
    "odt": "Jaguars\nThey live in the zoo",
    "ods": "Animals\nJaguar 3.5",
    "odp": "First\nshown first",
    "epub": "Jaguars\nThey live far away. zoonext\nLions\nThey sleep. zoonext",
    "rtf": "Jaguars\nThey live in the zoo café €.\nкот 😀 end",
}
HEADINGS = {
    "pptx": ("First", "Second"),
    "xlsx": ("Animals",),
    "ods": ("Animals",),
    "odp": ("First",),
    "epub": ("Jaguars", "Lions"),
}
ANCHORS = {"pptx": "shown first", "xlsx": "zoo", "epub": "zoo"}


def read(body, content_type="", truncated=False):
    headers = (("Content-Type", content_type),)
    return extract(FetchResult(URL, NOW, status=200, headers=headers, body=body, truncated=truncated))


@pytest.mark.parametrize("name", FILES)
def test_text_and_metadata(name):
    page = read(FILES[name]())
    assert page.problem == ""
    assert page.text == TEXTS[name]
    assert page.headings == HEADINGS.get(name, ("Jaguars",))
    assert page.title == "Big cats"
    assert page.author.startswith("Ada Lovelace")
    assert page.language == "en"
    assert int(page.published // 86_400) == 19_844  # 1 May 2024
    assert BY_TYPE[page.media_type].name == name


@pytest.mark.parametrize("name", sorted(set(FILES) - {"ods", "odp"}))
def test_links(name):
    first = read(FILES[name]()).links[0]
    assert (first.target.text, first.anchor) == ("http://zoo.example/", ANCHORS.get(name, "the zoo"))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "declared", ["application/octet-stream", "text/plain", "application/zip", "right", "alias"]
)
def test_the_format_is_found_by_the_bytes(name, declared):
    kinds = {kind: one for kind, one in BY_TYPE.items() if one.name == name}
    declared = {"right": next(iter(kinds)), "alias": list(kinds)[-1]}.get(declared, declared)
    if (name, declared) != ("rtf", "application/zip"):
        assert read(FILES[name](), declared).media_type == next(iter(kinds))


def test_office_files_of_one_program_under_the_name_of_another():
    assert read(xlsx(), BY_TYPE_NAMES["docx"]).text == TEXTS["xlsx"]


BY_TYPE_NAMES = {one.name: one.media_type for one in BY_TYPE.values()}


def test_headers_and_notes_of_a_document():
    page = read(docx())
    assert page.surroundings == "Zoo news"
    assert page.description == "About cats"
    assert [link.target.text for link in page.links] == ["http://zoo.example/", "http://old.example/a"]


def test_language_and_title_from_the_text():
    core = {"docProps/core.xml": '<x><title xmlns="y">Document1</title></x>'}
    page = read(docx(**core))
    # The styles say German, as in many templates, but the text is in another language.
    assert (page.title, page.language, page.author) == ("Jaguars", "en", "")


def test_text_boxes_and_choices_are_read_once():
    box = f"<w:txbxContent>{paragraph('inner')}</w:txbxContent>"
    both = f"<w:Choice>{box}</w:Choice><w:Fallback>{box}</w:Fallback>"
    choice = f"<w:r><w:AlternateContent>{both}</w:AlternateContent></w:r>"
    assert read(docx(paragraph("outer", more=choice))).text == "inner\nouter\nA note"


def test_chapters_of_books_are_xml():
    chapter = "<html><head><title/><script src='x.js'/></head><body><h1>Lions</h1></body></html>"
    assert read(epub(**{"OEBPS/two.xhtml": chapter})).headings == ("Jaguars", "Lions")


def test_books_with_hidden_fonts_are_read_and_locked_ones_are_not():
    lock = '<encryption><CipherReference URI="{}"/><CipherReference URI="{}"/></encryption>'
    fonts = lock.format("OEBPS/a.ttf", "OEBPS/b.ttf")
    assert read(epub(**{"META-INF/encryption.xml": fonts})).text == TEXTS["epub"]
    one = lock.format("OEBPS/two.xhtml", "x")
    assert read(epub(**{"META-INF/encryption.xml": one})).headings == ("Jaguars",)
    both = lock.format("OEBPS/two.xhtml", "OEBPS/text/one%201.xhtml")
    assert read(epub(**{"META-INF/encryption.xml": both})).problem == "encrypted-epub"


# Damaged and hostile files


def encrypted_entry(body):
    """Set the encryption flag of every entry."""
    changed = bytearray(body)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = changed.find(mark)
        while place >= 0:
            changed[place + offset] |= 1
            place = changed.find(mark, place + 4)
    return bytes(changed)


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)
ENTITIES = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


def with_doctype(doctype):
    xml = f"{doctype}<w:document {W} {R}><w:body>{paragraph('&b;')}</w:body></w:document>"
    return docx(**{"word/document.xml": xml})


@pytest.mark.parametrize(
    ("body", "name", "problem"),
    [
        (OLE + "EncryptedPackage".encode("utf-16-le"), "docx", "encrypted-docx"),
        (OLE, "docx", "broken-docx"),
        (encrypted_entry(docx()), "docx", "encrypted-docx"),
        (opendocument("text", "", **{"META-INF/manifest.xml": "<encryption-data/>"}), "odt", "encrypted-odt"),
        (docx()[:-30], "docx", "broken-docx"),
        (docx(**{"word/document.xml": "<open>"}), "docx", "broken-docx"),
        (docx(**{"word/document.xml": "<a>" * 2_000 + "</a>" * 2_000}), "docx", "broken-docx"),
        (with_doctype(ENTITIES), "docx", "broken-docx"),
        (with_doctype(OUTSIDE), "docx", "broken-docx"),
        (
            docx("<w:p/>", **{"docProps/core.xml": "<x/>", "word/footnotes.xml": "<x/>"}),
            "docx",
            "no-text-in-docx",
        ),
        (office("word", "word/none.xml", {}), "docx", "broken-docx"),
        (zipped({"a": "b"}), "epub", "broken-epub"),
        (b"not at all", "xlsx", "broken-xlsx"),
        (b"not at all", "rtf", "broken-rtf"),
        (b"{\\rtf1 " + b"{" * (DEEPEST + 5), "rtf", "broken-rtf"),
        (
            zipped({"mimetype": "application/epub+zip"} | {f"{n}": "" for n in range(20_001)}),
            "epub",
            "too-large epub: more than 20,000 entries",
        ),
    ],
)
def test_problems_are_named(body, name, problem):
    page = read(body, BY_TYPE_NAMES[name])
    assert (page.problem, page.text) == (problem, "")


def test_truncated_files_are_too_large():
    assert read(docx()[:-300], BY_TYPE_NAMES["docx"], truncated=True).problem == "too-large docx: cut off"


def test_other_compression_methods_are_not_supported():
    entries = zipfile.ZipFile(io.BytesIO(docx()))
    squeezed = zipped({name: entries.read(name) for name in entries.namelist()}, zipfile.ZIP_LZMA)
    assert read(squeezed, BY_TYPE_NAMES["docx"]).problem == "broken-docx"


def test_a_bomb_is_refused(monkeypatch):
    monkeypatch.setattr(archive, "SMALL", 1 << 20)
    monkeypatch.setattr(archive, "RATIO", 20)
    bomb = docx(**{"word/document.xml": f"<w:document {W}>{' ' * (4 << 20)}</w:document>"})
    assert len(bomb) < 20_000
    assert read(bomb).problem == "too-large docx: its unpacked size exceeds the limit"


def test_false_sizes_do_not_help_a_bomb(monkeypatch):
    monkeypatch.setattr(archive, "SMALL", 1 << 20)
    monkeypatch.setattr(archive, "RATIO", 20)
    size = len(f"<w:document {W}>") + (4 << 20) + len("</w:document>")
    bomb = docx(**{"word/document.xml": f"<w:document {W}>{' ' * (4 << 20)}</w:document>"})
    page = read(bomb.replace(struct.pack("<I", size), struct.pack("<I", 100)))
    assert page.problem in {"broken-docx", "too-large docx: its unpacked size exceeds the limit"}


def test_cells_that_are_true_or_false():
    cells = "".join(f'<c t="b"><v>{value}</v></c>' for value in ("1", "0", "true", "false"))
    assert read(xlsx(f"<row>{cells}</row>")).text == "Animals\nTRUE FALSE TRUE FALSE"


def test_long_documents_are_read_to_a_limit():
    row = '<row><c t="inlineStr"><is><t>' + "long words " * 1_000 + "</t></is></c></row>"
    page = read(xlsx(row * 300))
    assert page.problem == ""
    assert MOST_TEXT <= len(page.text) < MOST_TEXT + 20_000


ACCEPTED = ("broken-", "encrypted-", "no-text-in-", "too-large ", "media-type ", "empty")


def is_named(page):
    return not page.problem or page.problem.startswith(ACCEPTED)


@pytest.mark.parametrize("name", FILES)
def test_cut_anywhere(name):
    body = FILES[name]()
    for end in range(1, len(body), max(len(body) // 60, 1)):
        page = read(body[:end], BY_TYPE_NAMES[name])
        assert is_named(page), (end, page.problem)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("stored", [False, True])
def test_flipped_bits(name, stored):
    """Also in files without compression and checksums."""
    body, chance = FILES[name](), random.Random(name)
    if stored and name != "rtf":
        entries = zipfile.ZipFile(io.BytesIO(body))
        body = zipped({one: entries.read(one) for one in entries.namelist()}, zipfile.ZIP_STORED)
    for _ in range(120):
        changed = bytearray(body)
        for _ in range(chance.randint(1, 6)):
            changed[chance.randrange(len(body))] ^= 1 << chance.randrange(8)
        page = read(bytes(changed), BY_TYPE_NAMES[name])
        assert is_named(page), page.problem
        page.text.encode()


@pytest.mark.parametrize("name", sorted(set(FILES) - {"rtf"}))
def test_changed_xml_behind_right_checksums(name):
    entries = zipfile.ZipFile(io.BytesIO(FILES[name]()))
    parts = {one: entries.read(one) for one in entries.namelist()}
    chance = random.Random(name)
    for _ in range(120):
        part = chance.choice(list(parts))
        content = bytearray(parts[part])
        for _ in range(chance.randint(1, 4)):
            content[chance.randrange(len(content))] = chance.choice(b'<>/"= ax9&')
        page = read(zipped(parts | {part: bytes(content)}), BY_TYPE_NAMES[name])
        assert is_named(page), (part, page.problem)


def test_rtf_of_other_code_pages():
    assert read(rb"{\rtf1\ansi\ansicpg1251 \'ea\'ee\'f2 \u1082\'ea}").text == "кот к"
    assert read(rb"{\rtf1{\fonttbl{\f2\fcharset128 Mincho;}}\f2 \'93\'8c\'8b\'9e}").text == "東京"
    assert read(rb"{\rtf1\bin4 {}{}\par after{\*\unknown x{\b y}}\~all}").text == "after all"


@pytest.mark.parametrize("star", [b"", rb"\*"])
def test_notes_of_rtf_follow_the_text(star):
    """Some programs mark notes as a destination that may be ignored."""
    note = b"{" + star + rb"\footnote\chftn\~\plain\pard {\pard a note\par}}"
    page = read(rb"{\rtf1\outlinelevel0 head" + note + rb"ing\par\pard text" + note + rb" goes on\par}")
    assert page.text == "heading\ntext goes on\na note\na note"
    assert page.headings == ("heading",)


def test_odt_language_from_its_styles():
    styles = (
        '<s xmlns:style="s" xmlns:fo="f"><style:default-style><style:text-properties fo:language="fr"/>'
        "</style:default-style></s>"
    )
    assert read(odt_with(styles)).language == "fr"


def odt_with(styles):
    entries = zipfile.ZipFile(io.BytesIO(odt()))
    parts = {one: entries.read(one) for one in entries.namelist()}
    return zipped(parts | {"meta.xml": "<x/>", "styles.xml": styles})
