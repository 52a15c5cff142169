"""The Robots Exclusion Protocol."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.web.robots import ALLOW_ALL, DISALLOW_ALL, MAX_BYTES, parse, product_token
from gossamer.web.url import canonical

AGENT = "Gossamer/0.1 (web search crawler; obeys robots.txt)"


def allows(body, path, agent=AGENT):
    return parse(body.encode()).allows(canonical("http://example.com" + path), agent)


def test_only_the_named_engine_comes_in():
    body = "User-agent: *\nDisallow: /yoursite/temp/\n\nUser-agent: searchengine\nDisallow:\n"
    assert not allows(body, "/yoursite/temp/x")
    assert allows(body, "/yoursite/temp/x", "searchengine")
    assert allows(body, "/yoursite/")


def test_the_longest_rule_wins():
    body = "User-agent: *\nDisallow: /search\nAllow: /searchhistory/\n"
    assert allows(body, "/searchhistory/today")
    assert not allows(body, "/search?q=x")


@pytest.mark.parametrize(
    ("rule", "path", "allowed"),
    [
        ("Disallow: /*.pdf$", "/a.pdf", False),
        ("Disallow: /*.pdf$", "/a.pdf?x=1", True),
        ("Disallow: /", "/robots.txt", True),
        ("Disallow: /caf%C3%A9", "/café", False),
        ("Disallow: /private # for now", "/private/x", False),
        ("Disallow:", "/x", True),
        ("", "/x", True),
    ],
)
def test_rules(rule, path, allowed):
    assert allows(f"User-agent: *\n{rule}\n", path) is allowed


@pytest.mark.parametrize(
    ("group", "ours"),
    [
        ("gossamer", True),
        ("GOSSAMER", True),
        ("Gossamer/2.0", True),
        ("goss", False),
        ("search", False),
        ("gossamer-images", False),
        ("*", True),
    ],
)
def test_which_group_is_ours(group, ours):
    assert allows(f"User-agent: {group}\nDisallow: /\n", "/x") is not ours


def test_our_group_replaces_the_general_one():
    body = "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: gossamer\nDisallow: /a\n"
    assert allows(body, "/b")
    assert not allows(body, "/a")
    assert not allows(body, "/b", "Someone/1.0")


def test_groups_of_the_same_agent_are_one():
    groups = [("gossamer", "/a"), ("x", "/"), ("gossamer", "/b")]
    body = "\n".join(f"User-agent: {agent}\nDisallow: {path}\n" for agent, path in groups)
    assert [allows(body, path) for path in ("/a", "/b", "/c")] == [False, False, True]


def test_crawl_delay_and_sitemaps():
    rules = parse(
        b"Sitemap: http://example.com/s.xml\nUser-agent: *\nCrawl-delay: 2.5\nSitemap: http://b/t.xml\n"
    )
    assert rules.crawl_delay(AGENT) == 2.5
    assert rules.sitemaps == ("http://example.com/s.xml", "http://b/t.xml")
    assert parse(b"User-agent: *\nCrawl-delay: soon\n").crawl_delay(AGENT) is None


def test_constants():
    url = canonical("http://example.com/x")
    assert ALLOW_ALL.allows(url, AGENT)
    assert not DISALLOW_ALL.allows(url, AGENT)
    assert ALLOW_ALL.crawl_delay(AGENT) is None


def test_byte_order_mark_and_line_ends():
    assert not allows("\ufeffUser-agent: *\r\nDisallow: /a\r\n", "/a")
    assert not allows("User-agent: *\rDisallow: /a\r", "/a")


def test_what_stands_after_the_limit_is_not_read_nor_half_a_line():
    start = b"User-agent: *\nAllow: /a\n"
    filler = b"#" * (MAX_BYTES - len(start) - len(b"\nDisallow: /")) + b"\n"
    rules = parse(start + filler + b"Disallow: /private/only/this\nDisallow: /b\n")
    for path in ("/", "/b", "/private/only/this"):
        assert rules.allows(canonical("http://example.com" + path), AGENT)


def test_product_token():
    assert product_token(AGENT) == "gossamer"
    assert product_token(" Curl ") == "curl"


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(body):
    rules = parse(b"User-agent: *\n" + body)
    assert rules.allows(canonical("http://example.com/x"), AGENT) in {True, False}
    assert (rules.crawl_delay(AGENT) or 0.0) >= 0.0
