"""The bundled web, and small ones of our own."""

import re
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest

from gossamer.demo.bundled_web import PORT, SEEDS, demo_web, load_web
from gossamer.model import BadSetting


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture
def web(tmp_path):
    script = """
        [redirects]
        "/old.html" = "/new.html"
        [status]
        "/gone.html" = 410
        "/withdrawn.html" = 451
        [headers."/secret.html"]
        X-Robots-Tag = "noindex"
        [headers."/kana.html"]
        content-type = "text/html; charset=shift_jis"
    """
    write(
        tmp_path,
        {
            "a.test/index.html": "<title>A</title>",
            "a.test/new.html": "new",
            "a.test/secret.html": "secret",
            "a.test/kana.html": "かな".encode("shift_jis"),
            "a.test/withdrawn.html": "why it was withdrawn",
            "a.test/docs/index.html": "docs",
            "a.test/docs/a b.txt": "text",
            "a.test/docs/日.pdf": b"%PDF",
            "a.test/x.svg": "<svg/>",
            "a.test/x.xml": "<x/>",
            "a.test/x.css": "p {}",
            "a.test/x.bin": b"\0",
            "a.test/_script.toml": script,
            "mirror.test/_script.toml": 'mirror_of = "a.test"',
            "mirror.test/new.html": "its own",
            "town.test/_script.toml": 'generator = "calendar"',
            "town.test/index.html": "town",
            "README": "no host",
        },
    )
    return load_web(tmp_path)


def test_files_and_folders(web):
    assert set(web.hosts) == {"a.test", "mirror.test", "town.test"}
    assert web.reply("a.test", "/").body == web.reply("a.test", "/index.html").body == b"<title>A</title>"
    assert web.reply("a.test", "/docs/").body == b"docs"
    assert web.reply("a.test", "/docs").headers == {"Location": "/docs/"}
    assert web.reply("a.test", "/docs/a%20b.txt").body == b"text"
    assert web.reply("a.test", "/docs/%E6%97%A5.pdf").body == b"%PDF"


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/new.html", "text/html"),
        ("/docs/a%20b.txt", "text/plain; charset=utf-8"),
        ("/docs/%E6%97%A5.pdf", "application/pdf"),
        ("/x.svg", "image/svg+xml"),
        ("/x.xml", "application/xml"),
        ("/x.css", "text/css; charset=utf-8"),
        ("/x.bin", "application/octet-stream"),
        ("/kana.html", "text/html; charset=shift_jis"),
    ],
)
def test_content_types(web, path, content_type):
    reply = web.reply("a.test", path)
    assert (reply.status, reply.header("content-type")) == (200, content_type)
    assert [name.lower() for name in reply.headers].count("content-type") == 1


def test_scripts(web):
    assert web.reply("a.test", "/old.html").headers == {"Location": "/new.html"}
    assert web.reply("a.test", "/gone.html").status == 410
    withdrawn = web.reply("a.test", "/withdrawn.html")
    assert (withdrawn.status, withdrawn.body) == (451, b"why it was withdrawn")
    assert web.reply("a.test", "/secret.html").header("X-Robots-Tag") == "noindex"
    assert web.reply("a.test", "/_script.toml").status == 404
    assert web.reply("a.test", "/nowhere").status == 404


def test_mirrors_and_generators(web):
    assert web.reply("mirror.test", "/").body == b"<title>A</title>"
    assert web.reply("mirror.test", "/new.html").body == b"its own"
    assert web.reply("mirror.test", "/_script.toml").status == 404
    assert web.reply("town.test", "/").body == b"town"
    assert b"May 2024" in web.reply("town.test", "/calendar/2024/05").body


def test_what_is_known_is_not_sent_again(web):
    reply = web.reply("a.test", "/new.html")
    for header, known in (("if-none-match", "ETag"), ("if-modified-since", "Last-Modified")):
        again = web.reply("a.test", "/new.html", {header: reply.header(known)})
        assert (again.status, again.body) == (304, b"")
    assert web.reply("a.test", "/new.html", {"if-none-match": '"other"'}).status == 200


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("generator = 'perpetual'", "perpetual"),
        ("mirror_of = 'nobody.test'", "nobody.test"),
        ("colour = 'red'", "colour"),
        ("not toml", "_script.toml"),
    ],
)
def test_bad_scripts_are_named(tmp_path, script, why):
    write(tmp_path, {"a.test/_script.toml": script})
    with pytest.raises(BadSetting, match=why) as caught:
        load_web(tmp_path)
    assert "_script.toml" in str(caught.value)


HREF = re.compile(rb"""<a\s[^>]*?href\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)


def links(address, body):
    for href in HREF.findall(body):
        target = urldefrag(urljoin(address, href.decode("utf-8", "replace").replace("&amp;", "&"))).url
        if target.startswith("http"):
            yield target


def visit(web, most):
    """Walks from the seeds, over the pages that are files, and returns addresses and their replies."""
    found, waiting = {}, list(SEEDS)
    while waiting and len(found) < most:
        address = waiting.pop()
        parts = urlsplit(address)
        if address in found or re.search(r"/(calendar|seats|page)/", parts.path):
            continue
        reply = web.reply(parts.netloc, parts.path + (f"?{parts.query}" if parts.query else ""))
        found[address] = reply
        if reply is not None:
            target = reply.header("location")
            waiting += [urljoin(address, target)] if target else links(address, reply.body)
    return found


def test_every_host_of_the_demo_can_be_reached_from_the_seeds():
    web = demo_web()
    found = visit(web, 5_000)
    assert {urlsplit(address).hostname for address in found} == set(web.hosts)
    assert {urlsplit(address).port for address in found} == {PORT}
    assert not [address for address, reply in found.items() if reply is None]


def test_links_of_the_demo_lead_somewhere():
    missing = {
        address for address, reply in visit(demo_web(), 5_000).items() if reply and reply.status == 404
    }
    assert not missing
