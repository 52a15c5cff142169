import codecs
import random
import re

import pytest
from guarding import no_hanging
from hypothesis import given
from hypothesis import strategies as st
from sentences import CASES, LATIN_CASES, SENTENCES

from gossamer.text import charset
from gossamer.text.charset import _CODEC_OF_LABEL as _CODECS
from gossamer.text.charset import as_utf8, codec_of, decode


@pytest.mark.parametrize(
    ("body", "header", "text"),
    [
        ("é".encode(), "text/html; charset=utf-8", "é"),
        (b"\xef\xbb\xbf\xc3\xa9", "text/html; charset=iso-8859-1", "é"),  # the mark counts most
        (b"\xff\xfe\xe9\x00", "", "é"),
        (b"\xfe\xff\x00\xe9", "", "é"),
        (b"\x93quoted\x94", "text/html; charset=ISO-8859-1", "“quoted”"),  # latin-1 is windows-1252
        (b"\x80", "text/html;charset='latin1'", "€"),
        (b'<meta charset="koi8-r">\xc1', "", '<meta charset="koi8-r">а'),
        (b'<meta charset="koi8-r">\xc3\xa9', "text/html; charset=utf-8", '<meta charset="koi8-r">é'),
        (
            b"<meta content='text/html; charset=cp1251'>\xe0",
            "",
            "<meta content='text/html; charset=cp1251'>а",
        ),
        ("京都".encode("shift_jis"), "text/html; charset=Shift_JIS", "京都"),
        ("①".encode("cp932"), "text/html; charset=shift_jis", "①"),  # in cp932 only
        ("茶馆".encode("gbk"), "text/html; charset=gb2312", "茶馆"),
        ("똠".encode("cp949"), "text/html; charset=euc-kr", "똠"),  # in cp949 only
        ("茶".encode("big5"), "text/html; charset=big5", "茶"),
        ("京".encode("iso2022_jp"), "text/html; charset=iso-2022-jp", "京"),
        (b"\xe9", "text/html; charset=nonsense", "é"),
        (b"caf\xc3\xa9", "", "café"),
        (b"caf\xe9", "", "café"),
        (b"caf\xc3\xa9 \xc3", "", "café "),  # cut in the middle of a character
        (b"caf\xc3\xa9 \xe2\x82", "text/html; charset=utf-8", "café "),
        (b"\xff\xfe\x00\x00\xe9\x00\x00\x00", "", "é"),
        (b"\x00\x00\xfe\xff\x00\x00\x00\xe9", "", "é"),
        (b"", "", ""),
    ],
)
def test_decodes_as_browsers_do(body, header, text):
    assert decode(body, header) == text


@pytest.mark.parametrize(
    ("body", "header"),
    [
        ("é".encode(), ""),
        ("é".encode(), "text/html; charset=utf-8"),
        (b"\xff", "text/html; charset=utf-8"),  # said to be UTF-8: whoever reads it sees what is wrong
        (b"plain", ""),
        (b"\xef\xbb\xbfx", "text/html; charset=koi8-r"),
    ],
)
def test_utf8_is_unchanged(body, header):
    assert as_utf8(body, header) is body


@given(st.binary(max_size=60), st.sampled_from(["", "text/html; charset=koi8-r", "x; charset=utf-16"]))
def test_everything_else_becomes_utf8(body, header):
    controls = dict.fromkeys([*range(9), *range(14, 32), *range(127, 160)]) | {11: "\n", 12: "\n", 133: "\n"}
    text = as_utf8(body, header).decode("utf-8", "replace").translate(controls)
    assert text.removeprefix("\ufeff") == decode(body, header).removeprefix("\ufeff")


def test_declarations_in_comments_and_far_down_do_not_count():
    assert decode(b"<!-- <meta charset=koi8-r> --><p>\xe9").endswith("é")
    assert decode(b" " * 1024 + b"<meta charset=koi8-r>\xe9").endswith("é")


def test_the_first_known_declaration_counts():
    assert decode(b"<meta charset=x-own><meta charset=koi8-r>\xc1").endswith("а")


def test_a_readable_declaration_of_utf16_means_utf8():
    assert decode("<meta charset=utf-16>é".encode()).endswith("é")


def test_xml_declaration():
    assert decode(b'<?xml version="1.0" encoding="iso-8859-7"?>\xe1').endswith("α")


@pytest.mark.parametrize("label", ["rot13", "base64", "utf-7", "idna", "unicode_escape", "hex", "", "x y"])
def test_codecs_that_no_browser_knows_are_unknown(label):
    assert codec_of(label) == ""


