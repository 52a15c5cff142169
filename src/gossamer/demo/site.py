"""Which pages does the bundled web have?

A folder a host; a file answers at its path, `index.html` at its folder. `_script.toml` in a host's folder
says what is no plain file: mirrors, generators, redirects, error statuses, extra headers.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gossamer.demo.generators import GENERATORS
from gossamer.fetch.scripted import Reply, Route, ScriptedHost, ScriptedWeb, html, redirect
from gossamer.model import BadSetting

PORT = 8808
SEEDS = (f"http://good-links.localhost:{PORT}/", f"http://town-events.localhost:{PORT}/")
FOLDER = Path(__file__).parent / "web"
SCRIPT = "_script.toml"

# HTML declares its own charset, as most of the real web does; that is what extraction must cope with.
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
class Script:
    """What a host's `_script.toml` says."""

    mirror_of: str = ""
    generator: str = ""
    redirects: Mapping[str, str] = field(default_factory=dict)
    status: Mapping[str, int] = field(default_factory=dict)
    headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def demo_web() -> ScriptedWeb:
    """The web that comes with Gossamer."""
    return load_web(FOLDER)


def load_web(folder: Path) -> ScriptedWeb:
    """The web in a folder of host folders; BadSetting, naming the file, when a script cannot be read."""
    sites = {path.name: path for path in sorted(folder.iterdir()) if path.is_dir()}
    scripts = {host: _script(path / SCRIPT) for host, path in sites.items()}
    files = {host: dict(_files(path)) for host, path in sites.items()}
    for host, script in scripts.items():
        if script.mirror_of and script.mirror_of not in files:
            raise BadSetting(f"{sites[host] / SCRIPT}: there is no host {script.mirror_of!r} to mirror")
        files[host] = {**files.get(script.mirror_of, {}), **files[host]}
    return ScriptedWeb({host: _host(host, files[host], scripts[host]) for host in sites})


def _script(path: Path) -> Script:
    if not path.exists():
        return Script()
    try:
        script = Script(**_read_toml(path))
    except TypeError as error:
        raise BadSetting(f"{path}: {error}") from error
    if script.generator and script.generator not in GENERATORS:
        raise BadSetting(f"{path}: no generator {script.generator!r}, only {', '.join(sorted(GENERATORS))}")
    return script


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSetting(f"{path}: {error}") from error


def _files(site: Path) -> Iterator[tuple[str, Reply]]:
    """Every file of a host with the paths at which it answers."""
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


def _host(name: str, files: Mapping[str, Reply], script: Script) -> ScriptedHost:
    routes: dict[str, Route] = dict(files)
    routes |= {path: redirect(target) for path, target in script.redirects.items()}
    for path, status in script.status.items():
        routes[path] = replace(files.get(path, NOT_FOUND), status=status)
    for path, headers in script.headers.items():
        routes[path] = _with_headers(routes.get(path, NOT_FOUND), headers)
    fallback = GENERATORS[script.generator](name) if script.generator else NOT_FOUND
    return ScriptedHost(routes, fallback)


def _with_headers(route: Route, headers: Mapping[str, str]) -> Route:
    if not isinstance(route, Reply):
        return route
    given = {name.lower() for name in headers}
    kept = {name: value for name, value in route.headers.items() if name.lower() not in given}
    return replace(route, headers={**kept, **headers})
