"""A web of any size that is stored nowhere: what stands under an address is computed from its numbers.

Host h has pages 0, 1, 2, ...; page p links to pages 4p + 1 to 4p + 4, so that all can be reached from page 0,
and page 0 of host h links to hosts 4h + 1 to 4h + 4, so that all can be reached from host 0. To these come
links drawn by hashing (splitmix64; Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
2014). On the way there is what crawlers meet: redirects, copies under a second address, links to nothing and
to what is forbidden, hosts that are slow, that ask for patience, that have no robots.txt, and, on some hosts,
pages without end (`traps.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from sites.traps import SOFT, is_trap, never_says_no, trap_entry, trap_page
from sites.web import MISSING, ROBOTS, Kind, Place, Reply, reply, robots
from sites.words import Prose

FORBIDDEN, ALLOWED = "/private/", "/private/open/"
SECTIONS = ("docs", "news", "blog", "faq", "wiki")
CHILDREN = 4
COPY = 20  # every so many pages one is the page before it once more
PATIENT_SIZE = 20  # most pages of a host that asks for patience
SLOWEST = 0.3  # seconds
SUPPLY = 1 << 17  # words that the texts are cut from
MASK = (1 << 64) - 1


def mix(*numbers: int) -> int:
    """64 bits that depend on all of the numbers and look like chance."""
    state = 0
    for number in numbers:
        state = (state + number + 0x9E3779B97F4A7C15) & MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
        state ^= state >> 31
    return state


@dataclass(slots=True)
class SyntheticWeb:
    """About `urls` pages on `hosts` hosts; redirects, missing and forbidden addresses are not counted."""

    urls: int
    hosts: int
    traps: bool = True
    pattern: str = "*.test"
    _words: list[str] = field(init=False, repr=False, default_factory=list)

    def open(self, port: int) -> None:
        self._words = Prose(seed=3).words(SUPPLY)

    def seeds(self) -> list[Place]:
        return [Place("h0.test", "/")]

    def kind(self, place: Place) -> Kind:
        host, path = self._number(place.host), place.path
        if host < 0:
            return Kind.MISSING
        if path.startswith(FORBIDDEN) and not path.startswith(ALLOWED):
            return Kind.PAGE if _is_lawless(host) else Kind.FORBIDDEN
        if self._is_trapped(host) and is_trap(path):
            return Kind.TRAP
        if self._page(host, path) >= 0:
            return Kind.PAGE
        return Kind.REDIRECT if self._redirected(host, path) >= 0 else Kind.MISSING

    def links(self, place: Place) -> list[Place]:
        host = self._number(place.host)
        page = self._page(host, place.path)
        if page >= 0:
            return self._links(host, _original(page))
        target = self._redirected(host, place.path)
        return [_place(host, target)] if target >= 0 else []

    def crawl_delay(self, host: str) -> float:
        return _patience(self._number(host))

    def size(self, host: int) -> int:
        """Pages of a host: half to one and a half of the mean, few where robots.txt asks for patience."""
        drawn = mix(host, 1) % 1_000
        size = 1 + self.urls * (550 + drawn * 11 // 10) // (
            1_000 * self.hosts
        )  # a tenth more, as some have few
        return min(size, PATIENT_SIZE) if _patience(host) else size

    def reply(self, host: str, path: str) -> Reply:
        number = self._number(host)
        place = Place(host, path)
        wait = SLOWEST * (mix(number, 2) % 1_000) / 1_000
        if number < 0:
            return MISSING
        if path == ROBOTS:
            found = MISSING if _is_lawless(number) else robots(FORBIDDEN, ALLOWED, _patience(number))
            return Reply(found.status, found.content, wait)
        match self.kind(place):
            case Kind.PAGE:
                return reply(200, self._html(number, place), wait=wait)
            case Kind.TRAP:
                return reply(200, trap_page(path), wait=wait)
            case Kind.REDIRECT:
                return reply(302, b"", location=self.links(place)[0].path, wait=wait)
            case Kind.FORBIDDEN:
                return reply(200, b"<title>Nobody should read this</title>", wait=wait)
            case Kind.MISSING if self._is_trapped(number) and never_says_no(number):
                return reply(200, trap_page(SOFT), wait=wait)
            case Kind.MISSING:
                return Reply(MISSING.status, MISSING.content, wait)

    def _links(self, host: int, page: int) -> list[Place]:
        size = self.size(host)
        parents = [page, page + 1] if _is_copy(page + 1) else [page]  # a copy shows the links of its original
        children = [parent * CHILDREN + 1 + child for parent in parents for child in range(CHILDREN)]
        found = [self._through(host, child) for child in children if child < size]
        found += [_place(host, mix(host, page, turn) % size) for turn in range(3)]
        for turn in range(3, 5):
            other = mix(host, page, turn) % self.hosts
            found.append(_place(other, mix(host, page, turn, other) % self.size(other)))
        drawn = mix(host, page, 5)
        if drawn % 10 < 3:
            found.append(Place(f"h{host}.test", f"{FORBIDDEN}{page}"))
        if drawn % 100 < 5:
            found.append(Place(f"h{host}.test", f"/gone/{page}"))
        return found + self._from_front(host) if page == 0 else found

    def _from_front(self, host: int) -> list[Place]:
        others = range(host * CHILDREN + 1, min((host + 1) * CHILDREN + 1, self.hosts))
        found = [_place(other, 0) for other in others]
        return [*found, Place(f"h{host}.test", trap_entry(host))] if self._is_trapped(host) else found

    def _through(self, host: int, page: int) -> Place:
        """The page itself, or now and then a redirect to it."""
        return Place(f"h{host}.test", f"/go/{page}") if _goes_through(host, page) else _place(host, page)

    def _html(self, host: int, place: Place) -> bytes:
        page = self._page(host, place.path)
        if page < 0:  # behind a robots.txt that is not there
            page, links = mix(*place.path.encode()), []
        else:
            page = _original(page)
            links = self.links(place)
        pieces = [self._text(mix(host, page, 10 + turn)) for turn in range(4 + mix(host, page, 9) % 4)]
        items = "".join(f'<li><a href="{_href(place, link)}">{_label(link)}</a>' for link in links)
        title = f"{' '.join(pieces[0].split()[:6])} {host}-{page}"
        text = "".join(f"<p>{piece}.</p>\n" for piece in pieces)
        return f"<!DOCTYPE html><title>{title}</title>\n<h1>{title}</h1>\n{text}<ul>{items}</ul>".encode()

    def _text(self, drawn: int) -> str:
        start = drawn % (SUPPLY - 64)
        return " ".join(self._words[start : start + 24 + drawn % 40])

    def _number(self, host: str) -> int:
        """The number of a host; -1 when there is none of that name."""
        digits = host[1:-5]
        known = host[:1] == "h" and host.endswith(".test") and digits.isdecimal() and len(digits) < 10
        return int(digits) if known and int(digits) < self.hosts else -1

    def _page(self, host: int, path: str) -> int:
        """The number of a page; -1 when the path is none of a page."""
        digits = path.rpartition("/")[2].removesuffix(".html")
        page = 0 if path == "/" else int(digits) if digits.isdecimal() and len(digits) < 10 else -1
        return page if 0 <= page < self.size(host) and _path(page) == path else -1

    def _redirected(self, host: int, path: str) -> int:
        digits = path.removeprefix("/go/")
        page = int(digits) if digits.isdecimal() and len(digits) < 10 else -1
        return page if 0 <= page < self.size(host) and _goes_through(host, page) else -1

    def _is_trapped(self, host: int) -> bool:
        return self.traps and host % 25 == 3


def _patience(host: int) -> float:
    """Seconds that the robots.txt of a host asks for; 0 when it asks for none."""
    return 1.0 + host % 3 if host % 10 == 8 else 0.0


def _is_lawless(host: int) -> bool:
    """It has no robots.txt: everything may be asked."""
    return host % 10 == 9


def _is_copy(page: int) -> bool:
    return page % COPY == COPY - 1


def _original(page: int) -> int:
    return page - 1 if _is_copy(page) else page


def _goes_through(host: int, page: int) -> bool:
    return mix(host, page, 6) % 20 == 0


def _path(page: int) -> str:
    if page == 0:
        return "/"
    return f"{ALLOWED}{page}.html" if page % 23 == 22 else f"/{SECTIONS[page % 5]}/{page}.html"


@lru_cache(maxsize=1 << 12)
def _place(host: int, page: int) -> Place:
    return Place(f"h{host}.test", _path(page))


def _href(source: Place, target: Place) -> str:
    return target.path if source.host == target.host else f"http://{target.host}{target.path}"


def _label(target: Place) -> str:
    return target.path.strip("/").removesuffix(".html").replace("/", " ") or target.host