def test_every_codec_exists():
    for codec in set(_CODECS.values()):
        assert codecs.lookup(codec)


@given(st.binary(max_size=200), st.sampled_from(sorted(set(_CODECS))))
def test_never_raises(body, label):
    assert isinstance(decode(body, f"text/html; charset={label}"), str)
    assert isinstance(decode(b"<meta charset=" + label.encode() + b">" + body), str)


@given(st.text())
def test_utf8_needs_no_declaration(text):
    plain = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f<]", "", text).lstrip("\ufeff")
    encoded = plain.encode("utf-8", "ignore")
    assert decode(encoded) == encoded.decode()


SWEET = "<p>crème brûlée, très légère"


@pytest.mark.parametrize("before", ["", "x" * 50_000, "<p>plain words</p>\n" * 5_000])
@pytest.mark.parametrize("header", ["text/html", "", "text/html; charset=nonsense"])
def test_utf8_without_a_declaration(before, header):
    assert decode((before + SWEET).encode(), header) == before + SWEET


@pytest.mark.parametrize("last", ["é", "€", "😀"])
def test_utf8_that_was_cut_at_any_byte(last):
    whole = (SWEET + last).encode()
    for missing in range(1, len(last.encode())):
        assert decode(whole[:-missing], "text/html") == SWEET


def test_a_few_foreign_bytes_in_utf8():
    body = (SWEET * 10).encode() + b"<p>caf\xe9</p>" + SWEET.encode()
    assert decode(body) == SWEET * 10 + "<p>caf\ufffd</p>" + SWEET


@pytest.mark.parametrize("label", ["us-ascii", "ISO-8859-1", "latin1", "windows-1252"])
def test_utf8_declared_as_a_default_encoding(label):
    assert decode(SWEET.encode(), f"text/html; charset={label}") == SWEET
    assert decode(f"<meta charset={label}>{SWEET}".encode()).endswith(SWEET)
    assert decode((SWEET + "€").encode()[:-1], f"text/html; charset={label}") == SWEET


def test_declarations_are_believed_where_the_bytes_prove_nothing():
    assert decode(b"caf\xc3\xa9", "text/html; charset=latin-1") == "cafÃ©"  # one pair may be an accident
    assert decode(SWEET.encode("cp1252"), "text/html; charset=latin-1") == SWEET
    assert decode("éé".encode(), "text/html; charset=koi8-r") != "éé"
    assert decode("привет".encode("cp1251"), "text/html; charset=iso-8859-1") == "ïðèâåò"


@pytest.mark.parametrize(("sentence", "encoding"), CASES)
def test_undeclared_legacy_encodings(sentence, encoding):
    page = f"<html><head><title>{sentence}</title></head><body><p class=a>{sentence}</p></body></html>"
    assert decode(sentence.encode(encoding)) == sentence
    assert decode(page.encode(encoding), "text/html") == page


@pytest.mark.parametrize(("sentence", "encoding"), CASES)
def test_undeclared_legacy_encodings_cut_or_spoilt(sentence, encoding):
    lines = [f"<p>line {number}: {sentence}</p>" for number in range(5)]
    body = "\n".join(lines).encode(encoding)
    assert decode(body[: body.rindex(b"</p>") - 1]).startswith(lines[0])
    assert decode(body + b"\n<p>\xff\xff \x80").startswith(lines[0])


@pytest.mark.parametrize(("sentence", "encoding"), LATIN_CASES)
@pytest.mark.parametrize("header", ["text/html", "text/html; charset=utf-8", "text/html; charset=unheard-of"])
def test_latin_letters_of_other_encodings(sentence, encoding, header):
    page = f"<html><head><title>{sentence}</title></head><body><p class=a>{sentence}</p></body></html>"
    assert decode(page.encode(encoding), header) == page
    assert as_utf8(page.encode(encoding), header).decode() == page


@pytest.mark.parametrize(("sentence", "encoding"), CASES)
def test_other_encodings_declared_as_utf8(sentence, encoding):
    page = f"<html><p>{sentence}</p><p>{sentence}</p></html>"
    assert decode(page.encode(encoding), "text/html; charset=utf-8") == page
    assert decode(f"<meta charset=utf-8>{page}".encode(encoding)) == f"<meta charset=utf-8>{page}"


@pytest.mark.parametrize(("sentence", "encoding"), CASES)
def test_utf8_declared_as_another_encoding_on_purpose(sentence, encoding):
    if sum(not letter.isascii() for letter in sentence) > 5:
        assert decode(sentence.encode(), f"text/html; charset={encoding}") == sentence


