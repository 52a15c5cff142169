"""Twenty hosts of ordinary pages, each different, all from one seed.

A page is linked from its parent (page p from page (p - 1) // 4 of its host), from the menu when it is one of
the first of its host, and from pages drawn at random. Some parents link through a redirect, some links lead
to other hosts, to what robots.txt forbids, or to nothing. Every fiftieth page is linked from nowhere: a
crawler that fetches it has guessed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from sites.rendering import Sheet, rendered
from sites.web import MISSING, ROBOTS, Kind, Place, Reply, reply, robots
from sites.words import Prose, vocabulary

FORBIDDEN, ALLOWED = "/private/", "/private/open/"
CHILDREN = 4
MENU = 10  # the first pages of a host stand in its menu
SECTIONS = ("articles", "reference", "notes", "manual", "people")
ORPHAN = 50  # every so many pages one is linked from nowhere


@dataclass(slots=True)
class GeneratedSite:
    """The plan of all pages; `open` renders them."""

    pages: int = 4_000
    hosts: int = 20
    seed: int = 7
    pattern: str = "*.test"
    _pages: dict[Place, list[Place]] = field(init=False, repr=False)
    _redirects: dict[Place, Place] = field(init=False, repr=False)
    _replies: dict[tuple[str, str], Reply] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._pages, self._redirects, self._replies = {}, {}, {}
        rng = random.Random(self.seed)
        words = vocabulary()[200:2_000]
        sizes = _sizes(self.pages, self.hosts, rng)
        places = [
            [Place(f"site-{host:02d}.test", _path(page, rng, words)) for page in range(size)]
            for host, size in enumerate(sizes, 1)
        ]
        for own in places:
            for page, place in enumerate(own):
                self._pages[place] = self._planned(page, own, places, rng)

    def seeds(self) -> list[Place]:
        return [Place(f"site-{host:02d}.test", "/") for host in (1, 2, 3) if host <= self.hosts]

    def kind(self, place: Place) -> Kind:
        if place.path.startswith(FORBIDDEN) and not place.path.startswith(ALLOWED):
            return Kind.FORBIDDEN
        if place in self._pages:
            return Kind.PAGE
        return Kind.REDIRECT if place in self._redirects else Kind.MISSING

    def links(self, place: Place) -> list[Place]:
        return [self._redirects[place]] if place in self._redirects else self._pages[place]

    def crawl_delay(self, host: str) -> float:
        return 0.0

    def open(self, port: int) -> None:
        prose = Prose(self.seed)
        sheet = Sheet(port, prose, random.Random(self.seed))
        for place, links in self._pages.items():
            self._replies[place] = reply(200, rendered(place, links, sheet))
            self._replies[place.host, ROBOTS] = robots(FORBIDDEN, ALLOWED)
        for place, target in self._redirects.items():
            self._replies[place] = reply(301, b"", location=sheet.absolute(target))

    def reply(self, host: str, path: str) -> Reply:
        return self._replies.get((host, path), MISSING)

    def _planned(
        self, page: int, own: list[Place], places: list[list[Place]], rng: random.Random
    ) -> list[Place]:
        """Where a page links to, in the order of the document: 40 to 80 links, some of them twice."""
        first = page * CHILDREN + 1
        children = [
            self._through(own[child], rng)
            for child in range(first, min(first + CHILDREN, len(own)))
            if not _is_orphan(child)
        ]
        others = [_drawn(own, rng) for _ in range(rng.randint(18, 46))]
        abroad = [_drawn(rng.choice(places), rng) for _ in range(4)]
        host = own[0].host
        if rng.random() < 0.3:
            others.append(Place(host, f"{FORBIDDEN}{rng.randrange(len(own))}.html"))
        if rng.random() < 0.05:
            others.append(Place(host, f"/gone/{page}.html"))
        rng.shuffle(others)
        again = rng.sample(others, 5)
        return [*own[:MENU], *children, *others, *again, *abroad]

    def _through(self, target: Place, rng: random.Random) -> Place:
        """The target itself, or now and then a redirect to it."""
        if rng.random() >= 0.05:
            return target
        redirect = Place(target.host, f"/go/{len(self._redirects)}")
        self._redirects[redirect] = target
        return redirect


def _sizes(pages: int, hosts: int, rng: random.Random) -> list[int]:
    """Pages of each host: large and small ones, and as many as asked for in sum."""
    shares = [0.3 + rng.random() for _ in range(hosts)]
    sizes = [max(MENU + 1, int(pages * share / sum(shares))) for share in shares]
    sizes[0] += max(0, pages - sum(sizes))
    return sizes


def _path(page: int, rng: random.Random, words: list[str]) -> str:
    name = f"{rng.choice(words)}-{rng.choice(words)}"
    if page == 0:
        return "/"
    if page % 37 == 5:
        return f"{ALLOWED}{name}-{page}.html"
    match page % 10:
        case 1:
            return f"/guide/{name}-{page}/"
        case 2:
            return f"/list?page={page}&sort=name"
        case 3 | 4 | 5:
            return f"/{SECTIONS[page % 5]}/{2000 + page % 26}/{1 + page % 12:02d}/{name}-{page}"
        case _:
            return f"/{SECTIONS[page % 5]}/{name}-{page}.html"


def _is_orphan(page: int) -> bool:
    return page % ORPHAN == ORPHAN - 1


def _drawn(own: list[Place], rng: random.Random) -> Place:
    """A page of a host that may be linked to, the earlier ones more often."""
    page = int(len(own) * rng.random() ** 1.5)
    return own[page - 1 if _is_orphan(page) else page]
