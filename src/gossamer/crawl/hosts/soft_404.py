"""Detect soft 404s: missing pages that are served with a success status.

Bar-Yossef, Broder, Kumar and Tomkins ("Sic transit gloria telae: towards an understanding of the web's
decay", WWW 2004) request a page in the same folder that cannot exist, called a probe. If the server answers
404, it has no soft 404s. Otherwise its answer is a soft 404, and pages with nearly the same content are
missing too.

The answer often contains the requested URL. So two answers are compared, and a page is a soft 404 if it
resembles an answer about as much as the two answers resemble each other. Probes cost requests, so they are
rare: only folders with copies, or with titles such as "not found", are probed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from secrets import token_hex

from gossamer.crawl.hosts.notes import HostNotes, State, drop_oldest
from gossamer.model import Url
from gossamer.text.shingles import ContentSketch, resemblance
from gossamer.web.url import canonical

# Titles of error pages
# ---------------------
#
# A title is only a hint, because an article about error pages has such a title, too. It only leads to a
# probe.

LONGEST = 120  # characters; a longer title is not that of an error page


@cache
def _says_so() -> re.Pattern[str]:
    from gossamer.text.stopwords import languages, section  # `status` reads hosts, but no page

    phrases = [phrase for code in sorted(languages("not_found")) for phrase in section("not_found", code)]
    return re.compile(rf"(?<![0-9])404(?![0-9])|{'|'.join(map(re.escape, phrases))}")


def says_not_found(title: str) -> bool:
    """Return whether a title is like that of an error page.

    >>> says_not_found("Seite nicht gefunden"), says_not_found("A walk in the forest")
    (True, False)
    """
    return len(title) <= LONGEST and _says_so().search(title.lower().replace("’", "'")) is not None


ENOUGH_IN_FOLDER = 3  # suspicious pages in a folder for a probe
ENOUGH_ON_HOST = 8  # suspicious pages on the host for a probe of any folder
ANSWERS = 2  # answers to probes of each folder; their difference shows what depends on the URL
MOST_FOLDERS = 8  # folders of one host that are probed
MOST_COUNTED = 64  # folders of one host whose suspicious pages are counted
ALIKE = 0.9  # resemblance of texts that differ only in details
SLACK = 0.1  # two standard errors of a resemblance
LEAST_ALIKE = 0.5  # a page with less resemblance is never a soft 404
MOST_ENTRIES = 50_000  # of all hosts


def folder_of(url: Url) -> str:
    """Return the folder of a URL, with the slash at its end."""
    return url.path.partition("?")[0].rpartition("/")[0] + "/"


def probe_address(url: Url, token: str) -> Url:
    """Return a URL in the same folder that cannot exist; `token` is random.

    It keeps the file extension, because the response of some servers depends on it.

    >>> probe_address(canonical("http://example.com/news/today.html?page=2"), "q7x").text
    'http://example.com/news/gossamer-q7x.html'
    """
    name = url.path.partition("?")[0].rpartition("/")[2]
    ending = f".{name.rpartition('.')[2]}" if "." in name else ""
    probe = canonical(f"{url.origin}{folder_of(url)}gossamer-{token}{ending}")
    if probe is None:
        raise ValueError(f"token {token!r} cannot form a URL in the folder of {url.text}")
    return probe


@dataclass(slots=True)
class FolderProbe:
    """The probes of one folder and their answers."""

    asked: int = 0
    heard: int = 0  # answered probes; the others are open
    is_honest: bool = False  # a probe was answered with a client error or a redirect
    answers: list[tuple[bytes, bytes]] = field(default_factory=list)  # digest and sketch

    def should_be_asked(self) -> bool:
        return not self.is_honest and self.asked == self.heard < ANSWERS

    def matches(self, content: ContentSketch) -> bool:
        """Return whether a page has nearly the content of an answer to a probe."""
        if any(digest == content.digest for digest, _ in self.answers):
            return True
        needed = self._needed() if self.answers else 2.0
        return any(resemblance(sketch, content.sketch) >= needed for _, sketch in self.answers)

    def _needed(self) -> float:
        if len(self.answers) < ANSWERS:
            return ALIKE
        (_, first), (_, second) = self.answers[:ANSWERS]
        return min(ALIKE, max(LEAST_ALIKE, resemblance(first, second) - SLACK))


class Soft404:
    """The notes about soft 404s of one host, and where it should be probed."""

    def __init__(self) -> None:
        self.changed = False
        self._suspicious: dict[str, int] = {}  # suspicious pages by folder since its last probe
        self._on_host = 0  # suspicious pages on the host since the last probe
        self._folders: dict[str, FolderProbe] = {}  # the folders that were probed

    def __len__(self) -> int:
        return len(self._suspicious) + len(self._folders)

    def observe(self, url: Url, title: str, repeats: bool) -> None:
        """Record a successfully fetched page; `repeats` is true for a copy or a near-duplicate."""
        if not repeats and not says_not_found(title):
            return
        folder = folder_of(url)
        self._suspicious[folder] = self._suspicious.get(folder, 0) + 1
        self._on_host += 1
        self.changed = True
        drop_oldest(self._suspicious, MOST_COUNTED)

    def should_probe(self, url: Url) -> bool:
        """Return whether the folder of a page should be probed now."""
        folder = folder_of(url)
        known = self._folders.get(folder)
        if known is not None:
            return known.should_be_asked()
        in_folder = self._suspicious.get(folder, 0) >= ENOUGH_IN_FOLDER
        return len(self._folders) < MOST_FOLDERS and (in_folder or self._on_host >= ENOUGH_ON_HOST)

    def probe(self, url: Url, token: str) -> Url:
        """Begin a probe beside a page; return its URL. Call `learn` with the result, even for a failure."""
        self._folders.setdefault(folder_of(url), FolderProbe()).asked += 1
        return probe_address(url, token)

    def learn(self, probe: Url, status: int, content: ContentSketch | None) -> None:
        """Record the answer to a probe. `status` is 0 for a failure; `content` is None if it has no text."""
        folder = self._folders.setdefault(folder_of(probe), FolderProbe(asked=1))
        folder.heard += 1
        self.changed = True
        if 200 <= status < 300 and content is not None:
            folder.answers.append((content.digest, content.sketch))
        elif 300 <= status < 500:
            folder.is_honest = True
        self._suspicious.pop(folder_of(probe), None)
        self._on_host = 0

    def is_soft_404(self, url: Url, content: ContentSketch) -> bool:
        """Return whether a page is a soft 404."""
        if not self._folders or self._is_front_page(url):
            return False
        return any(folder.matches(content) for folder in self._folders.values())

    def _is_front_page(self, url: Url) -> bool:
        """Return whether a page is a home or index page, which some servers show for missing pages."""
        path = url.path.partition("?")[0]
        name = path.rpartition("/")[2]
        is_index = not name or name.startswith(("index.", "default."))
        return path == "/" or (is_index and folder_of(url) in self._folders)

    def says_it_softly(self) -> list[str]:
        """Return the folders in which a probe was answered with success."""
        return [name for name, folder in self._folders.items() if folder.answers]

    def state(self) -> State:
        """Return the notes as JSON."""
        folders = {
            name: [one.asked, one.heard, one.is_honest, [[a.hex(), b.hex()] for a, b in one.answers]]
            for name, one in self._folders.items()
        }
        return {"folders": folders, "suspicious": self._suspicious, "on_host": self._on_host}

    def restore(self, state: State) -> None:
        self._suspicious, self._on_host = dict(state["suspicious"]), state["on_host"]
        for name, (_, heard, is_honest, answers) in state["folders"].items():
            prints = [(bytes.fromhex(digest), bytes.fromhex(sketch)) for digest, sketch in answers]
            # Probes that were open at that time count as not sent.
            self._folders[name] = FolderProbe(heard, heard, is_honest, prints)


class HostSoft404(HostNotes[Soft404]):
    """The notes about soft 404s of all hosts, by authority."""

    def __init__(self, most_entries: int = MOST_ENTRIES) -> None:
        super().__init__(Soft404, most_entries)

    def observe(self, url: Url, title: str, repeats: bool) -> None:
        """Record a successfully fetched page if it is suspicious; see `Soft404.observe`."""
        if repeats or says_not_found(title):
            self.of(url.authority).observe(url, title, repeats)
            self.account(url.authority)

    def probe(self, url: Url) -> Url | None:
        """Return the URL of a new probe beside a page; None if its folder should not be probed now."""
        notes = self.get(url.authority)
        if notes is None or not notes.should_probe(url):
            return None
        return self.of(url.authority).probe(url, token_hex(8))

    def is_soft_404(self, url: Url, content: ContentSketch) -> bool:
        """Return whether a page is a soft 404; see `Soft404.is_soft_404`."""
        notes = self.get(url.authority)
        return notes is not None and notes.is_soft_404(url, content)
