"""Numbers that carry a check digit, and what is told apart without one."""

from __future__ import annotations

import pytest
from answer_context import only, said
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.gazetteer import calling_codes, code_of, country_names, folded
from gossamer.answer.instant import identifiers as check
from gossamer.answer.instant.answer import answers
from gossamer.answer.instant.context import Context
from gossamer.answer.instant.lists import lines


def digits(count):
    return st.text("0123456789", min_size=count, max_size=count)


def right(scheme, body, last="0123456789"):
    return [body + one for one in last if scheme(body + one)]


@given(digits(12))
def test_one_check_digit_in_ten_is_right(body):
    assert len(right(check.is_gs1, body)) == 1
    assert len(right(check.is_fedex_express, body[:11])) == 1
    assert len(right(check.is_s10, body[:8])) == 1
    assert len(right(check.is_dhl_express, body[:9])) == 1
    assert len(right(check.is_mod11, body[:9], "0123456789X")) == 1
    assert len(right(check.is_mod11, body[:7], "0123456789X")) == 1


@given(st.text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=15, max_size=15))
def test_of_ups_too(body):
    (number,) = right(check.is_ups, body)
    assert only(f"1z{number}").answer == "UPS"


@given(digits(12), st.integers(0, 12), st.integers(1, 9))
def test_a_wrong_digit_is_noticed(body, place, by):
    (number,) = right(check.is_gs1, body)
    wrong = number[:place] + str((int(number[place]) + by) % 10) + number[place + 1 :]
    assert not check.is_gs1(wrong)


@given(digits(18))
def test_ibans(body):
    found = [f"DE{two:02}{body}" for two in range(2, 99) if check.is_iban(f"DE{two:02}{body}")]
    assert len(found) == 1
    assert said(found[0]) == ["an account in Germany (The check digits are right.)"]


def test_parcels():
    (usps,) = right(check.is_gs1, "940011020088123456789")
    assert only(usps).link.endswith(usps)
    assert only(f"tracking number {usps}").answer == "USPS"
    assert only("LZ473124829US").link.startswith("https://tools.usps.com/")
    assert only("RR473124829JP").link == ""  # nobody follows it everywhere
    assert said("986578788855") == []  # FedEx, if it were named
    assert said("ups RA473124829DE") == []
    assert said("RA473124829QQ") == []


def test_books():
    assert only("ISBN 0-8044-2957-X").detail == "ISBN-13: 9780804429573"
    assert said("isbn 0804429570") == []
    assert said("0804429576") == []
    assert said("9791034304745") in ([], ["a book"])


def test_codes_of_countries():
    known = country_names()
    assert all(code in known for codes in calling_codes().values() for code in codes)
    assert all(line.split()[0] in known for _, line in lines("iban"))
    assert (code_of("UK"), code_of("usa"), code_of("Greece")) == ("GB", "US", "GR")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Österreich", "AT"),
        ("osterreich", "AT"),
        ("España", "ES"),
        ("Россия", "RU"),
        ("Việt Nam", "VN"),
        ("বাংলাদেশ", "BD"),
        ("États-Unis", "US"),
        ("한국", "KR"),
        ("Ελλάδα", "GR"),
    ],
)
def test_countries_are_known_by_what_they_are_called_at_home(name, code):
    assert code_of(name) == code


def test_no_name_is_that_of_two_countries():
    listed = [
        (name, line.split(" | ")[0])
        for _, line in lines("countries")
        for name in line.split(" | ")[1].split(", ")
    ]
    plain = {(folded(name), code) for name, code in listed}
    assert len(plain) == len({name for name, _ in plain})
    assert {code for _, code in listed} <= country_names().keys()
    assert only(".uk").answer.startswith("Britain")
    assert only(".eu").answer == "the European Union"
    assert said(".zz") == []


def test_telephones():
    assert only("+30 21 0123 4567").answer == "Greece"
    assert only("+1").answer.startswith("United States, Canada")
    assert only("vorwahl 0043").answer == "Austria"
    assert only("(212) area code").answer == "New York"
    assert said("+1 999 555 0100") == []
    assert said("+49 1") == []


def test_area_codes_stand_once():
    codes = [code for _, line in lines("area_codes") for code in line.split(" | ")[1].split(", ")]
    assert len(codes) == len(set(codes))


def test_flights_and_shares():
    assert only("ba 117").link == "https://www.flightaware.com/live/flight/BAW117"
    assert said("ba 2000") == []
    assert said("flight ba 0") == []
    assert only("lse:vod").link == "https://finance.yahoo.com/quote/VOD.L"
    assert only("$BRK.B").link == "https://finance.yahoo.com/quote/BRK-B"


def test_coordinates():
    assert said("52°31'12\"N 13°24'18\"E") == ["52° 31′ 12″ N 13° 24′ 18″ E"]
    assert said("33.8688S 151.2093E") == ["33° 52′ 8″ S 151° 12′ 33″ E"]
    assert said("N 52° 31.2' E 13° 24.3'") == ["52° 31′ 12″ N 13° 24′ 18″ E"]
    assert said("52°61'N 13°24'E") == []
    assert said("4 s 2 e") == []


@given(st.floats(-90, 90), st.floats(-180, 180))
def test_coordinates_lead_to_their_map(latitude, longitude):
    (found,) = answers(f"{latitude:.5f}, {longitude:.5f}", Context())
    assert f"mlat={latitude:.5f}&mlon={longitude:.5f}" in found.link


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("127.0.0.1", "IPv4, this machine (loopback)"),
        ("8.8.8.8", "IPv4, public"),
        ("::1", "IPv6, this machine (loopback)"),
        ("fe80::1", "IPv6, link-local"),
        ("ip 224.0.0.1", "IPv4, multicast"),
        ("2001:db8::/32", "2^96 addresses"),
        ("#f80", "rgb(255, 136, 0)"),
        ("rgb(255, 136, 0)", "rgb(255, 136, 0)"),
        ("color #123456", "rgb(18, 52, 86)"),
    ],
)
def test_addresses_and_colours(query, answer):
    assert only(query).answer == answer
