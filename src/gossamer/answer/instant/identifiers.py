"""ISBN, IBAN, parcels, flights, stocks, IP addresses, colours."""

from __future__ import annotations

import colorsys
import ipaddress
import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import cycle

from gossamer.answer.gazetteer import country_names
from gossamer.answer.instant.context import AnswerQuery, Context
from gossamer.answer.instant.lists import by_name, lines
from gossamer.model import InstantAnswer

# Check digits
# ------------
#
# References: UPU S10 (items in international post); ISO 2108 (ISBN), ISO 3297 (ISSN), ISO 13616 and
# ISO 7064 (IBAN); GS1 General Specifications (EAN, UPC); the carriers' own descriptions of their
# labels.

S10_WEIGHTS = (8, 6, 4, 2, 3, 5, 9, 7)


def _weighted(digits: Iterable[int], weights: Iterable[int]) -> int:
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=False))


def is_gs1(digits: str) -> bool:
    """Check an EAN, UPC or USPS number: weights 1, 3, 1, 3, ... from the right; the sum is a multiple of 10.

    >>> is_gs1("4006381333931"), is_gs1("4006381333932")
    (True, False)
    """
    return _weighted(map(int, reversed(digits)), cycle((1, 3))) % 10 == 0


def is_mod11(text: str) -> bool:
    """Check an ISBN-10 or ISSN: weights from the length down to 1; the sum is a multiple of 11. X means 10.

    >>> is_mod11("316148410X"), is_mod11("0804429570"), is_mod11("03785955"), is_mod11("03785956")
    (True, False, True, False)
    """
    digits = [10 if one in "Xx" else int(one) for one in text]
    return _weighted(digits, range(len(digits), 0, -1)) % 11 == 0


def is_s10(digits: str) -> bool:
    """Check the nine digits of an item in international post: 11 minus the sum modulo 11; 10 is 0, 11 is 5.

    >>> is_s10("473124829"), is_s10("473124828")
    (True, False)
    """
    own = [*map(int, digits)]
    check = 11 - _weighted(own[:8], S10_WEIGHTS) % 11
    return {10: 0, 11: 5}.get(check, check) == own[8]


def is_ups(text: str) -> bool:
    """Check what follows 1Z in a UPS number; the check digit completes the sum to a multiple of 10.

    Letters count as digits. Every second digit counts twice.

    >>> is_ups("999AA10123456784"), is_ups("999AA10123456785")
    (True, False)
    """
    values = [int(one) if one.isdigit() else (ord(one) - 63) % 10 for one in text]
    return (-_weighted(values[:15], cycle((1, 2)))) % 10 == values[15]


def is_fedex_express(digits: str) -> bool:
    """Check twelve digits: weights 1, 3, 7, ... from the right of the first eleven; modulo 11, where 10 is 0.

    >>> is_fedex_express("986578788855"), is_fedex_express("986578788854")
    (True, False)
    """
    return _weighted(map(int, digits[10::-1]), cycle((1, 3, 7))) % 11 % 10 == int(digits[11])


def is_dhl_express(digits: str) -> bool:
    """Check ten digits: the last is the first nine modulo 7.

    >>> is_dhl_express("3318810025"), is_dhl_express("3318810026")
    (True, False)
    """
    return int(digits[:9]) % 7 == int(digits[9])


def is_iban(text: str) -> bool:
    """Check an IBAN: the first four characters are moved to the end, letters count 10 to 35; 1 modulo 97.

    >>> is_iban("DE89370400440532013000"), is_iban("DE89370400440532013001")
    (True, False)
    """
    return int("".join(str(int(one, 36)) for one in text[4:] + text[:4])) % 97 == 1


# Colours
# -------

_HEX = re.compile(
    r"(?:(colou?r|hex|rgb|farbe|couleur) )?#([0-9a-f]{6}|[0-9a-f]{3})(?: (colou?r|hex|rgb|farbe))?"
)
_RGB = re.compile(r"rgb ?\( ?(\d{1,3}) ?[, ] ?(\d{1,3}) ?[, ] ?(\d{1,3}) ?\)")


