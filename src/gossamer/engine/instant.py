"""The instant answers of a collection: by its settings, its file of rates and the gazetteer.

What answers is imported with the first query that may have an answer: it compiles many patterns.
"""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.model import BadSetting, InstantAnswer
from gossamer.results.answers.gate import may_be_answered
from gossamer.results.answers.settings import DEFAULT_LINKS, AnswerSettings

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from gossamer.results.answers.gazetteer import Gazetteer
    from gossamer.results.answers.rates import Rates

NAME = "rates.toml"


class Instant:
    """What can be said without pages. Threads may share it."""

    def __init__(self, settings: AnswerSettings, rates: Path) -> None:
        self._settings = settings
        self._rates_path = rates
        self._rates: tuple[tuple[int, int], Rates] | None = None
        self._places: Gazetteer | None = None

    def answers(self, text: str) -> tuple[InstantAnswer, ...]:
        """The answers to a query; raises BadSetting where the owner's settings or rates are wrong."""
        if not self._settings.enabled or not (self._places or may_be_answered(text)):
            return ()
        from gossamer.results.answers.answering import answers
        from gossamer.results.answers.asking import Context
        from gossamer.results.answers.places import asks_for_place

        if self._places is None and asks_for_place(text):
            self.read_places()
        context = Context(datetime.now(self._zone), self._current_rates(), self._links, self._places)
        return answers(text, context, self._without)

    def read_places(self) -> None:
        """Reads the gazetteer, which takes a second: at the start of a server, else when it is asked for."""
        from gossamer.results.answers.gazetteer import Gazetteer

        if self._settings.places and self._places is None:
            self._places = Gazetteer.installed()

    def gazetteer(self) -> Gazetteer | None:
        """The gazetteer, read if it was not yet; None where there is none."""
        self.read_places()
        return self._places

    @cached_property
    def _zone(self) -> ZoneInfo:
        from zoneinfo import ZoneInfo

        try:
            return ZoneInfo(self._settings.time_zone)
        except (KeyError, OSError, ValueError):  # a name may also be that of a folder, or no path at all
            raise BadSetting(
                f"[answers] time_zone: {self._settings.time_zone!r} is no time zone, as Europe/Berlin is"
            ) from None

    @cached_property
    def _without(self) -> frozenset[str]:
        from gossamer.results.answers.answering import KINDS

        unknown = sorted(set(self._settings.without) - set(KINDS))
        if unknown:
            raise BadSetting(
                f"[answers] without: there is no kind {unknown[0]!r}; there are: {', '.join(KINDS)}"
            )
        return frozenset(self._settings.without)

    @cached_property
    def _links(self) -> dict[str, str]:
        return DEFAULT_LINKS | {one.to: one.address for one in self._settings.links}

    def _current_rates(self) -> Rates | None:
        """The rates as they stand in the file now."""
        from gossamer.results.answers.rates import read_rates

        path = self._rates_path
        try:
            stat = path.stat()
            stamp = stat.st_mtime_ns, stat.st_size
            known = self._rates
            if known is None or known[0] != stamp:
                known = stamp, read_rates(path.read_text(encoding="utf-8"), str(path))
                self._rates = known
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise BadSetting(f"{path}: it should be UTF-8 ({error.reason})") from None
        except OSError as error:
            raise BadSetting(f"{path}: it cannot be read ({error.strerror})") from None
        return known[1]
