"""IP addresses that a link must not reach."""

from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.web.host import is_public


@pytest.mark.parametrize(
    "address",
    [
        "93.184.215.14",
        "8.8.8.8",
        "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
        "64:ff9b::808:808",
        "2002:808:808::1",
    ],
)
def test_public(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.255.0.3",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "198.18.0.1",
        "::",
        "::1",
        "[::1]",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fd12:3456::1",
        "fec0::1",
        "ff02::1",
        "4000::1",
        "2001:db8::1",
        "64:ff9b:1::1",
        "",
        "example.com",
        "1.2.3",
        "127.1",
    ],
)
def test_not_public(address):
    assert not is_public(address)


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_embedded_addresses_are_judged_by_the_ipv4_address(inner):
    number = int(inner)
    high, low = number >> 16, number & 0xFFFF
    forms = [
        f"::ffff:{inner}",
        f"::{high:x}:{low:x}",
        f"64:ff9b::{high:x}:{low:x}",
        f"2002:{high:x}:{low:x}::",
    ]
    assert {is_public(form) for form in forms} == {is_public(str(inner))}
