"""Canonicalise URLs, drop tracking parameters, list the known schemes.

Equivalent spellings of a URL become one `Url`: WHATWG parsing (ada), no fragment, no default port, no dot
segments, one form of percent-encoding, no tracking or session parameters.

Most links consist of plain characters that the parser would not change. One regular expression recognises
them, and they skip the parser, which takes half the time.

URLs of other schemes have a canonical form if a fetcher for the scheme is installed.
"""

from __future__ import annotations

import re
from functools import cache

from ada_url import join_url

from gossamer.model import BadUrl, FetchResult, Url
from gossamer.model.url import DEFAULT_PORTS

# URL schemes that installed fetchers add
# ---------------------------------------
#
# Fetchers are found by their entry points (see `gossamer.crawl.fetch.transport`). Each entry point has the
# name of its scheme, so no fetcher needs to be loaded to know the schemes.

GROUP = "gossamer.fetchers"
OWN = ("http", "https")


@cache
def other_schemes() -> frozenset[str]:
    """Return the schemes of the installed fetchers, in lower case."""
    from importlib.metadata import entry_points

    return frozenset(point.name.lower() for point in entry_points(group=GROUP)).difference(OWN)


MAX_LENGTH = 2_000

# Parameters that identify the visitor or the referring page, never the content. Compared in lower case.
TRACKING_PREFIXES = ("utm_", "pk_", "mtm_", "hsa_", "aspsessionid")
_TRACKING = """
    gclid gclsrc gbraid wbraid dclid fbclid msclkid yclid ttclid twclid igshid li_fat_id mc_cid mc_eid
    _ga _gl _hsenc _hsmi __hstc __hssc __hsfp mkt_tok oly_anon_id oly_enc_id vero_id wickedid _openstat
"""
_SESSION = "phpsessid jsessionid sessid oscsid zenid cfid cftoken"
DROPPED_PARAMETERS = frozenset(_TRACKING.split()) | frozenset(_SESSION.split())

# These name a session on one site and an article or a search on another, so the value decides.
AMBIGUOUS_PARAMETERS = frozenset(("s", "sid", "session", "sessionid", "session_id"))

# Hexadecimal digits with letters among them; mixed-case letters and digits; session ids of PHP.
_SESSION_VALUE = re.compile(
    r"(?=[a-f-]*\d)(?=[\d-]*[a-f])[\da-f-]{16,}|(?=[A-F-]*\d)(?=[\d-]*[A-F])[\dA-F-]{16,}|"
    r"(?=[A-Za-z]*\d)(?=[A-Z\d]*[a-z])(?=[a-z\d]*[A-Z])[A-Za-z\d]{16,}(?:=|%3D)*|"
    r"(?=[a-v]*\d)(?=\d*[a-v])(?:[\da-v]{26}|[\da-v]{32})"
)
_PERCENT = re.compile("%([0-9A-Fa-f]{2})?")
_PATH_PARAMETER = re.compile(r";(jsessionid|phpsessid|sid|sessionid)=([^;/?&]*)", re.IGNORECASE)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

# A plain URL has nothing to escape, no dot segment, no port, no session in the path, and a host that is
# neither a number nor in Punycode. A relative one has no colon, which could end a scheme. Its fragment is
# dropped.
_SEGMENT = r"[\w~@!$&'()*+,=-][\w.~@!$&'()*+,=-]*+"
_REST = rf"({_SEGMENT}(?:/{_SEGMENT})*+/?)?+(\?[\w.~@!$&()*+,=/:-]*+)?+(?:#[!-~]*+)?+"
_PLAIN = re.compile(
    rf"(https?)://(?!(?:[^/]*\.)?xn--)((?:[a-z\d_-]++\.)*+[a-z][a-z\d_-]*+)(?:/{_REST})?+", re.ASCII
)
_PLAIN_RELATIVE = re.compile(rf"(/|(?:\.\./)*+){_REST}", re.ASCII)
_NO_BASE = "about:blank"


