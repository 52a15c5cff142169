"""Registrable domains and buckets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.web.host import BUCKETS, bucket, is_ip_literal, registrable_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.com", "example.com"),
        ("news.bbc.co.uk", "bbc.co.uk"),
        ("example.com", "example.com"),
        ("co.uk", "co.uk"),
        ("good-links.localhost", "good-links.localhost"),
        ("a.b.good-links.localhost", "good-links.localhost"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("anna.github.io", "anna.github.io"),
        ("www.xn--exmple-qta.com", "xn--exmple-qta.com"),
    ],
)
def test_registrable_domain(host, domain):
    assert registrable_domain(host) == domain


@pytest.mark.parametrize(
    ("host", "literal"),
    [("10.0.0.1", True), ("[::1]", True), ("example.com", False), ("route66", False), ("", False)],
)
def test_is_ip_literal(host, literal):
    assert is_ip_literal(host) is literal


def test_buckets_never_change():
    assert bucket("example.com") == bucket("www.example.com") == 275
    assert bucket("bbc.co.uk") == 391


@given(st.from_regex(r"[a-z]{1,10}\.(com|de|org)", fullmatch=True))
def test_hosts_of_a_site_share_a_bucket(domain):
    assert 0 <= bucket(domain) < BUCKETS
    assert bucket(f"www.{domain}") == bucket(domain)
