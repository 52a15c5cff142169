"""Settings of [answers]."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting

NO_LINK = "none"


@dataclass(frozen=True, slots=True)
class LinkTemplate:
    """The link of a kind of answer: one table `[[answers.links]]`."""

    to: str = setting(
        "", "Kind of link that is replaced: map, ups, usps, fedex, dhl, isbn, doi, flight, stock and others."
    )
    address: str = setting(
        "", "Template of an https URL with {value} in it; for map, with {latitude} and {longitude}."
    )

    def problem(self) -> str:
        """The error in the table; "" if there is none."""
        if self.to not in DEFAULT_LINKS:
            return f"to should be one of {', '.join(DEFAULT_LINKS)}, not {self.to!r}"
        if self.address == NO_LINK:
            return ""
        if not self.address.startswith(("https://", "geo:")):
            return f"{self.address!r} should begin with https://, or be {NO_LINK!r}"
        needed = ("{latitude}", "{longitude}") if self.to == "map" else ("{value}",)
        missing = [one for one in needed if one not in self.address]
        return f"{self.address!r} lacks {' and '.join(missing)}" if missing else ""


# Gossamer fetches nothing from these sites. It only shows the links.
DEFAULT_LINKS = {
    "map": "https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map=12/{latitude}/{longitude}",
    "ups": "https://www.ups.com/track?tracknum={value}",
    "usps": "https://tools.usps.com/go/TrackConfirmAction?tLabels={value}",
    "fedex": "https://www.fedex.com/fedextrack/?trknbr={value}",
    "dhl": "https://www.dhl.com/global-en/home/tracking.html?tracking-id={value}",
    "royal-mail": "https://www.royalmail.com/track-your-item#/tracking-results/{value}",
    "isbn": "https://openlibrary.org/isbn/{value}",
    "issn": "https://portal.issn.org/resource/ISSN/{value}",
    "doi": "https://doi.org/{value}",
    "flight": "https://www.flightaware.com/live/flight/{value}",
    "stock": "https://finance.yahoo.com/quote/{value}",
    "ip": "https://rdap.org/ip/{value}",
}


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """The `[answers]` section."""

    enabled: bool = setting(
        True, "Whether to show instant answers, such as a converted unit or a date, above the results."
    )
    without: list[str] = setting([], "Kinds of instant answers that are turned off, such as flight or place.")
    time_zone: str = setting(
        "UTC", "Time zone of the dates and times in instant answers, such as Europe/Berlin."
    )
    places: bool = setting(True, "Whether to recognise places in queries. This needs the extra `places`.")
    links: list[LinkTemplate] = setting(
        [], "Tables that replace the targets of the links in instant answers.", items=LinkTemplate
    )
