"""Pages without end, as careless programs make them.

A calendar whose months always have a next one; a relative link that makes the path grow with every click; a
shop that gives every visit a new number. Each page says as good as nothing.
"""

from __future__ import annotations

import hashlib
import re

ENTRIES = ("/calendar/2026/1", "/loop/a/", "/shop/items?session=0000000000000000")

_CALENDAR = re.compile(r"/calendar/(\d{1,6})/(\d{1,2})")
_LOOP = re.compile(r"/loop/(?:[ab]/)+")
_SHOP = re.compile(r"/shop/items\?session=[0-9a-f]{16}")


def trap_entry(host: int) -> str:
    """The address of the first page of the trap that a host has."""
    return ENTRIES[host // 25 % len(ENTRIES)]


def is_trap(path: str) -> bool:
    return any(pattern.fullmatch(path) for pattern in (_CALENDAR, _LOOP, _SHOP))


def trap_page(path: str) -> bytes:
    """A page of a trap, with links to some of the others."""
    if found := _CALENDAR.fullmatch(path):
        return _month(int(found[1]), int(found[2]))
    if _LOOP.fullmatch(path):
        return _html("Folder", "This folder holds folders.", ["a/", "b/", "/"])
    return _html("Items", "The shop is empty today.", [_visit(path, number) for number in range(3)])


def _month(year: int, month: int) -> bytes:
    months = year * 12 + month - 1
    near = [f"/calendar/{at // 12}/{at % 12 + 1}" for at in (months - 1, months + 1)]
    return _html(f"{month}/{year}", "Nothing takes place in this month.", near)


def _visit(path: str, number: int) -> str:
    session = hashlib.blake2b(f"{path} {number}".encode(), digest_size=8).hexdigest()
    return f"/shop/items?session={session}"


def _html(title: str, text: str, links: list[str]) -> bytes:
    anchors = " ".join(f'<a href="{link}">{link}</a>' for link in links)
    return f"<!DOCTYPE html><title>{title}</title><h1>{title}</h1><p>{text}</p><p>{anchors}</p>".encode()
