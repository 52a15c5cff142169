"""Arithmetic: right by a plain twin, exact, and bounded."""

from __future__ import annotations

import operator
from fractions import Fraction

import pytest
from answer_context import said
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.instant.arithmetic import MOST_BITS, NoValue, read_number, tokens_of, value_of, written

SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
NUMBERS = st.integers(0, 10**6) | st.decimals(0, 1000, places=3)


def expressions():
    """Pairs of an expression in Python and its value, None where it divides by zero."""
    leaves = NUMBERS.map(lambda number: (str(number), Fraction(str(number))))

    def joined(parts):
        pairs = st.tuples(parts, st.sampled_from("+-*/"), parts)
        return pairs.map(_joined) | parts.map(
            lambda one: (f"-({one[0]})", None if one[1] is None else -one[1])
        )

    return st.recursive(leaves, joined, max_leaves=8)


def _joined(pair):
    (left, first), sign, (right, second) = pair
    text = f"({left}) {sign} ({right})"
    if first is None or second is None or (sign == "/" and not second):
        return text, None
    return text, SIGNS[sign](first, second)


@given(expressions())
def test_values_are_those_of_a_plain_twin(pair):
    text, value = pair
    tokens = tokens_of(text)
    if value is None:
        with pytest.raises(NoValue):
            value_of(tokens)
    else:
        assert value_of(tokens).number == value


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("2+3*4", "14"),
        ("2^3^2", "512"),
        ("-2^2", "−4"),
        ("2^-2", "0.25"),
        ("(2+3)*4", "20"),
        ("7 mod 3", "1"),
        ("-7 mod 3", "2"),
        ("5!", "120"),
        ("-5!", "−120"),
        ("(2 + 1)!", "6"),
        ("(4)!", "24"),
        ("0.1 + 0.2", "0.3"),
        ("1,234 + 1", "1,235"),
        ("max(1,234)", "234"),
        ("gcd(12, 18)", "6"),
        ("round(2.6) + floor(-0.5)", "2"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "−3"),
        ("round(2.4)", "2"),
        ("sqrt(16)", "4"),
        ("cbrt(27) + cube root of 0.008", "3.2"),
        ("cbrt(2)", "≈ 1.25992104989"),
        ("10 percent of 50", "5"),
        ("6 multiplied by 7", "42"),
        ("7 modulo 4", "3"),
        ("5 mal 3", "15"),
        ("20 geteilt durch 4", "5"),
        ("3 fois 4", "12"),
        ("9 moins 4", "5"),
        ("10 pour cent de 50", "5"),
        ("sqrt(2) * 1", "≈ 1.41421356237"),
        ("cos(90°)", "0"),
        ("tan(90°)", "not defined (Nothing can be divided by zero.)"),
        ("tan(-270°)", "not defined (Nothing can be divided by zero.)"),
        ("tan(pi/2)", "not defined (Nothing can be divided by zero.)"),
        ("tan(2 * 45°)", "not defined (Nothing can be divided by zero.)"),
        ("tan(45°) + tan(135°)", "0"),
        ("tan(89°)", "≈ 57.2899616308"),
        ("cos(60°) - 0.5", "0"),
        ("sin(pi/6)", "0.5"),
        ("sin(1000 * pi)", "0"),
        ("sin(180° - 30°)", "0.5"),
        ("sin(-30°)", "−0.5"),
        ("sin(60°) - sqrt(3)/2", "≈ 0"),
        ("cos(acos(0))", "≈ 0"),
        ("sin(1e-20)", "≈ 1 × 10^−20"),
        ("exp(-40)", "≈ 4.24835425529 × 10^−18"),
        ("sin(36°)", "≈ 0.587785252292"),
        ("log(1000)", "3"),
        ("log(0.01) + log2(8)", "1"),
        ("log(999)", "≈ 2.99956548823"),
        ("3 x 4", "12"),
        ("12 squared", "144"),
        ("what is 5 plus 3 times 2?", "11"),
        ("15 % von 80", "12"),
        ("20% + 5%", "0.25"),
        ("2^200", "≈ 1.60693804426 × 10^60"),
        ("10^-9 * 1", "1 × 10^−9"),
        ("2^0.5", "≈ 1.41421356237"),
        ("1/3 + 1/6 =", "0.5"),
        ("2²+1", "5"),
        ("6 ÷ 4", "1.5"),
        ("½ + ¼", "0.75"),
    ],
)
def test_what_is_said(query, answer):
    assert said(query) == [answer]


@pytest.mark.parametrize(
    "query",
    ["9^9^9", "2^20001", "1001!", "(" * 40 + "1+1" + ")" * 40, "sqrt(-1)", "5!!", "-8^(1/3) + (-8)^(1/3)"],
)
def test_what_is_beyond_measure_is_not_said(query):
    assert said(query) == []


@given(st.integers(-(10**30), 10**30), st.integers(1, 10**12))
def test_written_numbers_are_near_and_exact_where_they_say_so(above, below):
    value = Fraction(above, below)
    shown = written(value)
    plain = shown.removeprefix("≈ ").replace("−", "-").replace(" × 10^", "e").replace(",", "")
    read = Fraction(plain)
    assert read == value if not shown.startswith("≈") else abs(read - value) <= abs(value) / 10**11


@given(st.integers(0, 10**15))
def test_whole_numbers_are_read_as_they_are_written(number):
    assert read_number(f"{number:,}") == number
    assert read_number(f"{number:,}".replace(",", " ")) == number
    assert read_number(f"{number:,},5".replace(",", ".", f"{number:,}".count(","))) == number + Fraction(1, 2)


def test_no_value_is_larger_than_it_may_be():
    assert value_of([Fraction(2), "^", Fraction(MOST_BITS // 2)]).number == 2 ** (MOST_BITS // 2)
    with pytest.raises(NoValue):
        value_of([Fraction(2), "^", Fraction(MOST_BITS), "*", Fraction(2), "^", Fraction(MOST_BITS)])
