"""A crawl of a server that attacks the crawler, beside honest pages: the honest ones lose nothing.

Each hostile path was once a way to end a crawl, to freeze it, or to write beyond a buffer.
"""

from __future__ import annotations

import os
import socketserver
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from gossamer import Engine

GUARD = 900  # seconds: only against hanging
HONEST = 30
START = "http://evil.test/"
SETTINGS = """
[frontier]
delay = 0.0
[fetch]
host_overrides = ["evil.test=127.0.0.1:{port}"]
"""


def word(number):
    """A word for each number, that stands on one page only."""
    return "".join(chr(ord("a") + int(digit)) + "orvan"[number % 5] for digit in f"{number:03}") + "stone"


# Markup that wrote out of bounds, with the word behind it.
CRAFTED = {
    "/attribute": ("<p mknkpplkjkkmjpooliqunnjk=x>", "amberline"),
    "/attribute-too": ("<p hrwmavngjjttmlgmopihhfpc=x>", "basaltine"),
    "/element": ("<nnnlerhkilpqsmlimmknhmhi hidden></nnnlerhkilpqsmlimmknhmhi>", "copperish"),
    "/element-too": ("<ujltokmlmqnpknnlllrhporo hidden></ujltokmlmqnpknnlllrhporo>", "dolomitic"),
    "/link": (
        f'<link rel="canonical alternate" hreflang=x href="/link?{"x" * 1500}">'
        f'<link rel="canonical alternate" hreflang=x href="{"&nGt;" * 30_000}">',
        "emeraldic",
    ),
}
# Pages under four session ids that say the same, then addresses on which the search for ids was cubic.
IDS = [
    f"{number:08x}deadbeefdeadbeef{number:08x}" for number in (0x1A2B3C4D, 0x2B3C4D5E, 0x3C4D5E6F, 0x4D5E6F7A)
]
LONG_PATHS = [f"/{IDS[0]}/{'-._~' * 470}{n}" for n in range(40)]


def linked(paths, text=""):
    links = "".join(f'<a href="{path}">{path[:20]}</a> ' for path in paths)
    return f"<!doctype html><title>A page</title><p>{text}</p>{links}"


def pages():
    """The body of each path, and its type where that is not said to be HTML."""
    honest = {f"/honest-{n}": f"<title>Honest {n}</title><p>A page on {word(n)}." for n in range(HONEST)}
    crafted = {
        path: f"<!doctype html><title>Crafted</title>{markup} The {behind} is here."
        for path, (markup, behind) in CRAFTED.items()
    }
    sessions = {
        f"/{each}/story": "<title>Story</title><p>" + "The same old story of granite. " * 40 for each in IDS
    }
    authors = f'{{"@type": "Article", "author": "a{" " * 1_000_000}b"}}'
    hostile = {
        "/sniffed": "<!---->" * 30 + "x",
        "/authors": f'<script type="application/ld+json">{authors}</script><p>A page on fluorite.',
        "/sessions": linked([*sessions, "/after-sessions"]),
        "/after-sessions": linked(LONG_PATHS),
    }
    everything = honest | crafted | sessions | hostile
    start = linked([*hostile, "/nothing", *crafted, *honest])
    return {path: body.encode() for path, body in (everything | {"/": start}).items()}


class Hostile(socketserver.StreamRequestHandler):
    def handle(self):
        path = self.rfile.readline().split(b" ")[1].decode()
        while self.rfile.readline().strip():
            pass
        body = self.server.pages.get(path)
        if path == "/nothing":
            self.wfile.write(b"HTTP/1.1 000 x\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi")
            return
        status = b"404 Not Found" if body is None else b"200 OK"
        kind = b"" if path == "/sniffed" else b"Content-Type: text/html\r\n"
        body = body or b"none"
        self.wfile.write(
            b"HTTP/1.1 %b\r\n%bConnection: close\r\nContent-Length: %d\r\n\r\n" % (status, kind, len(body))
            + body
        )


@contextmanager
def serving():
    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

    with Server(("127.0.0.1", 0), Hostile) as server:
        server.pages = pages()
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()


def crawl(folder, environment):
    command = [sys.executable, "-m", "gossamer", "-C", str(folder), "crawl", START, "--quiet"]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=GUARD, env=os.environ | environment
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def attack(folder, environment):
    """Crawls twice, then asks for every word."""
    folder.mkdir()
    with serving() as port:
        (folder / "gossamer.toml").write_text(SETTINGS.format(port=port))
        for _ in range(2):
            crawl(folder, environment)
    with Engine.open(folder) as engine:
        for number in range(HONEST):
            assert [hit.url for hit in engine.search(word(number)).hits] == [f"{START}honest-{number}"]
        for path, (_, behind) in CRAFTED.items():
            assert [hit.url for hit in engine.search(behind).hits] == [f"{START}{path[1:]}"]
        assert [hit.url for hit in engine.search("fluorite").hits] == [f"{START}authors"]


def test_honest_pages_are_found_beside_hostile_ones(tmp_path):
    attack(tmp_path / "web", {})


@pytest.mark.long
def test_nothing_is_out_of_bounds_in_any_kernel(tmp_path):
    attack(tmp_path / "web", {"NUMBA_BOUNDSCHECK": "1", "XDG_CACHE_HOME": str(tmp_path / "cache")})
