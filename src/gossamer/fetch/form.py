"""How is the form of a log-in page filled in?

The page is not parsed but scanned for the few tags that forms are made of. The expressions give nothing back
once they have taken it, so the time grows with the length of a page, whatever is written on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape

from gossamer.model import Url
from gossamer.web.url import canonical

# What is no markup, then a tag; each ends with the page if nothing else ends it.
_TAG = re.compile(
    r"<!--(?s:.*?)(?:-->|\Z)"
    r"|<(?P<raw>script|style|title|textarea)\b(?P<rest>(?:\"[^\"]*+\"?+|'[^']*+'?+|[^\"'>])*+)>?+"
    r"(?s:.*?)(?:</(?P=raw)|\Z)"
    r"|<(?P<name>/?+[a-z][^\s/>]*+)(?P<attributes>(?:\"[^\"]*+\"?+|'[^']*+'?+|[^\"'>])*+)>?+",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"([^\s/=]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"?+|'([^']*+)'?+|([^\s\"']++)))?+")
_WRITTEN = re.compile(r"[^<]*+")


@dataclass(frozen=True, slots=True)
class FilledForm:
    """Where a form goes, and what with."""

    action: Url
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    attributes: Mapping[str, str]
    text: str = ""  # what stands behind it, up to the next tag

    @property
    def kind(self) -> str:
        return self.attributes.get("type", "").lower()


@dataclass(slots=True)
class _Form:
    attributes: Mapping[str, str]
    fields: list[tuple[_Tag, list[_Tag]]] = field(default_factory=list)  # a select with its options


def has_password(page: bytes) -> bool:
    """Whether a page asks for a password."""
    return any(tag.kind == "password" for form in _forms(page) for tag, _ in form.fields)


def filled_in(page: bytes, url: Url, fields: Mapping[str, str]) -> FilledForm | None:
    """The form of a page that has the owner's fields, with what a browser would send along.

    None when there is none, or when it would be sent to another origin than its page: whoever can put such
    a form on a page must not get the password.
    """
    for form in _forms(page):
        values = _values(form)
        method = form.attributes.get("method", "get").lower()
        if method != "post" or not fields.keys() <= values.keys():
            continue
        action = canonical(form.attributes.get("action") or url.text, url)
        if action is not None and action.origin == url.origin:
            return FilledForm(action, {**_sent(values), **fields})
    return None


def _tags(page: bytes) -> Iterator[_Tag]:
    text = page.decode("utf-8", "replace")
    for found in _TAG.finditer(text):
        name = found["raw"] or found["name"]
        if name:
            written = _WRITTEN.match(text, found.end())
            behind = written[0] if written and name.lower() == "option" else ""
            yield _Tag(name.lower(), _attributes(found["rest"] or found["attributes"] or ""), behind)


def _attributes(text: str) -> dict[str, str]:
    """The attributes of a tag; of two with one name the first counts, as in browsers."""
    found: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(text):
        found.setdefault(name.lower(), unescape("".join(values)))
    return found


def _forms(page: bytes) -> list[_Form]:
    """The forms of a page with their fields; a form within a form is none, as in browsers."""
    found: list[_Form] = []
    is_open = False
    for tag in _tags(page):
        if tag.name == "form" and not is_open:
            found.append(_Form(tag.attributes))
            is_open = True
        elif tag.name == "/form":
            is_open = False
        elif is_open and tag.name in {"input", "button", "select", "textarea"}:
            found[-1].fields.append((tag, []))
        elif is_open and tag.name == "option" and found[-1].fields:
            found[-1].fields[-1][1].append(tag)
    return found


def _values(form: _Form) -> dict[str, str | None]:
    """The fields of a form by name; None for what a browser would not send as it stands."""
    found: dict[str, str | None] = {}
    has_button = False
    for tag, options in form.fields:
        name = tag.attributes.get("name", "")
        if not name:
            continue
        value: str | None = tag.attributes.get("value", "")
        if tag.kind in {"submit", "image"} or (tag.name == "button" and tag.kind != "button"):
            value, has_button = (None if has_button else value), True
        elif tag.kind in {"checkbox", "radio"}:
            value = (value or "on") if "checked" in tag.attributes else found.get(name)
        elif tag.kind in {"button", "reset", "file"}:
            value = None
        elif tag.name == "select":
            value = _chosen(options)
        found[name] = value
    return found


def _chosen(options: list[_Tag]) -> str | None:
    selected = [option for option in options if "selected" in option.attributes] or options
    if not selected:
        return None
    value = selected[0].attributes.get("value")
    return unescape(selected[0].text).strip() if value is None else value


def _sent(values: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value is not None}
