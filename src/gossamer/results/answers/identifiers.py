"""Is the query the number of a book, a journal, a product, an article, an account?"""

from __future__ import annotations

import re
from functools import cache

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context
from gossamer.results.answers.check_digits import is_gs1, is_iban, is_isbn10, is_issn
from gossamer.results.answers.countries import country_names
from gossamer.results.answers.lists import lines

_ISBN = re.compile(r"(isbn(?:-1[03])?:? ?)?(97[89](?:[ -]?\d){10}|\d(?:[ -]?\d){8}[ -]?[\dx])")
_ISSN = re.compile(r"issn:? ?(\d{4})-?(\d{3}[\dx])")
_EAN = re.compile(r"(?:(ean|gtin|upc|barcode)(?:-?1?[0-9])?:? ?)?(\d{8}|\d{12,14})")
_DOI = re.compile(r"(?:doi:? ?|(?:https?://)?(?:dx\.)?doi\.org/)?(10\.\d{4,9}/[^\s\"<>]+)")
_IBAN = re.compile(r"(?:iban:? ?)?([a-z]{2}\d{2}(?: ?[a-z0-9]){11,30})")


def identifier(asked: Asked, context: Context) -> InstantAnswer | None:
    """What has this number."""
    if not asked.has_digit:
        return None
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
        right = is_gs1(number)
    else:  # ten digits are much else: they need a sign that they are meant
        meant = match[1] or match[2].count("-") == 3 or number.endswith("X")
        right = bool(meant) and is_isbn10(number)
    if not right:
        return None
    return InstantAnswer(
        "isbn", f"ISBN {number}", "a book", _other_isbn(number), context.link("isbn", number)
    )


def _other_isbn(number: str) -> str:
    """The same in its other form, where there is one."""
    if len(number) == 10:
        return f"ISBN-13: {_completed('978' + number[:9])}"
    if number.startswith("979"):
        return ""
    ten = next(one for one in "0123456789X" if is_isbn10(number[3:12] + one))
    return f"ISBN-10: {number[3:12]}{ten}"


def _completed(digits: str) -> str:
    return next(digits + one for one in "0123456789" if is_gs1(digits + one))


def _issn(text: str, context: Context) -> InstantAnswer | None:
    match = _ISSN.fullmatch(text)
    if match is None or not is_issn(match[1] + match[2]):
        return None
    number = f"{match[1]}-{match[2].upper()}"
    return InstantAnswer("issn", f"ISSN {number}", "a periodical", "", context.link("issn", number))


def _ean(text: str) -> InstantAnswer | None:
    """A product's number; a bare one must have 13 digits, and not the 1 with which moments begin."""
    match = _EAN.fullmatch(text)
    if match is None or not is_gs1(match[2]):
        return None
    if not match[1] and (len(match[2]) != 13 or match[2][0] == "1" or len(set(match[2])) == 1):
        return None
    return InstantAnswer("ean", f"GTIN {match[2]}", "a product", "The check digit is right.")


def _iban(text: str) -> InstantAnswer | None:
    """Only the country is said: accounts are nobody's business."""
    match = _IBAN.fullmatch(text)
    number = match[1].replace(" ", "").upper() if match else ""
    if not match or _iban_lengths().get(number[:2]) != len(number) or not is_iban(number):
        return None
    country = country_names().get(number[:2], number[:2])
    return InstantAnswer("iban", "an IBAN", f"an account in {country}", "The check digits are right.")


@cache
def _iban_lengths() -> dict[str, int]:
    pairs = (line.split() for _, line in lines("iban"))
    return {code: int(length) for code, length in pairs}