def canonical(text: str, base: Url | None = None) -> Url | None:
    """Return the canonical form of a URL, or None if the text is not a URL that may be crawled.

    Relative URLs need a `base`. URLs with a user name or password, without a host, or longer than 2,000
    characters are refused. An IPv6 literal keeps its brackets. A host with an empty label, such as `a..b`,
    is accepted, although no name server can resolve it.

    >>> canonical("http://example.com:80/titi/../toto#top").text
    'http://example.com/toto'
    """
    if len(text) > MAX_LENGTH:
        return None
    if base is not None and base.host and (relative := _PLAIN_RELATIVE.fullmatch(text)):
        return _joined(base, *relative.groups(""))
    if plain := _PLAIN.fullmatch(text):
        scheme, host, path, query = plain.groups("")
        path = _without_tracking(f"/{path}{query}") if query else "/" + path
        return Url(f"{scheme}://{host}{path}", scheme, host, DEFAULT_PORTS[scheme], path)
    try:
        href = join_url(_NO_BASE if base is None else base.text, text)
    except ValueError:
        return None
    if href.startswith("https://"):
        return _assembled("https", href[8:])
    return _assembled("http", href[7:]) if href.startswith("http://") else _of_other_scheme(href)


def redirect_target(result: FetchResult) -> Url | None:
    """Return the target of a redirect; None if the response is no redirect or its target is invalid."""
    return canonical(result.header("location"), result.url) if result.is_redirect else None


def _of_other_scheme(href: str) -> Url | None:
    """Build the URL of a non-HTTP scheme from the parser's output.

    For these schemes the parser knows no default ports and does not normalise hosts.
    """
    scheme, _, rest = href.partition("#")[0].partition(":")
    if scheme not in other_schemes():
        return None
    if not rest.startswith("//") or rest.startswith("///"):
        text = f"{scheme}:{rest}".replace(" ", "%20")
        return Url.parsed(text) if len(text) <= MAX_LENGTH else None
    authority, slash, path = rest[2:].partition("/")
    authority, mark, query = authority.partition("?")
    if "@" in authority:
        return None
    host, port = _host_and_port(authority, 0)
    try:
        host = join_url(_NO_BASE, f"http://{host}/")[7:-1]
    except ValueError:
        return None
    door = f"{host}:{port}" if port else host
    return _assembled(scheme, f"{door}/{mark}{query}{slash if mark else ''}{path}")


