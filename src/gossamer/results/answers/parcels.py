"""Is the query the number of a parcel, and whose?

A number without letters is only taken for one where its carrier is named or its form leaves little doubt:
one in ten of all numbers has a right check digit.
"""

from __future__ import annotations

import re

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context
from gossamer.results.answers.check_digits import is_dhl_express, is_fedex_express, is_gs1, is_s10, is_ups
from gossamer.results.answers.countries import country_names

SHORTEST = 10
POSTS = {"US": "usps", "GB": "royal-mail", "DE": "dhl"}  # who tracks what was posted there

_GATE = re.compile(r"(?:\d[ -]?){9}|1Z", re.IGNORECASE)
_MARK = re.compile(
    r"\b(ups|usps|fedex|dhl)\b|\b(?:tracking|track|parcel|package|paket|sendungsnummer|colis|number)\b[.:#]?"
)
_UPS = re.compile(r"1Z[0-9A-Z]{16}")
_S10 = re.compile(r"[A-Z]{2}(\d{9})([A-Z]{2})")
_USPS = re.compile(r"(?:420\d{5}(?:\d{4})?)?(9[1-5]\d{20})")


def parcel(asked: Asked, context: Context) -> InstantAnswer | None:
    """Whose parcel has this number, and where it can be followed."""
    if not asked.has_digit or not _GATE.search(asked.typed):
        return None
    marks = _MARK.findall(asked.text)
    carrier = next((one for one in marks if one), "")
    number = re.sub(r"[\s-]", "", _MARK.sub("", asked.text)).upper()
    if len(number) < SHORTEST or not number.isascii() or not number.isalnum():
        return None
    found = _carrier(number, carrier)
    if found is None or (carrier and found[1] and found[1] != carrier):
        return None
    said, link = found
    return InstantAnswer("parcel", f"tracking number {number}", said, "", context.link(link, number))


def _carrier(number: str, named: str) -> tuple[str, str] | None:
    """Who carries it, and by which link it can be followed."""
    if _UPS.fullmatch(number):
        return ("UPS", "ups") if is_ups(number[2:]) else None
    if match := _S10.fullmatch(number):
        return _posted(match)
    if match := _USPS.fullmatch(number):
        return ("USPS", "usps") if is_gs1(match[1]) else None
    if not number.isdigit():
        return None
    if named == "fedex" and (
        (len(number) == 12 and is_fedex_express(number)) or (len(number) == 15 and is_gs1(number))
    ):
        return "FedEx", "fedex"
    if named == "dhl" and len(number) == 10 and is_dhl_express(number):
        return "DHL Express", "dhl"
    return None


def _posted(match: re.Match[str]) -> tuple[str, str] | None:
    country = country_names().get(match[2])
    if country is None or not is_s10(match[1]):
        return None
    return f"an item in international post, from {country}", POSTS.get(match[2], "")