def colour(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer a colour with its other notations. A # with digits alone is more often a number."""
    text = asked.text
    if "#" in text and (match := _HEX.fullmatch(text)):
        if match[2].isdigit() and not (match[1] or match[3]):
            return None
        wide = match[2] if len(match[2]) == 6 else "".join(one * 2 for one in match[2])
        return _colour_answer(*bytes.fromhex(wide))
    if text.startswith("rgb") and (match := _RGB.fullmatch(text)):
        parts = [int(match[place]) for place in (1, 2, 3)]
        return _colour_answer(*parts) if max(parts) < 256 else None
    return None


def _colour_answer(red: int, green: int, blue: int) -> InstantAnswer:
    hue, light, full = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    hsl = f"hsl({round(hue * 360) % 360}, {full:.0%}, {light:.0%})"
    return InstantAnswer("colour", f"#{red:02x}{green:02x}{blue:02x}", f"rgb({red}, {green}, {blue})", hsl)


# Flight numbers
# --------------
#
# Two letters and a number can mean many things (AS400, DL380, SU 27). Without the word flight, the number
# must have three digits, and the letters must be those of an airline that rarely mean anything else.

_MARKED = re.compile(
    r"(?:flight|flug|vol|vuelo|volo|zbor|fly|πτήση)(?: (?:number|status|no\.?))? ([a-z0-9]{2}) ?(\d{1,4})"
    r"|([a-z0-9]{2}) ?(\d{1,4}) (?:flight(?: status| number)?|flug)"
)
_ALONE = re.compile(r"([a-z]{2}) ?(\d{3})")


def flight(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer a flight number with its airline."""
    if match := _MARKED.fullmatch(asked.text):
        letters, number = match[1] or match[3], match[2] or match[4]
    elif (match := _ALONE.fullmatch(asked.text)) and match[1].upper() in _airlines()[1]:
        letters, number = match[1], match[2]
    else:
        return None
    known = _airlines()[0].get(letters.upper())
    if known is None or not number.strip("0"):
        return None
    called, name = known
    link = context.link("flight", f"{called}{number.lstrip('0')}")
    return InstantAnswer("flight", f"flight {letters.upper()} {number}", name, "", link)


@cache
def _airlines() -> tuple[dict[str, tuple[str, str]], frozenset[str]]:
    """Airlines (code of air traffic control, name) by code; and the codes that need no word like flight."""
    rows = [line.removeprefix("* ").split(" | ") for _, line in lines("airlines")]
    sure = frozenset(line[2:4] for _, line in lines("airlines") if line.startswith("* "))
    return {code: (called, name) for code, called, name in rows}, sure


_ISBN = re.compile(r"(isbn(?:-1[03])?:? ?)?(97[89](?:[ -]?\d){10}|\d(?:[ -]?\d){8}[ -]?[\dx])")
_ISSN = re.compile(r"issn:? ?(\d{4})-?(\d{3}[\dx])")
_EAN = re.compile(r"(?:(ean|gtin|upc|barcode)(?:-?1?[0-9])?:? ?)?(\d{8}|\d{12,14})")
_DOI = re.compile(r"(?:doi:? ?|(?:https?://)?(?:dx\.)?doi\.org/)?(10\.\d{4,9}/[^\s\"<>]+)")
_IBAN = re.compile(r"(?:iban:? ?)?([a-z]{2}\d{2}(?: ?[a-z0-9]){11,30})")


def identifier(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer an ISBN, ISSN, EAN, DOI or IBAN with what it identifies."""
    text = asked.text
    if "10." in text and (match := _DOI.fullmatch(asked.typed) or _DOI.fullmatch(text)):
        doi = match[1].rstrip(".,;)")
        return InstantAnswer("doi", f"DOI {doi}", "a published work", "", context.link("doi", doi))
    return _isbn(text, context) or _issn(text, context) or _ean(text) or _iban(text)


def _isbn(text: str, context: Context) -> InstantAnswer | None:
    match = _ISBN.fullmatch(text)
    if match is None:
        return None
    number = re.sub(r"[ -]", "", match[2]).upper()
    if len(number) == 13:
        is_isbn = is_gs1(number)
    else:  # ten digits can mean many things: they need a mark of an ISBN
        is_marked = match[1] or match[2].count("-") == 3 or number.endswith("X")
        is_isbn = bool(is_marked) and is_mod11(number)
    if not is_isbn:
        return None
    link = context.link("isbn", number)
    return InstantAnswer("isbn", f"ISBN {number}", "a book", _other_isbn(number), link)


def _other_isbn(number: str) -> str:
    """The ISBN in its other form, if there is one."""
    if len(number) == 10:
        return f"ISBN-13: {_completed('978' + number[:9], is_gs1)}"
    return "" if number.startswith("979") else f"ISBN-10: {_completed(number[3:12], is_mod11)}"


def _completed(digits: str, is_right: Callable[[str], bool]) -> str:
    """Append the check digit."""
    return next(digits + one for one in "0123456789X" if is_right(digits + one))


def _issn(text: str, context: Context) -> InstantAnswer | None:
    match = _ISSN.fullmatch(text)
    if match is None or not is_mod11(match[1] + match[2]):
        return None
    number = f"{match[1]}-{match[2].upper()}"
    return InstantAnswer("issn", f"ISSN {number}", "a periodical", "", context.link("issn", number))


def _ean(text: str) -> InstantAnswer | None:
    """Answer a product number.

    Without a word such as EAN, it must have 13 digits and not begin with 1, as timestamps do.
    """
    match = _EAN.fullmatch(text)
    if match is None or not is_gs1(match[2]):
        return None
    if not match[1] and (len(match[2]) != 13 or match[2][0] == "1" or len(set(match[2])) == 1):
        return None
    return InstantAnswer("ean", f"GTIN {match[2]}", "a product", "The check digit is right.")


def _iban(text: str) -> InstantAnswer | None:
    """Answer an IBAN with its country only, because accounts are private."""
    match = _IBAN.fullmatch(text)
    number = match[1].replace(" ", "").upper() if match else ""
    if not match or _iban_lengths().get(number[:2]) != len(number) or not is_iban(number):
        return None
    country = country_names().get(number[:2], number[:2])
    return InstantAnswer("iban", "an IBAN", f"an account in {country}", "The check digits are right.")


@cache
def _iban_lengths() -> dict[str, int]:
    return {line[:2]: int(line[2:]) for _, line in lines("iban")}


# IP addresses and networks
# -------------------------

_LOOKS = re.compile(
    r"(?:ip(?: address)?:? )?((?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2})?|(?=.*:.*:)[0-9a-f:.]{2,45}(?:/\d{1,3})?)"
)
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def internet(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer an IP address with its kind, or a network with its size."""
    match = _LOOKS.fullmatch(asked.text)
    if match is None:
        return None
    try:
        if "/" in match[1]:
            return _network(ipaddress.ip_network(match[1], strict=False))
        return _address(ipaddress.ip_address(match[1]), context)
    except ValueError:
        return None


def _address(address: Address, context: Context) -> InstantAnswer:
    kind = _kind(address)
    link = context.link("ip", str(address)) if address.is_global else ""
    full = address.exploded if address.version == 6 else f"as a number: {int(address):,}"
    return InstantAnswer("ip", f"address {address}", f"IPv{address.version}, {kind}", full, link)


def _kind(address: Address) -> str:
    kinds = (
        (address.is_unspecified, "unspecified"),
        (address.is_loopback, "this machine (loopback)"),
        (address.is_link_local, "link-local"),
        (address.is_multicast, "multicast"),
        (address.is_private, "private or reserved"),
        (address.is_global, "public"),
    )
    return next((name for holds, name in kinds if holds), "reserved")


def _network(network: Network) -> InstantAnswer:
    count = network.num_addresses
    said = f"{count:,} addresses" if count < 10**15 else f"2^{count.bit_length() - 1} addresses"
    detail = f"from {network.network_address} to {network.broadcast_address}"
    return InstantAnswer("ip", f"network {network}", "1 address" if count == 1 else said, detail)


# Parcel numbers
# --------------
#
# One in ten of all numbers has a valid check digit. So a number without letters needs the name of a carrier
# or a clear form.

SHORTEST = 10
POSTS = {"US": "usps", "GB": "royal-mail", "DE": "dhl"}  # the link that tracks items posted in a country
_GATE = re.compile(r"(?:\d[ -]?){9}|1Z", re.IGNORECASE)
_MARK = re.compile(
    r"\b(ups|usps|fedex|dhl)\b|\b(?:tracking|track|parcel|package|paket|sendungsnummer|colis|number)\b[.:#]?"
)
_CHECKS_OF_DIGITS = {("fedex", 12): is_fedex_express, ("fedex", 15): is_gs1, ("dhl", 10): is_dhl_express}
_UPS = re.compile(r"1Z[0-9A-Z]{16}")
_S10 = re.compile(r"[A-Z]{2}(\d{9})([A-Z]{2})")
_USPS = re.compile(r"(?:420\d{5}(?:\d{4})?)?(9[1-5]\d{20})")


def parcel(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer a tracking number with its carrier and a link."""
    if not _GATE.search(asked.typed):
        return None
    carrier = next(filter(None, _MARK.findall(asked.text)), "")
    number = re.sub(r"[\s-]", "", _MARK.sub("", asked.text)).upper()
    if len(number) < SHORTEST or not number.isascii() or not number.isalnum():
        return None
    found = _carrier(number, carrier)
    if found is None or (carrier and found[1] and found[1] != carrier):
        return None
    said, link = found
    return InstantAnswer("parcel", f"tracking number {number}", said, "", context.link(link, number))


def _carrier(number: str, named: str) -> tuple[str, str] | None:
    """The carrier of a number, and the link that tracks it."""
    if _UPS.fullmatch(number):
        return ("UPS", "ups") if is_ups(number[2:]) else None
    if match := _S10.fullmatch(number):
        return _posted(match)
    if match := _USPS.fullmatch(number):
        return ("USPS", "usps") if is_gs1(match[1]) else None
    if not number.isdigit():
        return None
    check = _CHECKS_OF_DIGITS.get((named, len(number)))
    if check is None or not check(number):
        return None
    return ("FedEx", "fedex") if named == "fedex" else ("DHL Express", "dhl")


def _posted(match: re.Match[str]) -> tuple[str, str] | None:
    country = country_names().get(match[2])
    if country is None or not is_s10(match[1]):
        return None
    return f"an item in international post, from {country}", POSTS.get(match[2], "")


# Stock symbols
# -------------

# Variables of a shell, which also begin with a dollar sign.
VARIABLES = frozenset({"PATH", "HOME", "USER", "SHELL", "PWD", "TERM", "LANG", "TZ", "PS1"})
_CASH = re.compile(r"\$([A-Z]{1,5}(?:\.[A-Z])?)(?: (?:stock|share price|stock price|quote))?")
_PRICED = re.compile(r"([A-Z]{2,5}(?:\.[A-Z])?) (?:share price|stock price|stock quote)")
_LISTED = re.compile(
    r"([A-Za-z]{3,6}): ?([A-Za-z0-9]{1,6}(?:[.-][A-Za-z])?)(?: (?:stock|share price|quote))?"
)


def stock(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer a stock symbol with a link to its price."""
    exchange = behind = ""
    if match := _CASH.fullmatch(asked.typed) or _PRICED.fullmatch(asked.typed):
        symbol = match[1]
        if asked.typed.startswith("$") and symbol in VARIABLES:
            return None
    elif (match := _LISTED.fullmatch(asked.typed)) and (listed := by_name("exchanges").get(match[1].upper())):
        symbol = match[2].upper()
        exchange, behind = listed.split(" | ")
    else:
        return None
    where = f"a share listed at {exchange}" if exchange else "the symbol of a share"
    link = context.link("stock", symbol.replace(".", "-") + behind)
    return InstantAnswer("stock", f"symbol {symbol}", where, "", link)
