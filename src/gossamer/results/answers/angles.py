"""What are the sine, the cosine and the tangent of an angle?

Of the angles that are fractions of a circle only those below have a sine or a tangent that is a fraction
(Niven, *Irrational Numbers*, 1956, corollary 3.12). All others are computed in floating point.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from gossamer.results.answers.values import NOISE, DividedByZero, Value, inexact, times_pi

_HALF = Fraction(1, 2)
_TWICE_SINES = {0: 0, 30: 1, 90: 2, 150: 1, 180: 0, 210: -1, 270: -2, 330: -1}  # of degrees
_TANGENTS = {0: 0, 45: 1, 135: -1}


def sine(angle: Value) -> Value:
    """Exact for 30° and its like."""
    twice = None if angle.of_pi is None else _TWICE_SINES.get(_degrees(angle.of_pi, 360))
    return _rounded(math.sin, angle) if twice is None else Value(Fraction(twice, 2))


def cosine(angle: Value) -> Value:
    """Exact for 60° and its like."""
    twice = None if angle.of_pi is None else _TWICE_SINES.get(_degrees(angle.of_pi + _HALF, 360))
    return _rounded(math.cos, angle) if twice is None else Value(Fraction(twice, 2))


def tangent(angle: Value) -> Value:
    """Exact for 45° and its like; a right angle has none."""
    if angle.of_pi is not None and angle.of_pi % 1 == _HALF:
        raise DividedByZero
    known = None if angle.of_pi is None else _TANGENTS.get(_degrees(angle.of_pi, 180))
    found = _rounded(math.tan, angle) if known is None else Value(Fraction(known))
    if not angle.exact and abs(found.number) * NOISE > 1:
        raise DividedByZero
    return found


def _degrees(of_pi: Fraction, circle: int) -> int:
    """Within the circle; -1 where they are not whole."""
    degrees = of_pi * 180 % circle
    return degrees.numerator if degrees.denominator == 1 else -1


def _rounded(function: Callable[[float], float], angle: Value) -> Value:
    """In floating point; of a rounded angle, what should be 0 and is a rounding error becomes 0."""
    turned = angle if angle.of_pi is None else times_pi(angle.of_pi % 2)
    found = inexact(lambda: function(float(turned.number)))
    is_noise = not turned.exact and abs(found.number) <= NOISE * max(abs(turned.number), Fraction(1))
    return Value(Fraction(0), exact=False) if is_noise else found
