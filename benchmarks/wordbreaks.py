"""How do our words differ from those of Unicode (UAX #29), and why?

    .venv/bin/python benchmarks/wordbreaks.py --data WordBreakTest.txt [--show REASON]

`--data` is the file of that name of the Unicode Character Database. Every line there is a text with its
borders. Unicode's words are the stretches that hold a letter or a digit, normalised as ours are. Where ours
are others, named reasons are applied to Unicode's until they are the same; what no set of reasons explains is
printed, and makes the exit code 1. A line may have several reasons.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from unicodedata import category

from gossamer.text.words import UNSPACED, folded, pieces, words

Words = list[str]

_BORDER = re.compile(r"\s*([÷×])\s*([0-9A-F]*)")
_UNSPACED_RUN = re.compile(rf"[{UNSPACED}]+|[^{UNSPACED}]+")
_WORDLIKE = re.compile(r"[^\W_]")


def lines(path: Path) -> Iterator[tuple[str, Words]]:
    """Each text of the file, and Unicode's words in it."""
    for line in path.read_text("utf-8").splitlines():
        stretches = [""]
        for border, point in _BORDER.findall(line.partition("#")[0]):
            if border == "÷":
                stretches.append("")
            stretches[-1] += chr(int(point, 16)) if point else ""
        if len(stretches) > 1:
            found = [folded(stretch) for stretch in stretches]
            yield "".join(stretches), [word for word in found if _WORDLIKE.search(word)]


def parted_by(signs: str) -> Callable[[Words], Words]:
    """Unicode's words with these characters between letters, cut there."""
    cut = re.compile(rf"(?<!\d)[{signs}]|[{signs}](?!\d)")
    return lambda found: [part for word in found for part in cut.split(word) if _WORDLIKE.search(part)]


def without_possessive(found: Words) -> Words:
    return [re.sub(r"['\u2019]s$", "", word) for word in found]


def in_pieces(found: Words) -> Words:
    """Neighbours of unspaced scripts, which Unicode breaks everywhere or nowhere."""
    out: Words = []
    run = ""
    for word in [piece for one in found for piece in _UNSPACED_RUN.findall(one)]:
        if re.match(rf"[{UNSPACED}]", word):
            run += word
            continue
        out += (pieces(run) if run else []) + [word]
        run = ""
    return out + (pieces(run) if run else [])


def numbers(found: Words) -> Words:
    return [word for one in found for word in (words(one) if re.match(r"[0-9]+[.,'0-9]*$", one) else [one])]


def bare(found: Words) -> Words:
    """Marks that stand before all letters of a word belong to none."""
    return [word for word in (re.sub(r"^\W+", "", one) for one in found) if word]


def without_symbols(found: Words) -> Words:
    """Unicode lets a joiner join a letter and a picture."""
    return ["".join(c for c in word if not category(c).startswith("S")) for word in found]


REASONS: dict[str, Callable[[Words], Words]] = {
    "an underscore parts words, so that each is found": lambda found: [
        part for word in found for part in word.split("_") if _WORDLIKE.search(part)
    ],
    "an apostrophe or a quotation mark parts words (elisions)": parted_by("'\u2019\""),
    "a possessive belongs to its word": without_possessive,
    "a dot, colon or comma parts words that are no number": parted_by(".:,\u00b7"),
    "numbers are written in one way": numbers,
    "unspaced scripts and Korean are indexed in pieces": in_pieces,
    "a mark without a letter before it is no part of a word": bare,
    "a picture is no part of a word": without_symbols,
}


def explained(text: str, found: Words) -> tuple[str, ...] | None:
    """The fewest reasons that make our words of Unicode's; None where there are none."""
    ours = words(text)
    for count in range(len(REASONS) + 1):
        for names in combinations(REASONS, count):
            changed = found
            for name in names:
                changed = REASONS[name](changed)
            if changed == ours:
                return names
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="WordBreakTest.txt")
    parser.add_argument("--show", metavar="REASON", default=None, help="print the texts with this reason")
    chosen = parser.parse_args()
    counts: Counter[str] = Counter()
    unexplained = alike = total = 0
    for text, found in lines(chosen.data):
        total += 1
        names = explained(text, found)
        if names is None:
            unexplained += 1
            print("unexplained:", ascii(text), ascii(found), ascii(words(text)))
        elif not names:
            alike += 1
        counts.update(names or ())
        if names and chosen.show in names:
            print(ascii(text), ascii(found), ascii(words(text)))
    print(f"{total:6,} texts\n{alike:6,} the same words")
    for name, count in counts.most_common():
        print(f"{count:6,} {name}")
    print(f"{unexplained:6,} unexplained")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
