"""What answers where there is no file: the traps and the spam that a crawler meets.

Each generator takes the name of its host and gives a function from path to reply. The same path always
gives the same page.
"""

from __future__ import annotations

import calendar as month_names
import re
from collections.abc import Callable, Mapping
from hashlib import blake2b
from random import Random

from gossamer.fetch.scripted import Reply, error, page

SPAM_TARGET = "http://best-cheap-lanterns.localhost:8808/"
FARM_HOSTS = 12
FARM_PAGES = 20

_MONTH = re.compile(r"/calendar/(\d{1,6})/(\d{1,2})")
_SEATS = re.compile(r"/seats/([\w-]+)")
_FARM_PAGE = re.compile(r"/page/(\d{1,3})")

EVENTS = (
    "Choir rehearsal in the parish hall",
    "Farmers' market on the square",
    "Evening walk along the old harbour wall",
    "Repair café: bring what is broken",
    "Film club in the library cellar",
    "Swimming lessons for adults",
    "Council meeting, open to the public",
    "Chess for everybody at the station café",
)
HALLS = {
    "opera-house": "The opera house seats 1,200 in three balconies; the sound is best in the second.",
    "river-stage": "The river stage lies under open sky. Blankets are lent when it turns cold.",
    "small-hall": "The small hall holds ninety people and one good piano. Quartets are given here.",
    "puppet-theatre": "The puppet theatre keeps its front rows for those under ten and their companions.",
    "old-cinema": "The old cinema still has its organ, played before the first film on Sundays.",
}
PHRASES = (
    "cheap lanterns online",
    "best lantern deals",
    "discount camping lanterns",
    "buy lantern today",
    "lantern sale free shipping",
    "top ten lanterns",
    "lantern coupon code",
    "lowest price lantern",
)


def calendar(host: str) -> Callable[[str], Reply]:
    """/calendar/YYYY/MM: a page for every month there ever was or will be, linked to its neighbours."""

    def reply(path: str) -> Reply:
        match = _MONTH.fullmatch(path.partition("?")[0])
        if match is None or not 1 <= int(match[2]) <= 12:
            return error(404)
        return _month_page(host, int(match[1]), int(match[2]))

    return reply


def _month_page(host: str, year: int, month: int) -> Reply:
    dice = Random(f"{host} {year} {month}")
    days = sorted(dice.sample(range(1, 29), 4))
    events = [f"{day}: {dice.choice(EVENTS)}." for day in days]
    links = {_month_path(year, month - 1): "Previous month", _month_path(year, month + 1): "Next month"}
    return page(f"{month_names.month_name[month]} {year} - Town events", " ".join(events), links)


def _month_path(year: int, month: int) -> str:
    shifted = year * 12 + month - 1
    return f"/calendar/{shifted // 12:04}/{shifted % 12 + 1:02}"


def sessions(host: str) -> Callable[[str], Reply]:
    """/seats/HALL: a handful of pages, each under endlessly many addresses, for every link is made anew.

    `sid` is a name that URLs are freed of; `visit` is one that only a look at the content gives away.
    """

    def reply(path: str) -> Reply:
        match = _SEATS.fullmatch(path.partition("?")[0])
        if match is None:
            return error(404)
        hall = match[1] if match[1] in HALLS else Random(match[1]).choice(list(HALLS))
        return page(f"Seats: {_title(hall)}", HALLS[hall], _session_links(host + path))

    return reply


def _session_links(seen: str) -> Mapping[str, str]:
    links = {}
    for number, hall in enumerate(HALLS):
        token = blake2b(f"{seen} {hall}".encode(), digest_size=6).hexdigest()
        parameter = "sid" if number % 2 else "visit"
        links[f"/seats/{hall}?{parameter}={token}"] = f"Seats in the {_title(hall)}"
    return links


def _title(hall: str) -> str:
    return hall.replace("-", " ")


def soft404(_host: str) -> Callable[[str], Reply]:
    """Any path: "not found", but with the status of a success."""

    def reply(_path: str) -> Reply:
        words = "Sorry, the page you asked for could not be found. It may have been moved, or it never was."
        return page("Page not found", words, {"/": "Back to the start"})

    return reply


def farm(host: str) -> Callable[[str], Reply]:
    """/page/1 to /page/20: thin pages that exist to link to one shop, and to each other."""

    def reply(path: str) -> Reply:
        match = _FARM_PAGE.fullmatch(path.partition("?")[0])
        if match is None or not 1 <= int(match[1]) <= FARM_PAGES:
            return error(404)
        return _farm_page(host, int(match[1]))

    return reply


def _farm_page(host: str, number: int) -> Reply:
    dice = Random(f"{host} {number}")
    phrases = dice.sample(PHRASES, len(PHRASES))
    links = {
        SPAM_TARGET: phrases[0],
        f"/page/{number % FARM_PAGES + 1}": phrases[1],
        f"/page/{(number - 2) % FARM_PAGES + 1}": phrases[2],
        f"http://{_next_farm(host)}:8808/page/{number}": phrases[3],
    }
    words = ". ".join(phrases[4:] + dice.choices(PHRASES, k=3)).capitalize()
    return page(f"{phrases[0].capitalize()} no. {number}", f"{words}.", links)


def _next_farm(host: str) -> str:
    digits = re.search(r"\d+", host)
    number = int(digits[0]) % FARM_HOSTS + 1 if digits else 1
    return f"lantern-farm-{number:02}.localhost"


GENERATORS: Mapping[str, Callable[[str], Callable[[str], Reply]]] = {
    "calendar": calendar,
    "sessions": sessions,
    "soft404": soft404,
    "farm": farm,
}
