"""Country lookup in files in the MaxMind DB format, and damaged files."""

from __future__ import annotations

import ipaddress
from contextlib import suppress

import pytest
from address_files import database
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import BadSetting
from gossamer.serve.location import AddressDatabase

NETWORKS = {"192.0.2.0/24": "DK", "198.51.100.0/25": "DE", "198.51.100.128/25": "AT", "2001:db8::/32": "GR"}
IPV4 = {network: country for network, country in NETWORKS.items() if ":" not in network}


def expected(address, networks):
    known = ipaddress.ip_address(address)
    for network, country in networks.items():
        own = ipaddress.ip_network(network)
        if own.version == known.version and known in own:
            return country
    return ""


@pytest.mark.parametrize("bits", [24, 28, 32])
@pytest.mark.parametrize("pointed", [False, True])
def test_countries_of_addresses(bits, pointed):
    known = AddressDatabase(database(NETWORKS, bits, pointed=pointed))
    for address in (
        "192.0.2.7",
        "198.51.100.1",
        "198.51.100.200",
        "203.0.113.1",
        "2001:db8::1",
        "2001:db9::1",
    ):
        assert known.country(address) == expected(address, NETWORKS), address


def test_other_notations_of_addresses():
    known = AddressDatabase(database(NETWORKS))
    assert known.country("::ffff:192.0.2.7") == "DK"
    assert known.country("2001:db8::1%eth0") == "GR"
    assert known.country("testclient") == known.country("") == ""


def test_an_ipv4_database_has_no_ipv6_addresses():
    known = AddressDatabase(database(IPV4, version=4))
    assert known.country("198.51.100.130") == "AT"
    assert known.country("2001:db8::1") == ""


@given(st.ip_addresses(), st.sampled_from([24, 28, 32]))
def test_every_address_has_an_answer(address, bits):
    assert AddressDatabase(database(NETWORKS, bits)).country(str(address)) == expected(str(address), NETWORKS)


WHOLE = database(NETWORKS)


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255), st.integers(0, len(WHOLE)))
def test_a_damaged_database_is_refused_or_gives_no_country(place, byte, end):
    broken = (WHOLE[:place] + bytes([byte]) + WHOLE[place + 1 :])[:end]
    with suppress(BadSetting):
        known = AddressDatabase(broken)
        for address in ("192.0.2.7", "2001:db8::1", "203.0.113.1"):
            assert isinstance(known.country(address), str)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(BadSetting, match=r"missing\.mmdb"):
        AddressDatabase.read(tmp_path / "missing.mmdb")
    path = tmp_path / "page.mmdb"
    path.write_text("<html>")
    with pytest.raises(BadSetting, match="not a file in the MaxMind DB format"):
        AddressDatabase.read(path)
    path.write_bytes(WHOLE[: WHOLE.index(b"node_count")])
    with pytest.raises(BadSetting, match=r"page\.mmdb: .*damaged"):
        AddressDatabase.read(path)
    path.write_bytes(database({"192.0.2.0/24": "DK"})[20:])  # the tree is shorter than the metadata says
    assert AddressDatabase.read(path).country("192.0.2.1") == ""
    path.write_bytes(WHOLE)
    assert AddressDatabase.read(path).country("192.0.2.1") == "DK"
