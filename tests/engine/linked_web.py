"""A small web about cats and ships, with a spam farm, to rank and to search by links."""

from __future__ import annotations

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html

FARM = 30
SETTINGS = {
    "frontier": {"delay": 0.0},
    "extract": {"workers": 0},
    "crawl": {"sitemaps": False},
    "quality": {"near_duplicate_threshold": 1.0},
}
RANK = {
    "trusted": ["portal.test"],
    "spam": ["http://farm.test/p1"],
    "topics": [
        {"name": "cats", "pages": ["http://cats.test/", "@feline.txt"]},
        {"name": "ships", "directory": "http://portal.test/ships"},
        {"name": "harbours", "query": "intitle:harbour"},
    ],
}
SEEDS = ["http://portal.test/", "http://farm.test/p1", "http://fans.test/"]
CATS = ["lion", "tiger", "lynx"]
SHIPS = ["frigate", "barge", "tug"]


def page(title, text, links):
    said = "".join(f'<p>See <a href="{href}"{rel}>{words}</a>.</p>' for href, words, rel in links)
    return html(f"<title>{title}</title><h1>{title}</h1><p>{text}</p>{said}")


def links(*pairs, rel=""):
    return [(href, words, rel) for href, words in pairs]


def portal():
    shops = [(f"http://ships.test/{ship}", f"the {ship}") for ship in SHIPS]
    cats = [(f"http://cats.test/{cat}", f"the {cat}") for cat in CATS]
    return {
        "/": page("Portal", "Where all begins.", links(("/cats", "cats"), ("/ships", "ships"))),
        "/cats": page(
            "List of cats", "Good pages on every cat.", links(*cats, ("http://cats.test/", "cats"))
        ),
        "/ships": page("List of ships", "Good pages on every ship.", links(*shops, ("/", "back"))),
    }


def cats():
    own = links(*((f"/{cat}", cat) for cat in CATS))
    pages = {"/": page("The cat site", "All of the cat family.", own)}
    for cat in CATS:
        pages[f"/{cat}"] = page(f"The {cat}", f"A {cat} is a large cat of the wild.", links(("/", "home")))
    return pages


def ships():
    pages = {}
    for ship in SHIPS:
        out = links(("http://portal.test/", "portal"), ("/harbour", "harbour"))
        pages[f"/{ship}"] = page(f"The {ship}", f"A {ship} is a ship for the sea, no cat.", out)
    pages["/harbour"] = page("A harbour", "Ships rest here.", links(("/frigate", "frigate")))
    return pages


def farm():
    """All pages of the farm link to its target, which links back to all of them."""
    pages = {
        "/target": page("Cheap cats", "Buy a cat now.", links(*((f"/p{n}", "more") for n in range(1, FARM))))
    }
    for number in range(1, FARM):
        following = [("/target", "cheap cats"), (f"/p{number % (FARM - 1) + 1}", "next")]
        pages[f"/p{number}"] = page(f"Offer {number}", f"Offer number {number} of many.", links(*following))
    return pages


def fans():
    bought = links(("http://farm.test/target", "cheap cats"))
    paid = links(("http://farm.test/target", "an advertisement"), rel=' rel="sponsored"')
    liked = links(("http://cats.test/lion", "a fine lion"), ("http://portal.test/", "the portal"))
    return {
        "/": page("Fans", "Fans write here about a cat.", [*liked, *links(("/guest", "guests"))]),
        "/guest": page("Guest book", "Anybody may write here.", [*bought, *links(("/paid", "more"))]),
        "/paid": page("Advertisements", "Somebody paid for this.", paid),
    }


def web():
    hosts = {"portal": portal(), "cats": cats(), "ships": ships(), "farm": farm(), "fans": fans()}
    return ScriptedWeb({f"{name}.test": ScriptedHost(pages) for name, pages in hosts.items()})


def settings(**rank):
    return {**SETTINGS, "rank": {**RANK, **rank}}


def crawled(folder, partitions=1, **rank):
    """The web, crawled and ranked."""
    with Engine.open(folder, create=True, partitions=partitions, settings=settings(**rank)) as engine:
        (folder / "feline.txt").write_text("# cats of prey\nhttp://cats.test/lion # and more\n\n")
        engine.crawl(SEEDS, transport=ScriptedTransport(web()))
        engine.rank()
    return folder
