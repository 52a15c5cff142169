"""What does an address look like without the differences that do not matter?"""

from __future__ import annotations

from collections.abc import Container, Mapping

from gossamer.frontier.equivalence.differences import (
    CASE,
    INDEX,
    INDEX_NAMES,
    ORDER,
    PARAMETER,
    SCHEME,
    SLASH,
    WWW,
    bare_host,
    is_usual_door,
)
from gossamer.frontier.equivalence.evidence import Evidence
from gossamer.model import Url
from gossamer.web.host import is_ip_literal
from gossamer.web.pattern import path_pattern
from gossamer.web.url import canonical


def rewrite(url: Url, rules: Mapping[str, Evidence]) -> Url | None:
    """The address that all variants under these rules have in common, or None when it is this one.

    Of `www.` and a slash at the end the form is taken that the pages to keep had more often.
    """
    path, mark, query = url.path.partition("?")
    scheme, authority = _door(url, rules)
    text = f"{scheme}://{authority}{_path(path, rules)}"
    if mark and (kept := _query(url, query.split("&"), rules)):
        text = f"{text}?{kept}"
    if text == url.text:
        return None
    # The parser has the last word on what is canonical, such as capitals in escapes.
    better = canonical(text)
    return None if better is None or better == url else better


def _door(url: Url, rules: Mapping[str, Evidence]) -> tuple[str, str]:
    """Scheme and authority."""
    scheme = "https" if SCHEME in rules and is_usual_door(url) else url.scheme
    evidence = rules.get(WWW)
    if evidence is None or is_ip_literal(url.host):
        return scheme, url.authority
    bare = bare_host(url.authority)
    return scheme, f"www.{bare}" if evidence.lean > 0 else bare


def _path(path: str, rules: Mapping[str, Evidence]) -> str:
    if CASE in rules:
        path = path.lower()
    folder, _, last = path.rpartition("/")
    if last in INDEX_NAMES and INDEX + last in rules:
        return f"{folder}/"
    slash = rules.get(SLASH)
    if slash is None or "." in last:
        return path
    if slash.lean > 0:
        return path if not last else f"{path}/"
    return path.rstrip("/") or "/"


def _query(url: Url, pieces: list[str], rules: Container[str]) -> str:
    path = path_pattern(url)
    kept = [piece for piece in pieces if not _is_idle(path, piece.partition("=")[0], rules)]
    return "&".join(sorted(kept) if ORDER in rules else kept)


def _is_idle(path: str, name: str, rules: Container[str]) -> bool:
    return f"{PARAMETER}{name}" in rules or f"{path} {PARAMETER}{name}" in rules
