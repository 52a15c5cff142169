"""External test cases: 1,076 real robots.txt files, and the URL tests of the WHATWG.

They may not be published with the project; where they are not at hand, these tests are skipped.
"""

import json
import re
import tarfile
from pathlib import Path

import pytest

from gossamer.web.robots import parse
from gossamer.web.url import canonical

CASES = Path(__file__).parents[3] / "shared" / "data" / "conformance"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the folder shared/data/conformance is not there")

UNRESERVED = re.compile("[A-Za-z0-9._~-]")


def cases_of(name):
    path = CASES / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    return [case for case in json.loads(path.read_text()) if isinstance(case, dict)]


def one_form(href):
    """Return the expected canonical form: no fragment, one form of escapes, no empty query."""
    address, _, query = href.partition("#")[0].partition("?")
    escaped = re.sub("%(?![0-9A-Fa-f]{2})", "%25", f"{address}?{query}" if query else address)

    def octet(match):
        character = chr(int(match[1], 16))
        return character if UNRESERVED.match(character) else match[0].upper()

    return re.sub("%([0-9A-Fa-f]{2})", octet, escaped)


def is_crawled(case):
    href = case.get("href", "")
    is_anonymous = not case.get("username") and not case.get("password")
    return href.startswith(("http://", "https://")) and is_anonymous


def result_of(case):
    base = canonical(case["base"]) if case.get("base") else None
    url = canonical(case["input"], base)
    return None if url is None else url.text


def test_urls_are_those_of_the_whatwg():
    cases = cases_of("urltestdata.json")
    wanted = {
        number: one_form(case["href"]) if is_crawled(case) else None for number, case in enumerate(cases)
    }
    assert len(cases) > 850
    assert sum(text is not None for text in wanted.values()) > 200
    assert {number: result_of(case) for number, case in enumerate(cases)} == wanted


def test_names_become_ascii_as_with_the_whatwg():
    cases = cases_of("toascii.json")
    for case in cases:
        url = canonical(f"https://{case['input']}/x")
        assert (url.host if url else None) == (case["output"] or None), case
    assert len(cases) > 80


def test_queries_are_escaped_as_with_the_whatwg():
    for case in cases_of("percent-encoding.json"):
        assert canonical(f"https://h.com/?{case['input']}").path == "/?" + case["output"]["utf-8"]


def test_real_robots_files():
    path = CASES / "robots-txt-real.tar.xz"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    url = canonical("http://example.com/search?q=x")
    parsed = 0
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None:
                rules = parse(file.read())
                assert rules.allows(url, "gossamer") in {True, False}, member.name
                assert 0.0 <= (rules.crawl_delay("gossamer") or 0.0) < 10_000, member.name
                parsed += 1
    assert parsed == 1_076
