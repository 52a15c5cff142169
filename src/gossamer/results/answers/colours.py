"""Which colour is it?"""

from __future__ import annotations

import colorsys
import re

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context

_HEX = re.compile(
    r"(?:(colou?r|hex|rgb|farbe|couleur) )?#([0-9a-f]{6}|[0-9a-f]{3})(?: (colou?r|hex|rgb|farbe))?"
)
_RGB = re.compile(r"rgb ?\( ?(\d{1,3}) ?[, ] ?(\d{1,3}) ?[, ] ?(\d{1,3}) ?\)")


def colour(asked: Asked, context: Context) -> InstantAnswer | None:
    """A colour in its other notations. A # with digits alone is rather the number of something."""
    text = asked.text
    if "#" in text and (match := _HEX.fullmatch(text)):
        if match[2].isdigit() and not (match[1] or match[3]):
            return None
        wide = match[2] if len(match[2]) == 6 else "".join(one * 2 for one in match[2])
        return _answer(*bytes.fromhex(wide))
    if text.startswith("rgb") and (match := _RGB.fullmatch(text)):
        parts = [int(match[place]) for place in (1, 2, 3)]
        return _answer(*parts) if max(parts) < 256 else None
    return None


def _answer(red: int, green: int, blue: int) -> InstantAnswer:
    hue, light, full = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    hsl = f"hsl({round(hue * 360) % 360}, {full:.0%}, {light:.0%})"
    return InstantAnswer("colour", f"#{red:02x}{green:02x}{blue:02x}", f"rgb({red}, {green}, {blue})", hsl)
