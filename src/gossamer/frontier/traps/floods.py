"""Which shapes of a host's addresses bring nothing but what is known?

A copy is fruitless from the third of its content on: two are honest, as a page to print or another edition of
a manual. Two shapes of a page are watched. One is its own, such as `/list/<n>`. The other is that of its
folder, `/list/*`, for servers that answer any name: there each shape counts only with its first page, and
only copies of the few contents that come again and again, so that one flood does not put its neighbours to
sleep, nor one edition the next.

A shape is watched from the first page on that is empty, missing or a copy: honest hosts leave nothing to
remember.
"""

from __future__ import annotations

from gossamer.frontier.traps.settings import TrapSettings
from gossamer.frontier.traps.watch import CONTENTS, Kind, Outcome, Sleeping, Watch
from gossamer.model import Url
from gossamer.web.hostbook import State
from gossamer.web.pattern import folder

MOST_SHAPES = 256  # of one host; the one that was met longest ago goes, those that are awake first
CONTENTS_OF_FOLDER = 8  # whose copies are counted


class Floods:
    """The watched shapes of one host."""

    __slots__ = ("_settings", "_watches")

    def __init__(self, settings: TrapSettings) -> None:
        self._settings = settings
        self._watches: dict[str, Watch] = {}  # in the order in which they were met last

    def __len__(self) -> int:
        return len(self._watches)

    def refusal(self, url: Url, shape: str) -> str:
        """`asleep: <pattern> <reason>`, or "" when its shapes are awake."""
        for one in _shapes(shape) if self._watches else ():
            watch = self._watches.get(one)
            if watch is not None and watch.reason and watch.refuses(url, self._settings):
                return f"asleep: {one} {watch.reason}"
        return ""

    def observe(self, url: Url, shape: str, outcome: Outcome) -> bool:
        """Notes a page that came with a status of success; whether there was anything to note."""
        kind = outcome.kind(self._settings.empty_words)
        if kind is Kind.FRESH and not self._watches:
            return False
        is_watched = shape in self._watches
        self._note(shape, CONTENTS, kind, url, outcome)
        if kind is Kind.FRESH or not is_watched:
            for beside in _shapes(shape)[1:]:
                self._note(beside, CONTENTS_OF_FOLDER, kind, url, outcome)
        return True

    def _note(self, shape: str, contents: int, kind: Kind, url: Url, outcome: Outcome) -> None:
        if kind is Kind.FRESH and shape not in self._watches:
            return
        watch = self._watch(shape)
        if _is_fruitful(watch, contents, kind, outcome):
            kind = Kind.FRESH
        watch.observe(kind, outcome.fetched_at, url.text, self._settings)

    def _watch(self, shape: str) -> Watch:
        watch = self._watches.pop(shape, None) or Watch()
        self._watches[shape] = watch
        if len(self._watches) > MOST_SHAPES:
            awake = (shape for shape, watch in self._watches.items() if not watch.reason)
            del self._watches[next(awake, next(iter(self._watches)))]
        return watch

    @property
    def is_suspicious(self) -> bool:
        """Whether a shape is asleep, or on the way to it."""
        return any(watch.is_suspicious for watch in self._watches.values())

    def asleep(self) -> list[Sleeping]:
        """The shapes that are refused now."""
        return [watch.sleeping(shape) for shape, watch in self._watches.items() if watch.reason]

    def state(self) -> State:
        return {shape: watch.state() for shape, watch in self._watches.items()}

    def restore(self, state: State) -> None:
        self._watches = {shape: Watch.restored(one) for shape, one in state.items()}


def _shapes(shape: str) -> tuple[str, ...]:
    """The shape, and that of its folder. A query makes no new name in a folder."""
    return (shape,) if "?" in shape else (shape, folder(shape))


def _is_fruitful(watch: Watch, contents: int, kind: Kind, outcome: Outcome) -> bool:
    """Whether there is something in a page although it is empty or a copy."""
    if kind is Kind.EMPTY:
        return outcome.new_links > 0 and watch.leads_on()
    original = outcome.duplicate_of
    return (
        kind is Kind.DUPLICATE and original is not None and watch.is_edition(original.fingerprint, contents)
    )
