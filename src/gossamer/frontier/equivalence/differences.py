"""In which one way do two addresses differ?

Most copies within a site stand under addresses that differ in one of a few ways. Each has a name
here, and `folded` is the form that many variants have in common.
"""

from __future__ import annotations

from gossamer.model import Url
from gossamer.model.url import DEFAULT_PORTS
from gossamer.web.schemes import OWN

SCHEME = "scheme"  # http or https
WWW = "www"  # with it or without
SLASH = "slash"  # at the end of the path
CASE = "case"  # of the path
ORDER = "order"  # of the parameters
INDEX = "index "  # and the name that stands for a folder
PARAMETER = "?"  # and the name of the parameter

INDEX_NAMES = tuple(
    f"{name}.{ending}"
    for name in ("index", "default")
    for ending in ("html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp")
)


def difference(one: Url, other: Url) -> str | None:
    """The name of the only difference, or None where there are more, or one without a name.

    >>> from gossamer.web.url import canonical
    >>> difference(canonical("http://a.com/x?n=1"), canonical("http://a.com/x?n=1&ref=7"))
    '?ref'
    """
    first, first_mark, first_query = one.path.partition("?")
    second, second_mark, second_query = other.path.partition("?")
    found = [_of_hosts(one, other), _of_paths(first, second)]
    if (first_mark, first_query) != (second_mark, second_query):
        found.append(_of_queries(first_query.split("&"), second_query.split("&")))
    named = [difference for difference in found if difference != ""]
    return named[0] if len(named) == 1 else None


def _of_hosts(one: Url, other: Url) -> str | None:
    if one.origin == other.origin:
        return ""
    if one.host == other.host:
        return SCHEME if is_usual_door(one) and is_usual_door(other) else None
    same_door = (one.scheme, one.port) == (other.scheme, other.port)
    return WWW if same_door and bare_host(one.host) == bare_host(other.host) else None


def is_usual_door(url: Url) -> bool:
    """Whether it is http or https at the usual port: servers seldom tell the two apart."""
    return url.scheme in OWN and url.port == DEFAULT_PORTS[url.scheme]


def bare_host(host: str) -> str:
    """The host without `www.`."""
    return host.removeprefix("www.")


def _of_paths(one: str, other: str) -> str | None:
    if one == other:
        return ""
    shorter, longer = sorted((one, other), key=len)
    rest = longer.removeprefix(shorter)
    if rest == "/":
        return SLASH
    if rest in INDEX_NAMES and shorter.endswith("/"):
        return INDEX + rest
    return CASE if one.lower() == other.lower() else None


def _of_queries(one: list[str], other: list[str]) -> str | None:
    if sorted(one) == sorted(other):
        return ORDER
    names = {_name(piece) for piece in set(one) ^ set(other)} - {""}
    if len(names) != 1:
        return None
    name = names.pop()
    rest = [[piece for piece in pieces if _name(piece) not in {name, ""}] for pieces in (one, other)]
    return PARAMETER + name if rest[0] == rest[1] else None


def _name(piece: str) -> str:
    return piece.partition("=")[0]


def without_parameter(path: str, name: str) -> str:
    """Path and query without the parameters of that name.

    >>> without_parameter("/x?a=1&ref=2&b=3", "ref")
    '/x?a=1&b=3'
    """
    path, _, query = path.partition("?")
    kept = "&".join(piece for piece in query.split("&") if _name(piece) != name)
    return f"{path}?{kept}" if kept else path


def folded(host: str, path: str) -> str:
    """What addresses have in common that differ in scheme, www, slash, index, case or order only."""
    path, _, query = path.lower().partition("?")
    head, _, last = path.rpartition("/")
    path = head if last in INDEX_NAMES else path.rstrip("/")
    return f"{bare_host(host)}{path}?{'&'.join(sorted(query.split('&')))}"