@pytest.mark.parametrize("language", ["ru", "el", "he", "ar", "th", "ja", "zh-Hans", "ko"])
def test_words_of_another_script_that_are_declared_as_latin_1(language):
    encoding = next(one for sentence, one in CASES if sentence in SENTENCES[language])
    page = "\n".join(f"<p>{sentence}</p>" for sentence in SENTENCES[language] * 4)
    assert decode(page.encode(encoding), "text/html; charset=iso-8859-1") == page


@pytest.mark.parametrize("language", ["fr", "de", "es", "pt", "it", "sv", "en"])
def test_latin_1_that_is_declared_as_such_stays(language):
    page = "\n".join(f"<p>{sentence}</p>" for sentence in SENTENCES[language] * 20)
    assert decode(page.encode("cp1252"), "text/html; charset=iso-8859-1") == page


def test_a_few_mistakes_in_utf8_that_was_declared():
    assert decode(b"<p>caf\xe9</p>", "text/html; charset=utf-8") == "<p>caf\ufffd</p>"
    body = (SWEET * 10).encode() + b"<p>caf\xe9 \xff</p>"
    assert decode(body, "text/html; charset=utf-8") == SWEET * 10 + "<p>caf\ufffd \ufffd</p>"
    assert as_utf8(body, "text/html; charset=utf-8") is body


def test_japanese_in_seven_bits_without_a_declaration_or_with_a_wrong_one():
    page = "<p>会社概要とお問い合わせ</p>"
    assert decode(page.encode("iso2022_jp")) == page
    assert as_utf8(page.encode("iso2022_jp")).decode() == page
    declared = f'<meta charset="utf-8">{page}'
    assert decode(declared.encode("iso2022_jp")) == declared
    assert as_utf8(declared.encode("iso2022_jp"), "text/html; charset=utf-8").decode() == declared


def test_the_language_of_the_page_helps():
    shouted = "КАТАЛОГ КНИГ И ЖУРНАЛОВ"
    assert decode(f'<html lang="ru-RU"><p>{shouted}'.encode("koi8-r")).endswith(shouted)
    assert not decode(f"<html><p>{shouted}".encode("koi8-r")).endswith(shouted)


@pytest.mark.parametrize("language", ["ru", "el", "ja", "zh", "ko", "he"])
def test_the_language_does_not_overrule_the_bytes(language):
    page = f'<html lang="{language}"><p>The café’s “naïve” owner – déjà vu, à la carte'
    assert decode(page.encode("cp1252")) == page


def test_meaningless_bytes_fall_back():
    noise = random.Random(7).randbytes(3000).translate(None, bytes(range(32)))
    assert decode(noise) == decode(noise, "text/html; charset=windows-1252")


def test_control_characters_go():
    assert decode(b"a\x00b\x07c\x1bd\x7fe\tf\ng\r\nh") == "abcde\tf\ng\r\nh"
    assert decode("a\x80b\x9fc".encode()) == "abc"
    assert decode(b"one\x0ctwo\x0bthree") == "one\ntwo\nthree"  # they part words


PIECES = ["<meta ", "charset", "=", " ", "\n", "'", '"', ";", ">", "/", "x", "utf-8"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_declarations_are_read_as_by_the_plain_pattern(text):
    declared = r"charset\s*=\s*[\"']?\s*([^\s;\"'{}]+)"
    header = re.compile(declared.format(""), re.IGNORECASE)
    meta = re.compile(rf"<meta\s[^>]*?{declared.format('>/')}".encode(), re.IGNORECASE)
    assert charset._HEADER.findall(text) == header.findall(text)
    assert charset._META.findall(text.encode()) == meta.findall(text.encode())


def test_declarations_that_are_made_to_be_slow_to_read():
    with no_hanging():
        for _ in range(20):
            assert decode(b"x", "text/html; charset=" + " " * 90_000 + ";") == "x"
            assert decode(b"<meta " * 80 + b"charset=" + b" " * 500 + b";", "text/html")


@pytest.mark.parametrize("length", range(20))
@pytest.mark.parametrize(
    "declared", ["text/html", "text/html; charset=utf-8", "text/html; charset=iso-2022-jp"]
)
def test_an_escape_sequence_that_does_not_end_costs_no_page(declared, length):
    body = b"<p>hello word \x1b$" + b"(" * length
    assert "hello word" in charset.decode(body, declared)
    assert b"hello word" in charset.as_utf8(body, declared)
