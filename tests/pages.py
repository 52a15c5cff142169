"""Pages for tests, made from a few words."""

from __future__ import annotations

from urllib.parse import urlsplit

from gossamer.model import Page, Url


def url(text: str) -> Url:
    parts = urlsplit(text)
    port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    host = parts.hostname or ""
    return Url(text, parts.scheme, f"[{host}]" if ":" in host else host, port, path)


def page(address: str, text: str, title: str = "", *, language: str = "xx", **more: object) -> Page:
    """A page in a language without a stemmer, so that words are their own terms."""
    return Page(url(address), text=text, title=title, language=language, **more)  # type: ignore[arg-type]
