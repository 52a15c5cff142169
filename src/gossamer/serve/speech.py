"""What does the page say, and in which language?

The phrases stand in `phrases/`, a file a language; those of the owner's pages in `phrases/owner/`, likewise.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from markupsafe import Markup, escape

from gossamer.serve.languages import PAGE_LANGUAGE

FOLDER = Path(__file__).parent / "phrases"
FEW = range(2, 20)  # of Romanian, by the last two digits: 2 to 19, and hundreds followed by 1 to 19


@dataclass(frozen=True, slots=True)
class Speech:
    """One language of the page. Values put into phrases are escaped, unless they are markup already."""

    language: str
    name: str
    thousands: str
    decimal: str
    written_day: str
    months: Sequence[str]
    phrases: Mapping[str, Markup]  # those without gaps may be shown as they are
    counts: Mapping[str, Mapping[str, str]]

    def say(self, key: str, **values: object) -> Markup:
        """A phrase with its gaps filled."""
        return _filled(self.phrases[key], values)

    def put(self, key: str, **written: str) -> str:
        """A phrase with its gaps filled by what is HTML already."""
        return str.format(self.phrases[key], **written)

    def count(self, key: str, number: int, **values: object) -> Markup:
        """A phrase about a number, in the form that the number wants."""
        forms = self.counts[key]
        phrase = forms.get(plural(self.language, number), forms["other"])
        return _filled(phrase, {"count": self.number(number), **values})

    def problem(self, code: str) -> Markup:
        """The heading for what went wrong."""
        return self.phrases.get(f"problem_{code}", self.phrases["problem"])

    def because(self, code: str, message: str) -> tuple[str, str]:
        """What went wrong, and in which language that is said: details are said in English."""
        key = f"because_{code}"
        return (self.phrases[key], self.language) if key in self.phrases else (message, PAGE_LANGUAGE)

    def number(self, number: int) -> str:
        return f"{number:,}".replace(",", self.thousands)

    def decimals(self, number: float, places: int) -> str:
        return f"{number:.{places}f}".replace(".", self.decimal)

    def took(self, milliseconds: float) -> str:
        """A duration, as exact as anybody cares for."""
        if milliseconds >= 1000:
            return f"{self.decimals(milliseconds / 1000, 1)} s"
        if milliseconds >= 10:
            return f"{milliseconds:.0f} ms"
        return f"{self.decimals(max(milliseconds, 0.1), 1)} ms"

    def day(self, moment: datetime) -> str:
        return self.written_day.format(day=moment.day, month=self.months[moment.month - 1], year=moment.year)


def _filled(phrase: str, values: Mapping[str, object]) -> Markup:
    # Not Markup.format, which reads the phrase with a parser of its own and takes several times as long.
    return Markup(str.format(phrase, **{name: escape(value) for name, value in values.items()}))


def plural(language: str, number: int) -> str:
    """The form of a noun behind a number: `one`, `few` or `other`.

    >>> [plural("ro", number) for number in (1, 2, 19, 20, 101, 102, 120)], plural("fr", 0), plural("de", 0)
    (['one', 'few', 'few', 'other', 'few', 'few', 'other'], 'one', 'other')
    """
    if number == 1 or (language == "fr" and number == 0):
        return "one"
    if language == "ro" and (number == 0 or number % 100 in FEW or (number > 100 and number % 100 == 1)):
        return "few"
    return "other"


def speeches() -> dict[str, Speech]:
    """Every language of the page, by its code; that which everybody gets who speaks none of them first."""
    found = (path.stem for path in FOLDER.glob("*.toml"))
    codes = sorted(found, key=lambda code: (code != PAGE_LANGUAGE, code))
    return {code: _read(code) for code in codes}


def _read(code: str) -> Speech:
    content, owner_s = (
        tomllib.loads((folder / f"{code}.toml").read_text(encoding="utf-8"))
        for folder in (FOLDER, FOLDER / "owner")
    )
    return Speech(
        code,
        content["name"],
        content["thousands"],
        content["decimal"],
        content["day"],
        tuple(content["months"]),
        {key: Markup(phrase) for key, phrase in (content["say"] | owner_s["say"]).items()},
        content["count"] | owner_s["count"],
    )


def chosen(known: Mapping[str, Speech], named: str, accepted: Sequence[str]) -> Speech:
    """The language that was named, else the best that the browser asks for."""
    wanted = (code for code in (named, *accepted) if code in known)
    return known[next(wanted, PAGE_LANGUAGE)]
