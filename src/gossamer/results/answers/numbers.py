"""How are numbers read as people write them, and written so that people can read them?"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

DIGITS = 12  # significant ones of what is not exact
LONGEST = 15  # digits of a measure, before it is written with a power of ten
MOST_DIGITS = 40  # of a number that is written in full
LARGEST_EXPONENT = 300
APPROXIMATELY = "≈ "

# 1,234.5 or 1234.5 or .5 or 1,5 or 1.234,5 or 10 000
NUMBER = (
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?: \d{3})+(?:[.,]\d+)?"
    r"|\d+(?:[.,]\d+)?|\.\d+)(?:e[+-]?\d{1,3})?"
)
_NUMBER = re.compile(rf"(-?)({NUMBER})")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+")


def read_number(text: str) -> Fraction | None:
    """The number that a text is; None where it is none, or beyond measure.

    >>> read_number("1,234.5"), read_number("2,5"), read_number("1.234,5"), read_number("12.34.56")
    (Fraction(2469, 2), Fraction(5, 2), Fraction(2469, 2), None)
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None or len(text) > 2 * MOST_DIGITS:
        return None
    digits, _, exponent = match[2].partition("e")
    digits = digits.replace(" ", "")
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _POINTS.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    else:
        digits = digits.replace(",", ".")
    power = int(exponent or 0)
    if abs(power) > LARGEST_EXPONENT:
        return None
    return Fraction(f"{match[1]}{digits}") * Fraction(10) ** power


def written(value: Fraction, digits: int = DIGITS, exact: bool = True) -> str:
    """A number in full where that is short, else rounded to so many significant digits and marked so.

    >>> written(Fraction(1_000_000)), written(Fraction(1, 8)), written(Fraction(2, 3))
    ('1,000,000', '0.125', '≈ 0.666666666667')
    >>> written(Fraction(2) ** 200)
    '≈ 1.60693804426 × 10^60'
    """
    if exact and value.denominator == 1 and abs(value) < 10**MOST_DIGITS:
        return f"{value.numerator:,}".replace("-", "−")
    rounded = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emax=99_999, Emin=-99_999)
    near = rounded.divide(Decimal(value.numerator), Decimal(value.denominator))
    is_exact = exact and Fraction(near) == value
    sign, size = ("−" if near < 0 else ""), abs(near)
    mark = "" if is_exact else APPROXIMATELY
    if size == 0:
        return f"{mark}0"
    power = size.adjusted()
    if -6 <= power < max(digits, LONGEST):
        shown = f"{size:,f}"
        return mark + sign + (shown.rstrip("0").rstrip(".") if "." in shown else shown)
    mantissa = f"{size.scaleb(-power, rounded):f}"
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mark}{sign}{mantissa} × 10^{power}".replace("10^-", "10^−")


def rounded(value: Fraction, digits: int = 7) -> str:
    """A measure: to so many significant digits, and at least to a whole number; without a mark.

    >>> rounded(Fraction("8.04672")), rounded(Fraction(100, 3)), rounded(Fraction("149597870.7"))
    ('8.04672', '33.33333', '149,597,871')
    """
    whole = len(str(abs(round(value))))
    return written(value, whole if digits < whole <= LONGEST else digits).removeprefix(APPROXIMATELY)
