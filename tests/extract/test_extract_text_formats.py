"""Markdown and subtitles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.document import extract
from gossamer.extract.media_type import media_type
from gossamer.model import FetchResult
from gossamer.web.url import canonical

URL = canonical("http://cats.example/notes/big.md")
NOW = 2_000_000_000.0
DAY = 1_714_521_600.0  # 1 May 2024


def read(text, content_type="text/markdown", url=URL):
    body = text if isinstance(text, bytes) else text.encode()
    return extract(FetchResult(url, NOW, status=200, headers=(("Content-Type", content_type),), body=body))


MARKDOWN = """# Big *cats*

They live in [the zoo](../zoo.html "Zoo") and <https://wild.example/>. See [one][1].

Lions
-----

    indented code

```python
print("roar")
```

| name | weight |
|---|---|
| lion | 190 |

<h2 align=center>By <a href="/ada">Ada</a></h2>

[1]: http://one.example/
"""


def test_markdown_has_structure():
    page = read(MARKDOWN)
    assert page.title == "Big cats"
    assert page.headings == ("Big cats", "Lions", "By Ada")
    found = {link.target.text: link.anchor for link in page.links}
    assert found == {
        "http://cats.example/zoo.html": "the zoo",
        "https://wild.example/": "https://wild.example/",
        "http://one.example/": "one",
        "http://cats.example/ada": "Ada",
    }
    for words in ("They live in the zoo", "indented code", 'print("roar")', "lion", "190"):
        assert words in page.text
    assert not set("#*[]|`") & set(page.text)


@pytest.mark.parametrize(
    "front",
    [
        '---\ntitle: "Cats: a book"\nauthor: Ada, Ben\ndate: 2024-05-01\nlang: en-GB\n---\n',
        "---\nTitle: 'Cats: a book'\nauthors:\n  - Ada\n  - name: Ben\ndate: 2024-05-01\nlang: en\n...\n",
        '+++\ntitle = "Cats: a book"\nauthors = ["Ada", {name = "Ben"}]\ndate = 2024-05-01\nlang="en"\n+++\n',
        "% Cats: a book\n% Ada; Ben\n% 2024-05-01\n",
        "% Cats: a book\n% Ada; Ben\n% 1 May 2024\n",
        "% Cats:\n  a book\n% Ada\n  Ben\n% May 1, 2024\n",
        "% Cats: a book\r\n% Ada; Ben\r\n% 1 May 2024\r\n",
    ],
)
def test_front_matter(front):
    page = read(front + "\n# Jaguars\n\ntext")
    assert (page.title, page.published, page.text) == ("Cats: a book", DAY, "Jaguars\ntext")
    assert page.author == "Ada, Ben"
    assert page.language == "en"


def test_a_title_block_without_text():
    page = read("% Cats\n% Ada\n% 1 May 2024")
    assert (page.title, page.author, page.published, page.text) == ("Cats", "Ada", DAY, "")


@pytest.mark.parametrize("front", ["---\n", "---\ntitle: x\n", "+++\ntitle =\n+++\n", "%", "---\n- a\n---\n"])
def test_text_that_is_not_front_matter(front):
    assert read(front + "\n\nwords").text.endswith("words")


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/octet-stream", "text/x-markdown"])
def test_markdown_by_its_ending(content_type):
    assert read("# One", content_type).media_type == "text/markdown"
    assert read("# One", "text/plain", canonical("http://cats.example/README")).media_type == "text/plain"


def test_deep_markdown():
    for deep in (">" * 3_000 + " x", "[" * 20_000, "*" * 20_000 + "a", "- " * 3_000 + "x", "`" * 20_000):
        assert not read(deep + "\n\nend").problem.startswith("extraction")


@given(st.text("#*[]()<>`|-+%:\n abc\\!&;\"'", max_size=300))
def test_any_markdown_gives_a_page(text):
    assert not read(text).problem.startswith("extraction")


SRT = (
    "1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Cats</i> are\r\n{\\an8}big\r\n\r\n"
    "2\r\n00:00:03,000 --> 00:00:04,000\r\nbig\r\nand loud\r\n"
)
VTT = """WEBVTT - Big cats
Kind: captions
Language: en-GB

STYLE
::cue { color: lime }

NOTE a remark

intro
00:01.000 --> 00:02.500 align:start
<v Ada>Cats &amp; dogs

00:00:03.000 --> 00:00:04.000
are <00:00:03.500><c>big</c>
"""


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/x-subrip", "text/srt"])
def test_subrip(content_type):
    page = read(SRT, content_type, canonical("http://cats.example/film"))
    assert (page.text, page.media_type) == ("Cats are big\nand loud", "application/x-subrip")


@pytest.mark.parametrize("content_type", ["", "text/plain", "text/vtt; charset=utf-8"])
def test_webvtt(content_type):
    page = read("\ufeff" + VTT, content_type, canonical("http://cats.example/film"))
    assert (page.text, page.title, page.language) == ("Cats & dogs\nare big", "Big cats", "en")
    assert page.media_type == "text/vtt"


def test_subtitles_in_old_encodings():
    page = read(
        SRT.replace("loud", "громкие кошки и собаки").encode("cp1251"),
        "text/plain",
        canonical("http://a.example/x.srt"),
    )
    assert page.text.endswith("and громкие кошки и собаки")


def test_words_that_only_resemble_subtitles():
    assert media_type("text/plain", b"WEBVTTX") == "text/plain"
    assert media_type("text/plain", b"1\n2 --> 3") == "text/plain"


@given(st.text("0123456789:,.->\n \r<>{}\\WEBVTNOS", max_size=200), st.sampled_from(["text/vtt", "text/srt"]))
def test_any_subtitles_give_a_page(text, content_type):
    assert not read(text, content_type).problem.startswith("extraction")
