"""The owner's rules for a site."""

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from gossamer.config import Config
from gossamer.extract.document import extract
from gossamer.extract.settings import ExtractionRule
from gossamer.model import BadSetting, FetchResult
from gossamer.web.url import canonical

pytest.importorskip("lxml")
pytest.importorskip("cssselect")

DOCUMENTATION = (Path(__file__).parents[2] / "docs" / "documents.md").read_text(encoding="utf-8")
URL = canonical("http://www.herald.example/news/ferry")
PAGE = """<html lang=en><head><title>Herald</title></head><body><nav><a href=/a>A</a></nav>
<div id=x><h1>Jaguars</h1><p>They are <b>big</b>.</p><i class=ad>Buy!</i> They <a href=/roar>roar</a>.
<div class=x><p>inner</p></div></div><p class=when>2024-05-01</p>
<time datetime=2023-02-01>long ago</time></body>"""


def read(rules, html=PAGE, url=URL):
    body = html.encode()
    result = FetchResult(url, 2e9, status=200, headers=(("Content-Type", "text/html"),), body=body)
    return extract(result, rules=tuple(rules))


def rule(**named):
    made = ExtractionRule(**({"host": "*.herald.example"} | named))
    assert made.problem() == ""
    return made


def block(language):
    return re.search(rf"```{language}\n(.*?)```", DOCUMENTATION, re.DOTALL)[1]


def test_the_example_of_the_documentation(tmp_path):
    file = tmp_path / "gossamer.toml"
    file.write_text(block("toml"))
    rules = Config.load(file).extract.rules
    page = read(rules, block("html"))
    shown = dict(re.findall(r"^\| (title|author|published|text) \| (.*) \|$", DOCUMENTATION, re.MULTILINE))
    assert (page.title, page.author) == (shown["title"], shown["author"])
    assert page.published == 1_714_521_600.0
    assert page.text.split("\n") == shown["text"].split(" / ")
    assert {link.target.path for link in page.links} == {"/", "/ada"}
    assert "Home" in page.surroundings
    assert "boat" not in page.text + page.surroundings


def test_every_name_of_a_rule_stands_in_the_documentation():
    table = re.findall(r"^\| `(\w+)` \| (.*) \|$", DOCUMENTATION.partition("\n## Rules")[2], re.MULTILINE)
    assert table == [(one.name, one.metadata["sentence"]) for one in fields(ExtractionRule)]


def test_xpath_and_css_agree():
    one = read([rule(title="#x h1", content="#x", remove=".ad", date="time")])
    two = read(
        [rule(title="//h1", content="//*[@id='x']", remove="//*[@class='ad']", date="//time/@datetime")]
    )
    assert one == two
    assert one.text.split("\n") == ["Jaguars", "They are big.", "They roar.", "inner"]
    assert (one.title, one.headings) == ("Jaguars", ("Jaguars",))
    assert one.published == 1_675_209_600.0


def test_nested_matches_are_read_once():
    assert read([rule(content="div")]).text.count("inner") == 1


def test_fields_that_a_rule_does_not_find_stay():
    plain = read([])
    assert read([rule(title=".none", content=".none", date=".none", author=".none")]) == plain
    assert read([rule(date="h1")]).published == plain.published


def test_strings_and_texts():
    assert read([rule(title="(string(//h1))")]).title == "Jaguars"
    assert read([rule(title="//h1/text()", date="//p[@class='when']")]).published == 1_714_521_600.0


def test_removal_alone():
    page = read([rule(remove="#x .x, .ad")])
    assert "inner" not in page.text + page.surroundings
    assert "They are big" in page.text


def test_the_sketch_of_a_page_with_a_rule():
    assert read([rule(content="h1")]).digest != read([]).digest


@pytest.mark.parametrize(
    ("host", "path", "applies"),
    [
        ("*.herald.example", "", True),
        ("www.herald.example", "^/news/", True),
        ("www.herald.example", "^/sport/", False),
        ("herald.example", "", False),
    ],
)
def test_where_a_rule_applies(host, path, applies):
    assert rule(host=host, path=path, title="h1").applies(URL) == applies


def test_the_first_rule_is_used():
    assert read([rule(title="b"), rule(title="h1")]).title == "big"


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"host": "a", "content": "//div["}, r"rules 2: content '//div\[' is not a valid XPath"),
        ({"host": "a", "title": "h1:::"}, "rules 2: title 'h1:::' is not a valid CSS selector"),
        ({"host": "a", "title": "h1:unknown(2)"}, "is not a valid CSS selector"),
        ({"host": "a", "date": "//x:y"}, "date '//x:y' is not a valid XPath"),
        ({"host": "a", "date": "/nothing(1)"}, "is not a valid XPath"),
        ({"host": "a", "path": "(", "title": "h1"}, r"path '\(' is not a regular expression"),
        ({"title": "h1"}, "needs a host"),
        ({"host": "a"}, "needs one of title, content"),
        ({"host": "a", "titel": "h1"}, "no setting 'titel'; did you mean 'title'"),
        ({"host": 7}, "host must be a string"),
        ("h1", "must be a table"),
    ],
)
def test_wrong_rules_are_reported_when_settings_are_read(table, told):
    good = {"host": "a", "title": "h1"}
    with pytest.raises(BadSetting, match=told):
        Config().changed({"extract": {"rules": [good, table]}})


def test_pages_without_a_rule_load_nothing():
    program = (
        "import sys\nfrom gossamer.extract.document import extract\n"
        "from gossamer.extract.settings import ExtractionRule\n"
        "from gossamer.model import FetchResult\nfrom gossamer.web.url import canonical\n"
        "from gossamer.config import Config\n"
        "print('lxml' in sys.modules, 'markdown_it' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


@pytest.mark.parametrize(
    "html", ["", "<", "<p", "<!---->", "\x00", "<html></html>", "<a" * 3_000, "<div>" * 5_000]
)
def test_odd_pages(html):
    page = read([rule(content="p, div", remove="html", title="//p")], html + " ")
    assert not page.problem.startswith("extraction")
