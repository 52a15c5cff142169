"""Pages without end, as careless programs make them.

A calendar whose months always have a next one; a relative link that makes the path grow with every click; a
shop that gives every visit a new number, under a name that says so and under one that does not; a list that
can be filtered in every combination and order; a number that can always be one higher, with hardly another
word on the page; a server that has a friendly answer, and further links, for every address that there is not.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

SOFT = "/lost/harbour-walnut.html"
ENTRIES = (
    "/calendar/2026/1",
    "/loop/a/",
    "/shop/items?session=0000000000000000",
    "/desk/0123456789abcdef/news",
    "/list?colour=red",
    "/item/1",
    SOFT,
)

_CALENDAR = re.compile(r"/calendar/(\d{1,6})/(\d{1,2})")
_LOOP = re.compile(r"/loop/(?:[ab]/)+")
_SHOP = re.compile(r"/shop/items(?:\?session=[0-9a-f]{16})?")  # a visit without a number is given one
_DESK = re.compile(r"/desk/[0-9a-f]{16}/(news|about|terms)")
_LIST = re.compile(r"/list(?:\?[a-z]+=[a-z]+(?:&[a-z]+=[a-z]+)*)?")
_ITEM = re.compile(r"/item/(\d{1,9})")
_LOST = re.compile(r"/lost/[a-z0-9-]+\.html")
_ALL = (_CALENDAR, _LOOP, _SHOP, _DESK, _LIST, _ITEM, _LOST)

_ROOMS = {"news": "Nothing is new", "about": "Nobody is here", "terms": "Everything is allowed"}
_FACETS = {
    "colour": ("red", "blue", "green"),
    "size": ("small", "large"),
    "brand": ("north", "south", "west"),
    "sort": ("price", "name"),
    "view": ("grid", "table"),
}
_SYLLABLES = ("har", "bour", "wal", "nut", "mea", "dow", "lan", "tern", "pep", "per", "win", "ter")
_WORN = "The item is part of our collection and can be seen during opening hours on every day of the week"


def trap_entry(host: int) -> str:
    """The address of the first page of the trap that a host has."""
    return ENTRIES[host // 25 % len(ENTRIES)]


def never_says_no(host: int) -> bool:
    """Whether the server has an answer for what is not there: it is that of its trap."""
    return trap_entry(host) == SOFT


def is_trap(path: str) -> bool:
    return any(pattern.fullmatch(path) for pattern in _ALL)


def trap_page(path: str) -> bytes:
    """A page of a trap, with links to some of the others."""
    if found := _CALENDAR.fullmatch(path):
        return _month(int(found[1]), int(found[2]))
    if _LOOP.fullmatch(path):
        return _html("Folder", "This folder holds folders.", {"a/": "a", "b/": "b", "/": "up"})
    if found := _DESK.fullmatch(path):
        return _room(path, found[1])
    if _LIST.fullmatch(path):
        return _html("List", "Three chairs, two tables and a lamp.", _filtered(path))
    if found := _ITEM.fullmatch(path):
        return _item(int(found[1]))
    if _LOST.fullmatch(path):
        return _html("Oops", "We have looked everywhere and found nothing. Perhaps here?", _guesses(path))
    return _html("Items", "The shop is empty today.", _visits(path))


def _month(year: int, month: int) -> bytes:
    months = year * 12 + month - 1
    near = {"earlier": months - 1, "later": months + 1}
    links = {f"/calendar/{at // 12}/{at % 12 + 1}": label for label, at in near.items()}
    return _html(f"{month}/{year}", "Nothing takes place in this month.", links)


def _visits(path: str) -> dict[str, str]:
    return {f"/shop/items?session={_drawn(path, number)}": f"Shelf {number}" for number in range(3)}


def _room(path: str, name: str) -> bytes:
    rooms = {f"/desk/{_drawn(path, number)}/{room}": room for number, room in enumerate(_ROOMS)}
    return _html(name.capitalize(), f"{_ROOMS[name]} at this desk, today and on all other days.", rooms)


def _filtered(path: str) -> dict[str, str]:
    """The list with one filter more, or one changed, the newest first."""
    chosen = [piece.split("=") for piece in path.partition("?")[2].split("&") if piece]
    return {
        "/list?"
        + "&".join([f"{name}={value}", *("=".join(pair) for pair in chosen if pair[0] != name)]): value
        for name, values in _FACETS.items()
        for value in values
    }


def _item(number: int) -> bytes:
    text = ". ".join([f"This is item {number}", *[f"{_WORN}, says guide {guide}" for guide in range(20)]])
    links = {f"/item/{number + step}": "further" for step in (1, 2, 3)}
    return _html(f"Item {number}", f"{text}.", links)


def _guesses(path: str) -> dict[str, str]:
    return {f"/lost/{_word(path, number)}.html": "or here" for number in range(3)}


def _word(path: str, number: int) -> str:
    drawn = [_SYLLABLES[int(digit, 16) % len(_SYLLABLES)] for digit in _drawn(path, number)[:10]]
    return f"{''.join(drawn[:5])}-{''.join(drawn[5:])}"


def _drawn(path: str, number: int) -> str:
    return hashlib.blake2b(f"{path} {number}".encode(), digest_size=8).hexdigest()


def _html(title: str, text: str, links: Mapping[str, str]) -> bytes:
    anchors = " ".join(f'<a href="{link}">{label}</a>' for link, label in links.items())
    return f"<!DOCTYPE html><title>{title}</title><h1>{title}</h1><p>{text}</p><p>{anchors}</p>".encode()
