"""The header Accept-Language."""

from __future__ import annotations

import pytest
from fake_engine import FakeEngine
from hypothesis import given
from hypothesis import strategies as st

from gossamer.serve.i18n import MOST_ACCEPTED, accepted, region


@pytest.mark.parametrize(("header", "codes"), [
    ("", ()),
    ("de", ("de",)),
    ("de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7", ("de", "en")),
    ("en;q=0.5, fr", ("fr", "en")),
    ("*", ()),
    ("da;q=0, sv;q=0.1", ("sv",)),
    ("da; q = 0.4 , sv", ("sv", "da")),
    ("de;q=lots, en", ("en",)),
    ("de;level=1", ("de",)),
    (";;;,,,", ()),
    (", ".join(f"{a}{b}" for a in "abcd" for b in "efgh"), None),
])  # fmt: skip
def test_accepted(header, codes):
    if codes is None:
        assert len(accepted(header)) == MOST_ACCEPTED
    else:
        assert accepted(header) == codes


@pytest.mark.parametrize(
    ("header", "country"),
    [
        ("en-u-ca-gregory", ""),
        ("art-x-de", ""),
        ("en-GB-u-ca-gregory", "GB"),
        ("zh-Hant-TW-x-de", "TW"),
        ("x-de, fr_be;q=0.5", "BE"),
        ("en-u-ca-gregory, de-AT;q=0.3", "AT"),
        ("i-default", ""),
    ],
)
def test_countries_are_not_read_from_extensions(header, country):
    assert region(header) == country


@given(st.text())
def test_any_header_is_read(header):
    assert all(code.isalpha() for code in accepted(header))


def test_preferences_reach_the_engine(client_of):
    engine = FakeEngine()
    client = client_of(engine)
    header = {"Accept-Language": "de-CH, en;q=0.5"}
    for address, codes in (("/search?q=cat", ("de", "en")), ("/api/search?q=cat", ("de", "en")),
                           ("/api/search?q=cat&languages=fr,it", ("fr", "it"))):  # fmt: skip
        answer = client.get(address, headers=header)
        assert (engine.asked[-1].languages, answer.headers["vary"]) == (codes, "Accept-Language")
