"""Stored copies: which authors do not want to be shown."""

from __future__ import annotations

import re

import pytest
from guarding import no_hanging
from hypothesis import given
from hypothesis import strategies as st

from gossamer import Engine
from gossamer.answer.cached_copy import HEAD, robots_metas
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html
from gossamer.extract.http_headers import AGENT

SETTINGS = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
PLAIN = re.compile(rf"<meta\b[^>]*\bname\s*=\s*[\"']?(?:robots|{AGENT})\b[^>]*>", re.IGNORECASE)
PIECES = ["<meta", "<META", " ", "\n", "name", "=", "'", '"', "robots", AGENT, "a", ">", "<", " name=robots"]
SLOW = [
    "<meta name=robots " * 5_000,
    "<meta " * 16_000,
    "<meta " + "name=" * 18_000,
    "<meta " + "name" + " " * 90_000,
    "<meta name=robots" * 5_000 + ">",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_metas_are_found_as_by_the_plain_pattern(text):
    assert robots_metas(text) == PLAIN.findall(text)


@pytest.mark.parametrize("head", SLOW)
def test_heads_that_are_made_to_be_slow_to_read(head):
    with no_hanging():
        assert len(robots_metas(head[:HEAD])) <= 1


@pytest.mark.parametrize(
    ("head", "is_shown"),
    [
        ("<meta name=robots content=noarchive>", False),
        ("<META CONTENT='index, NOARCHIVE' NAME = 'Robots'>", False),
        (f"<meta name={AGENT} content=nocache>", False),
        ("<meta name=robots content=index><meta name=other content=noarchive>", True),
        *((head, True) for head in SLOW[:2]),
    ],
)
def test_who_asks_for_it_is_not_shown(tmp_path, head, is_shown):
    web = ScriptedWeb({"a.test": ScriptedHost({"/": html(f"<title>T</title>{head}><p>Some words of it.")})})
    with no_hanging(), Engine.open(tmp_path, create=True, settings=SETTINGS) as engine:
        engine.crawl(["http://a.test/"], transport=ScriptedTransport(web))
        assert (engine.cached("http://a.test/") is not None) is is_shown
