"""How is the address of a result shown, and may it be a link?"""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

LONGEST_CRUMB = 40  # characters
MOST_CRUMBS = 3  # behind the host
_PLAIN = re.compile(r"https?://([A-Za-z0-9.:-]+)((?:/[A-Za-z0-9._~/-]*)?)")


def link_of(url: str) -> str | None:
    """The address as a link's target; None for what is not http or https, such as `javascript:`."""
    return url if url.lower().startswith(("http://", "https://")) else None


def crumbs(url: str) -> tuple[str, ...]:
    """Host and path as a trail that a person can read.

    >>> crumbs("https://example.org/guide/caf%C3%A9/index.html")
    ('example.org', 'guide', 'café', 'index.html')
    """
    if plain := _PLAIN.fullmatch(url):  # nothing to decode, and nothing that could mislead
        host, path = plain.groups()
        return _trail(host, [step for step in path.split("/") if step])
    try:
        parts = urlsplit(url)
    except ValueError:
        return (_shortened(url),)
    if not parts.netloc:
        return (_shortened(url),)
    # Without the user's name: http://bank.example@evil.example/ is a page of evil.example.
    host = parts.netloc.rpartition("@")[2]
    steps = [_readable(step) for step in parts.path.split("/") if step]
    if parts.query:
        steps.append("?" + _readable(parts.query))
    return _trail(host, steps)


def _trail(host: str, steps: list[str]) -> tuple[str, ...]:
    if len(steps) > MOST_CRUMBS:
        steps = [steps[0], "…", *steps[-MOST_CRUMBS + 2 :]]
    return (host, *map(_shortened, steps))


def _readable(escaped: str) -> str:
    """Without percent signs, unless that would show controls, or letters that turn the line around."""
    try:
        plain = unquote(escaped, errors="strict")
    except UnicodeDecodeError:
        return escaped
    return plain if plain.isprintable() else escaped


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_CRUMB else text[: LONGEST_CRUMB - 1].rstrip() + "…"