def _joined(base: Url, climb: str, path: str, query: str) -> Url | None:
    """Resolve a plain relative URL against `base`; `climb` is "/" or the leading "../" segments."""
    if climb == "/":
        path = "/" + path
    elif climb or path:
        folders = base.path.partition("?")[0].split("/")
        # Remove one name for the page and one for each "../"; the root has no parent folder.
        path = "/".join((*folders[: max(1, len(folders) - 1 - len(climb) // 3)], path))
    elif query:
        path = base.path.partition("?")[0]
    else:
        return base
    path = _without_tracking(path + query) if query else path
    text = base.origin + path
    return Url(text, base.scheme, base.host, base.port, path) if len(text) <= MAX_LENGTH else None


def _assembled(scheme: str, rest: str) -> Url | None:
    """Build the URL from the parser's output after the scheme: authority, path, query, fragment."""
    if "#" in rest:
        rest = rest[: rest.index("#")]
    authority, _, tail = rest.partition("/")
    if "@" in authority:
        return None
    default = DEFAULT_PORTS.get(scheme, 0)
    host, port = _host_and_port(authority, default)
    if not host:
        return None
    path = "/" + tail
    if "%" in path:
        path = _PERCENT.sub(_one_form, path)
    if ";" in path and (freed := _PATH_PARAMETER.sub(_without_session, path)) != path:
        # Removing a session id can leave a dot segment, so the URL is parsed again.
        return canonical(f"{scheme}://{authority}{freed}")
    if "?" in path:
        path = _without_tracking(path)
    text = f"{scheme}://{host}{path}" if port == default else f"{scheme}://{host}:{port}{path}"
    return Url(text, scheme, host, port, path) if len(text) <= MAX_LENGTH else None


def _host_and_port(authority: str, default: int) -> tuple[str, int]:
    port = default
    if ":" in authority and authority[-1] != "]":
        authority, _, digits = authority.rpartition(":")
        port = int(digits)
    # Remove the dot of the DNS root, unless it follows an empty label: WHATWG parsing keeps such names.
    is_whole = authority != "." and not authority.endswith("..")
    return authority.removesuffix(".") if is_whole else authority, port


def _one_form(match: re.Match[str]) -> str:
    """Decode an escaped unreserved character, write other escapes in upper case, escape a stray %."""
    digits = match[1]
    if digits is None:
        return "%25"
    character = chr(int(digits, 16))
    return character if character in _UNRESERVED else "%" + digits.upper()


def _without_tracking(path: str) -> str:
    path, _, query = path.partition("?")
    kept = [piece for piece in query.split("&") if piece and not _is_tracking(piece)]
    return f"{path}?{'&'.join(kept)}" if kept else path


def _is_tracking(piece: str) -> bool:
    name, _, value = piece.partition("=")
    name = name.lower()
    if name in AMBIGUOUS_PARAMETERS:
        return _SESSION_VALUE.fullmatch(value) is not None
    return name in DROPPED_PARAMETERS or name.startswith(TRACKING_PREFIXES)


def _without_session(match: re.Match[str]) -> str:
    return "" if _is_tracking(f"{match[1]}={match[2]}") else match[0]


def repair(text: str) -> tuple[Url, str]:
    """Return the URL that a person meant, and a note about what was assumed ("" if nothing was).

    >>> url, note = repair("example.com/news")
    >>> url.text, note
    ('https://example.com/news', 'taken as https://example.com/news')
    """
    typed = text.strip()
    if not typed:
        raise BadUrl(text, "it is empty")
    if any(character.isspace() for character in typed):
        raise BadUrl(text, "it contains spaces")
    scheme = _scheme_of(typed)
    if scheme and scheme not in OWN:
        return _of_known_scheme(typed, scheme), ""
    rest = typed.partition("://")[2] if "://" in typed else typed.removeprefix("//")
    url = None if rest.startswith("/") else canonical(typed if scheme else f"https://{rest}")
    if url is None or not all(url.host.split(".")):
        raise BadUrl(text, _why_not(rest))
    return url, "" if scheme else f"taken as {url.text}"


def _of_known_scheme(typed: str, scheme: str) -> Url:
    others = other_schemes()
    if scheme not in others:
        *first, last = (*OWN, *sorted(others))
        raise BadUrl(typed, f"only {', '.join(first)} and {last} can be crawled, not {scheme}")
    url = canonical(typed)
    if url is None:
        raise BadUrl(typed, _why_not(typed.partition("://")[2]))
    return url


def _scheme_of(typed: str) -> str:
    """Return the scheme in lower case, or "".

    `localhost:8080/x` has no scheme, `mailto:anna@example.com` has one.
    """
    head, colon, tail = typed.partition(":")
    if not colon or not head.replace("+", "").isalnum():
        return ""
    looks_like_port = tail[:1].isdigit() and not tail.startswith("//")
    return "" if looks_like_port else head.lower()


def _why_not(after_scheme: str) -> str:
    if len(after_scheme) > MAX_LENGTH - 10:
        return f"it is longer than {MAX_LENGTH:,} characters"
    authority = re.split(r"[/?#\\]", after_scheme, maxsplit=1)[0]
    if "@" in authority:
        return "URLs with a user name or password are not crawled"
    return "its host or port cannot be read" if authority.strip(".:") else "it has no host"
