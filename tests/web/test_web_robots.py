"""The Robots Exclusion Protocol, RFC 9309."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.web.robots import ALLOW_ALL, DISALLOW_ALL, LONGEST_DELAY, MAX_BYTES, parse, product_token
from gossamer.web.url import canonical

AGENT = "Gossamer/0.1 (web search crawler; obeys robots.txt)"


def allows(body, path, agent=AGENT):
    written = body if isinstance(body, bytes) else body.encode()
    return parse(written).allows(canonical("http://example.com" + path), agent)


def obeys(rules, path):
    return allows("User-agent: *\n" + "\n".join(rules) + "\n", path)


# Groups: section 2.2.1


def test_only_the_named_engine_comes_in():
    body = "User-agent: *\nDisallow: /yoursite/temp/\n\nUser-agent: searchengine\nDisallow:\n"
    assert not allows(body, "/yoursite/temp/x")
    assert allows(body, "/yoursite/temp/x", "searchengine")
    assert allows(body, "/yoursite/")


@pytest.mark.parametrize(
    ("group", "ours"),
    [
        ("gossamer", True),
        ("GOSSAMER", True),
        ("Gossamer/2.0", True),
        ("gossamer *", True),
        ("gossamer, other", True),
        ("goss", False),
        ("search", False),
        ("gossamer-images", False),
        ("gossamer2", False),
        ("my gossamer", False),
        ("*", True),
        ("* # all", True),
        ("*bot", False),
        ("", False),
    ],
)
def test_which_group_is_ours(group, ours):
    assert allows(f"User-agent: {group}\nDisallow: /\n", "/x") is not ours


def test_our_group_replaces_the_general_one():
    body = "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: gossamer\nDisallow: /a\n"
    assert allows(body, "/b")
    assert not allows(body, "/a")
    assert not allows(body, "/b", "Someone/1.0")


def test_a_group_of_our_own_without_rules_allows_everything():
    assert allows("User-agent: *\nDisallow: /\nUser-agent: gossamer\n", "/x")


def test_groups_of_the_same_agent_are_one():
    groups = [("gossamer", "/a"), ("x", "/"), ("Gossamer/1", "/b")]
    body = "\n".join(f"User-agent: {agent}\nDisallow: {path}\n" for agent, path in groups)
    assert [allows(body, path) for path in ("/a", "/b", "/c")] == [False, False, True]


def test_without_a_group_for_us_or_all_everything_is_allowed():
    assert allows("User-agent: other\nDisallow: /\n", "/x")
    assert allows("Disallow: /\nUser-agent: other\n", "/x")


@pytest.mark.parametrize(
    "between", ["", "# comment", "Sitemap: http://a/", "Crawl-delay: 5", "Unknown: x", "<p>"]
)
def test_only_rules_end_the_list_of_agents(between):
    body = f"User-agent: gossamer\n{between}\nUser-agent: other\nDisallow: /x\n"
    assert not allows(body, "/x")
    assert not allows(body, "/x", "other")


@pytest.mark.parametrize("between", ["Allow: /y", "Disallow:"])
def test_rules_end_the_list_of_agents(between):
    assert allows(f"User-agent: gossamer\n{between}\nUser-agent: other\nDisallow: /x\n", "/x")


@pytest.mark.parametrize("between", ["", "# comment", "Sitemap: http://a/", "Unknown: x", "Crawl-delay: 1"])
def test_other_lines_do_not_end_a_group(between):
    assert not allows(f"User-agent: *\nAllow: /y\n{between}\nDisallow: /x\n", "/x")


# Rules: sections 2.2.2 and 2.2.3


def test_the_longest_rule_wins():
    rules = ["Disallow: /search", "Allow: /searchhistory/"]
    assert obeys(rules, "/searchhistory/today")
    assert not obeys(rules, "/search?q=x")


def test_the_example_of_section_5_2():
    body = (
        "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n"
        "User-Agent: foobot\nAllow: /example/page/disallow\n"
    )
    assert not allows(body, "/example/page/disallowed.gif", "foobot")
    assert allows(body, "/example/page/x", "foobot")


def test_of_two_rules_of_one_length_the_one_that_allows_wins():
    for rules in (["Allow: /a*b", "Disallow: /aa"], ["Disallow: /page", "Allow: /page"]):
        assert obeys(rules, "/aab")
        assert obeys(rules, "/page")


@pytest.mark.parametrize(
    ("rule", "path", "matches"),
    [
        ("/", "/x", True),
        ("", "/x", False),
        ("/a", "/A", False),
        ("/*.pdf$", "/a.pdf", True),
        ("/*.pdf$", "/a.pdf?x=1", False),
        ("/a$", "/a", True),
        ("/a$", "/ab", False),
        ("/a*$", "/ab", True),
        ("*", "/", True),
        ("*/x", "/a/x", True),
        ("/a**b***c", "/a1b2c3", True),
        ("/a*b*a", "/aba", True),
        ("/ab*ba$", "/aba", False),
        ("/a$b", "/a$bc", True),
        ("/*?", "/a?b", True),
        ("/*?", "/a", False),
        ("/private # for now", "/private/x", True),
        # The table of section 2.2.2
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz", True),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", True),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar", True),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%E3%83%84", "/foo/bar/ツ", True),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", True),
        # The table of section 2.2.3
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", True),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-b.html", False),
        ("/path/foo-%24", "/path/foo-$", True),
        ("/path/foo-%24", "/path/foo-$x", True),
        # Escapes elsewhere
        ("/caf%c3%a9", "/café", True),
        ("/wiki/Special:", "/wiki/Special%3ASearch", True),
        ("/a%2Fb", "/a/b", False),
        ("/a/b", "/a%2Fb", False),
        ("/a%3fb", "/a?b", False),
        ("/*u=http%3A%2F%2F", "/?u=http%3A%2F%2Fx", True),
        ("/*u=http://", "/?u=http%3A%2F%2Fx", True),
        ("/a b", "/a%20b", True),
        ("/a|b", "/a%7Cb", True),
        ("/100%", "/100%25", True),
        # What people write instead of a path
        ("index.php", "/index.php", True),
        ("?print=", "/?print=1", True),
        ("http://example.com/a/b", "/a/b/c", True),
        ("https://example.com/", "/a", False),
    ],
)
def test_rules(rule, path, matches):
    assert obeys([f"Disallow: {rule}"], path) is not matches
    assert obeys(["Disallow: /", f"Allow: {rule}"], path) is matches


def test_the_file_itself_may_always_be_asked_for():
    paths = {"/robots.txt": True, "/robots.txt?x": True, "/robots.txt.html": False, "/a/robots.txt": False}
    assert {path: obeys(["Disallow: /"], path) for path in paths} == paths


def test_octets_that_are_no_utf8_are_compared_as_they_are():
    body = b"User-agent: *\nDisallow: /caf\xe9\n"
    assert not allows(body, "/caf%E9")
    assert allows(body, "/caf%C3%A9")


PATTERNS = st.text(alphabet="ab/*$?%2F", max_size=8).map(lambda text: "/" + text)


def plain_verdict(rules, path):
    """Plain reference for RFC 9309, for characters without escapes."""
    best = (-1, True)
    for allowed, pattern in rules:
        expression = ".*".join(re.escape(piece) for piece in pattern.removesuffix("$").split("*"))
        if re.match(expression + ("$" if pattern.endswith("$") else ""), path):
            best = max(best, (len(pattern), allowed))
    return best[1]


SIMPLE = st.builds(
    lambda text, anchor: "/" + text + anchor,
    st.text(alphabet="ab/*?", max_size=6),
    st.sampled_from(["", "$"]),
)


@given(st.lists(st.tuples(st.booleans(), SIMPLE), max_size=6), st.text(alphabet="ab/", max_size=8))
def test_verdicts_are_those_of_the_plain_reading(rules, path):
    body = "User-agent: *\n" + "".join(f"{'Allow' if ok else 'Disallow'}: {rule}\n" for ok, rule in rules)
    assert allows(body, "/" + path) is plain_verdict(rules, canonical("http://h/" + path).path)


@given(st.lists(PATTERNS, max_size=5), st.text(alphabet="ab/*$?%2F", max_size=8))
def test_a_rule_matches_what_it_spells(patterns, rest):
    address = canonical("http://example.com/" + rest)
    body = "User-agent: *\n" + "".join(f"Disallow: {pattern}\n" for pattern in patterns)
    literal = address.path.replace("*", "%2A").replace("$", "%24")
    assert not allows(body + f"Disallow: {literal}$\n", address.path) or rest.startswith("robots.txt")


# The file: section 2.3 to 2.5


def test_byte_order_mark_and_line_ends():
    assert not allows("\ufeffUser-agent: *\r\nDisallow: /a\r\n", "/a")
    assert not allows("User-agent: *\rDisallow: /a\r", "/a")
    assert not allows("\n\n\t User-agent : *  \n  DISALLOW:/a", "/a")


@pytest.mark.parametrize(
    "body", ["User-agent *\nDisallow /a\n", "useragent: *\nDissallow: /a\n", "User agent: *\nDisalow:/a"]
)
def test_lines_that_people_get_wrong(body):
    assert not allows(body, "/a")
    assert allows(body, "/b")


def test_what_stands_after_the_limit_is_not_read_nor_half_a_line():
    start = b"User-agent: *\nAllow: /a\n"
    filler = b"#" * (MAX_BYTES - len(start) - len(b"\nDisallow: /")) + b"\n"
    rules = parse(start + filler + b"Disallow: /private/only/this\nDisallow: /b\n")
    for path in ("/", "/b", "/private/only/this"):
        assert rules.allows(canonical("http://example.com" + path), AGENT)


@pytest.mark.parametrize(
    "line",
    [b"User-agent: a\n", b"Disallow: /*a*b*c\n", b"Disallow: /" + b"*a" * 2_000 + b"\n", b" \t", b"Allow: "],
)
def test_hostile_files_cost_no_more_than_others(line):
    rules = parse(b"User-agent: *\n" + line * (MAX_BYTES // len(line)))
    assert rules.allows(canonical("http://example.com/" + "a" * 1_900), AGENT) in {True, False}


# Delays and sitemaps


def delay_of(*lines):
    return parse("\n".join(("User-agent: *", *lines)).encode()).crawl_delay(AGENT)


@pytest.mark.parametrize(
    ("line", "delay"),
    [
        ("Crawl-delay: 2.5", 2.5),
        ("Crawl-delay: 1,5", 1.5),
        ("Crawl-delay: .5", 0.5),
        ("Crawl-delay: 10.", 10.0),
        ("Crawl-delay: 0", 0.0),
        ("crawl delay: 10 s # slowly", 10.0),
        ("Crawl-delay: 10 seconds", 10.0),
        ("Crawl-delay: " + "9" * 500, LONGEST_DELAY),
        ("Crawl-delay: -1", None),
        ("Crawl-delay: nan", None),
        ("Crawl-delay: inf", None),
        ("Crawl-delay: 1e9", None),
        ("Crawl-delay: 10 minutes", None),
        ("Crawl-delay: soon", None),
        ("Crawl-delay:", None),
        ("Request-rate: 1/5", 5.0),
        ("Request-rate: 30/1m", 2.0),
        ("Request-rate: 1/10s 0600-0845", 10.0),
        ("Request-rate: 1/9d", LONGEST_DELAY),
        ("Request-rate: 0/5", None),
        ("Request-rate: 5", None),
    ],
)
def test_delays(line, delay):
    assert delay_of(line) == delay


def test_the_longest_delay_counts():
    assert delay_of("Crawl-delay: 2", "Request-rate: 1/7", "Crawl-delay: 3") == 7.0


def test_a_delay_is_for_the_agents_named_so_far():
    rules = parse(b"User-agent: bing\nCrawl-delay: 9\nUser-agent: *\nDisallow: /x\n")
    assert rules.crawl_delay(AGENT) is None
    assert rules.crawl_delay("bing") == 9.0


def test_sitemaps():
    rules = parse(
        b"Sitemap: http://example.com/s.xml\nUser-agent: *\nDisallow: /\nsite-map: http://b/t.xml # other\n"
        b"Sitemap: http://example.com/s.xml\nSitemap:\nSitemap https://c/\xc3\xa9.xml"
    )
    assert rules.sitemaps == ("http://example.com/s.xml", "http://b/t.xml", "https://c/é.xml")


def test_constants():
    url = canonical("http://example.com/x")
    assert ALLOW_ALL.allows(url, AGENT)
    assert not DISALLOW_ALL.allows(url, AGENT)
    assert ALLOW_ALL.crawl_delay(AGENT) is None


def test_product_token():
    assert product_token(AGENT) == "gossamer"
    assert product_token(" Curl ") == "curl"


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(body):
    rules = parse(b"User-agent: *\n" + body)
    assert rules.allows(canonical("http://example.com/x"), AGENT) in {True, False}
    assert (rules.crawl_delay(AGENT) or 0.0) >= 0.0
