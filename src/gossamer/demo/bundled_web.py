"""Demo web: pages in files, and generators of traps and spam.

Each folder is a host. A file is served at its path, `index.html` also at its folder. `_script.toml` in the
folder of a host adds what is not a plain file: mirrors, generators, redirects, error statuses and headers.
"""

from __future__ import annotations

import calendar as month_names
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from functools import partial
from hashlib import blake2b
from pathlib import Path
from random import Random
from urllib.parse import quote

from gossamer.demo.scripted_web import Reply, ScriptedHost, ScriptedWeb, error, html, page, redirect
from gossamer.model import BadSetting

# Generated traps and spam
# ------------------------
#
# A generator makes the reply of its host to a path. The same path always has the same page.

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


def calendar(host: str, path: str) -> Reply:
    """An endless calendar: /calendar/YYYY/MM is a month, with links to the months before and after it."""
    match = _MONTH.fullmatch(path.partition("?")[0])
    if match is None or not 1 <= int(match[2]) <= 12:
        return error(404)
    year, month = int(match[1]), int(match[2])
    dice = Random(f"{host} {year} {month}")
    days = sorted(dice.sample(range(1, 29), 4))
    events = [f"{day}: {dice.choice(EVENTS)}." for day in days]
    links = {_month_path(year, month - 1): "Previous month", _month_path(year, month + 1): "Next month"}
    return page(f"{month_names.month_name[month]} {year} - Town events", " ".join(events), links)


def _month_path(year: int, month: int) -> str:
    shifted = year * 12 + month - 1
    return f"/calendar/{shifted // 12:04}/{shifted % 12 + 1:02}"


def sessions(host: str, path: str) -> Reply:
    """A few pages, each at endlessly many URLs: every link to /seats/HALL has a new session id.

    The crawler drops the parameter `sid` from URLs. It must learn from the content to drop `visit`.
    """
    match = _SEATS.fullmatch(path.partition("?")[0])
    if match is None:
        return error(404)
    hall = match[1] if match[1] in HALLS else Random(match[1]).choice(list(HALLS))
    return page(f"Seats: {_title(hall)}", HALLS[hall], _session_links(host + path))


def _session_links(seen: str) -> Mapping[str, str]:
    links = {}
    for number, hall in enumerate(HALLS):
        token = blake2b(f"{seen} {hall}".encode(), digest_size=6).hexdigest()
        parameter = "sid" if number % 2 else "visit"
        links[f"/seats/{hall}?{parameter}={token}"] = f"Seats in the {_title(hall)}"
    return links


def _title(hall: str) -> str:
    return hall.replace("-", " ")


def soft404(_host: str, _path: str) -> Reply:
    """A page that says "not found" with the status 200, at any path."""
    words = "Sorry, the page you asked for could not be found. It may have been moved, or it never was."
    return page("Page not found", words, {"/": "Back to the start"})


def farm(host: str, path: str) -> Reply:
    """A spam farm: /page/1 to /page/20 are thin pages that link to one shop and to each other."""
    match = _FARM_PAGE.fullmatch(path.partition("?")[0])
    if match is None or not 1 <= int(match[1]) <= FARM_PAGES:
        return error(404)
    number = int(match[1])
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


GENERATORS: Mapping[str, Callable[[str, str], Reply]] = {
    "calendar": calendar,
    "sessions": sessions,
    "soft404": soft404,
    "farm": farm,
}
PORT = 8808
SEEDS = (f"http://good-links.localhost:{PORT}/", f"http://town-events.localhost:{PORT}/")
FOLDER = Path(__file__).parent / "web"
SCRIPT = "_script.toml"

# HTML has no charset here: each page declares its own, as most pages of the real web do.
CONTENT_TYPES = {
    ".html": "text/html",
    ".txt": "text/plain; charset=utf-8",
    ".pdf": "application/pdf",
    ".svg": "image/svg+xml",
    ".xml": "application/xml",
    ".css": "text/css; charset=utf-8",
}
NOT_FOUND = html(
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Page not found</title></head>\n'
    '<body><h1>Page not found</h1><p>There is no such page here. <a href="/">To the start</a></p></body>'
    "</html>\n",
    status=404,
)


@dataclass(frozen=True, slots=True)
class HostScript:
    """The content of a host's `_script.toml`."""

    mirror_of: str = ""
    generator: str = ""
    redirects: Mapping[str, str] = field(default_factory=dict)
    status: Mapping[str, int] = field(default_factory=dict)
    headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def demo_web() -> ScriptedWeb:
    """Load the web that comes with Gossamer."""
    return load_web(FOLDER)


def load_web(folder: Path) -> ScriptedWeb:
    """Load the web in a folder of host folders. Raise BadSetting if a script cannot be read."""
    sites = {path.name: path for path in sorted(folder.iterdir()) if path.is_dir()}
    scripts = {host: _script(path / SCRIPT) for host, path in sites.items()}
    files = {host: dict(_files(path)) for host, path in sites.items()}
    for host, script in scripts.items():
        if script.mirror_of and script.mirror_of not in files:
            raise BadSetting(f"{sites[host] / SCRIPT}: there is no host {script.mirror_of!r} to mirror")
        files[host] = {**files.get(script.mirror_of, {}), **files[host]}
    return ScriptedWeb({host: _host(host, files[host], scripts[host]) for host in sites})


def _script(path: Path) -> HostScript:
    if not path.exists():
        return HostScript()
    try:
        script = HostScript(**tomllib.loads(path.read_text("utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError) as error:
        raise BadSetting(f"{path}: {error}") from error
    if script.generator and script.generator not in GENERATORS:
        known = ", ".join(sorted(GENERATORS))
        raise BadSetting(f"{path}: unknown generator {script.generator!r}; choose from: {known}")
    return script


def _files(site: Path) -> Iterator[tuple[str, Reply]]:
    """Yield each path of a host with its reply; `index.html` has up to three paths."""
    for path in sorted(site.rglob("*")):
        if path.is_dir() or path.name == SCRIPT:
            continue
        reply = _file_reply(path)
        location = "/" + quote(path.relative_to(site).as_posix(), safe="/~!$&'()*+,;=:@")
        yield location, reply
        if path.name == "index.html":
            folder = location.removesuffix("index.html")
            yield folder, reply
            if folder != "/":
                yield folder.removesuffix("/"), redirect(folder)


def _file_reply(path: Path) -> Reply:
    body = path.read_bytes()
    headers = {
        "Content-Type": CONTENT_TYPES.get(path.suffix.lower(), "application/octet-stream"),
        "Last-Modified": formatdate(path.stat().st_mtime, usegmt=True),
        "ETag": f'"{blake2b(body, digest_size=8).hexdigest()}"',
    }
    return Reply(200, body, headers)


def _host(name: str, files: Mapping[str, Reply], script: HostScript) -> ScriptedHost:
    routes = dict(files)
    routes |= {path: redirect(target) for path, target in script.redirects.items()}
    for path, status in script.status.items():
        routes[path] = replace(files.get(path, NOT_FOUND), status=status)
    for path, headers in script.headers.items():
        routes[path] = _with_headers(routes.get(path, NOT_FOUND), headers)
    fallback = partial(GENERATORS[script.generator], name) if script.generator else NOT_FOUND
    return ScriptedHost(routes, fallback)


def _with_headers(reply: Reply, headers: Mapping[str, str]) -> Reply:
    given = {name.lower() for name in headers}
    kept = {name: value for name, value in reply.headers.items() if name.lower() not in given}
    return replace(reply, headers={**kept, **headers})
