"""Soft 404 detection.

Bar-Yossef, Broder, Kumar and Tomkins ("Sic transit gloria telae: towards an understanding of the web's
decay", WWW 2004) ask the server for a page in the same folder that cannot exist. One that answers 404 is
honest. What another says then is what it says instead of 404, and pages that say nearly the same are not
there.

The answer often repeats the address that was asked for, so two of them are compared: a page needs to resemble
an answer no more than the answers resemble each other. Asking costs requests: it is done in folders where
pages repeat, or have titles such as "not found", and rarely.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from secrets import token_hex

from gossamer.crawl.hosts.notes import HostNotes, State, drop_oldest
from gossamer.model import Url
from gossamer.text.shingles import ContentSketch, resemblance
from gossamer.text.stopwords import languages, section
from gossamer.web.url import canonical

# Titles that say not found
# -------------------------
#
# Only a hint: an article about error pages has such a title, too. It makes us ask the server, no
# more.

LONGEST = 120  # a longer title is about something


@cache
def _says_so() -> re.Pattern[str]:
    phrases = [phrase for code in sorted(languages("not_found")) for phrase in section("not_found", code)]
    return re.compile(rf"(?<![0-9])404(?![0-9])|{'|'.join(map(re.escape, phrases))}")


def says_not_found(title: str) -> bool:
    """Whether a title sounds like that of an error page.

    >>> says_not_found("Seite nicht gefunden"), says_not_found("A walk in the forest")
    (True, False)
    """
    return len(title) <= LONGEST and _says_so().search(title.lower().replace("’", "'")) is not None


ENOUGH_IN_FOLDER = 3  # suspicious pages, for the folder to be asked
ENOUGH_ON_HOST = 8  # the same, when they are spread over folders
ANSWERS = 2  # of each folder: their difference tells what changes with the address
MOST_FOLDERS = 8  # of one host that are ever asked
MOST_COUNTED = 64  # folders of one host whose suspicious pages are counted
ALIKE = 0.9  # a resemblance from which two texts are the same but for details
SLACK = 0.1  # two standard errors of a resemblance
LEAST_ALIKE = 0.5  # what resembles less is another text, whatever the answers are like
MOST_ENTRIES = 50_000  # of all hosts


def folder_of(url: Url) -> str:
    """The folder that an address stands in, with the slash at its end."""
    return url.path.partition("?")[0].rpartition("/")[0] + "/"


def probe_address(url: Url, token: str) -> Url:
    """An address beside this one that cannot exist, for a `token` that nobody would guess.

    It keeps the ending of the name, for servers that answer by endings.

    >>> probe_address(canonical("http://example.com/news/today.html?page=2"), "q7x").text
    'http://example.com/news/gossamer-q7x.html'
    """
    name = url.path.partition("?")[0].rpartition("/")[2]
    ending = f".{name.rpartition('.')[2]}" if "." in name else ""
    probe = canonical(f"{url.origin}{folder_of(url)}gossamer-{token}{ending}")
    if probe is None:
        raise ValueError(f"not a token for an address: {token!r} beside {url.text}")
    return probe


@dataclass(slots=True)
class FolderProbe:
    """What one folder says to addresses that cannot exist."""

    asked: int = 0
    heard: int = 0  # the rest is under way
    is_honest: bool = False
    answers: list[tuple[bytes, bytes]] = field(default_factory=list)  # digest and sketch

    def should_be_asked(self) -> bool:
        return not self.is_honest and self.asked == self.heard < ANSWERS

    def matches(self, content: ContentSketch) -> bool:
        """Whether a page says what this folder says instead of 404."""
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
    """What one host says instead of 404, and where it has to be asked."""

    def __init__(self) -> None:
        self.changed = False
        self._suspicious: dict[str, int] = {}  # pages by folder, since it was asked last
        self._on_host = 0  # the same, of all folders
        self._folders: dict[str, FolderProbe] = {}  # those that were asked

    def __len__(self) -> int:
        return len(self._suspicious) + len(self._folders)

    def observe(self, url: Url, title: str, repeats: bool) -> None:
        """Notes a page that came with a status of success; `repeats` when another has nearly its content."""
        if not repeats and not says_not_found(title):
            return
        folder = folder_of(url)
        self._suspicious[folder] = self._suspicious.get(folder, 0) + 1
        self._on_host += 1
        self.changed = True
        drop_oldest(self._suspicious, MOST_COUNTED)

    def should_probe(self, url: Url) -> bool:
        """Whether the folder of this page is to be asked now."""
        folder = folder_of(url)
        known = self._folders.get(folder)
        if known is not None:
            return known.should_be_asked()
        in_folder = self._suspicious.get(folder, 0) >= ENOUGH_IN_FOLDER
        return len(self._folders) < MOST_FOLDERS and (in_folder or self._on_host >= ENOUGH_ON_HOST)

    def probe(self, url: Url, token: str) -> Url:
        """The address to ask for. What comes of it, even if nothing does, is told to `learn`."""
        self._folders.setdefault(folder_of(url), FolderProbe()).asked += 1
        return probe_address(url, token)

    def learn(self, probe: Url, status: int, content: ContentSketch | None) -> None:
        """Notes the answer; `status` is 0 when none came, `content` None when it has no text to compare."""
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
        """Whether this page is the host's way to say that it is not there."""
        if not self._folders or self._is_front_page(url):
            return False
        return any(folder.matches(content) for folder in self._folders.values())

    def _is_front_page(self, url: Url) -> bool:
        """Whether it is the page that a server may show instead: its own, or that of a folder."""
        path = url.path.partition("?")[0]
        name = path.rpartition("/")[2]
        is_index = not name or name.startswith(("index.", "default."))
        return path == "/" or (is_index and folder_of(url) in self._folders)

    def says_it_softly(self) -> list[str]:
        """The folders in which a page that cannot exist was answered with success."""
        return [name for name, folder in self._folders.items() if folder.answers]

    def state(self) -> State:
        """JSON."""
        folders = {
            name: [one.asked, one.heard, one.is_honest, [[a.hex(), b.hex()] for a, b in one.answers]]
            for name, one in self._folders.items()
        }
        return {"folders": folders, "suspicious": self._suspicious, "on_host": self._on_host}

    def restore(self, state: State) -> None:
        self._suspicious, self._on_host = dict(state["suspicious"]), state["on_host"]
        for name, (_, heard, is_honest, answers) in state["folders"].items():
            prints = [(bytes.fromhex(digest), bytes.fromhex(sketch)) for digest, sketch in answers]
            # What was under way when the state was kept has died with its process: it is asked again.
            self._folders[name] = FolderProbe(heard, heard, is_honest, prints)


class HostSoft404(HostNotes[Soft404]):
    """What all hosts say instead of 404, by authority."""

    def __init__(self, most_entries: int = MOST_ENTRIES) -> None:
        super().__init__(Soft404, most_entries)

    def observe(self, url: Url, title: str, repeats: bool) -> None:
        """As `Soft404.observe`; honest hosts leave nothing to remember."""
        if repeats or says_not_found(title):
            self.of(url.authority).observe(url, title, repeats)
            self.account(url.authority)

    def probe(self, url: Url) -> Url | None:
        """As `Soft404.probe`, with a new token; None when the folder of the page is not to be asked now."""
        notes = self.get(url.authority)
        if notes is None or not notes.should_probe(url):
            return None
        return self.of(url.authority).probe(url, token_hex(8))

    def is_soft_404(self, url: Url, content: ContentSketch) -> bool:
        """As `Soft404.is_soft_404`."""
        notes = self.get(url.authority)
        return notes is not None and notes.is_soft_404(url, content)
