"""Page of index and graph health."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from math import isinf
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from gossamer.model import GossamerError
from gossamer.serve.i18n import Translation
from gossamer.serve.owner_pages.base import Action, OwnerState
from gossamer.serve.owner_pages.charts import Bar, bars, bow_tie

if TYPE_CHECKING:
    from gossamer.graph.structure.report import GraphReport
    from gossamer.owner.health import GraphHealth, Health, SegmentHealth

MOST_SEGMENTS = 30
STATES = ("pages", "duplicates", "redirects", "queued", "failed", "refused")
MEGABYTE = 1_000_000


class GraphExamination:
    """Analyse the graph in the background, one run at a time, and keep the report. This can take minutes."""

    def __init__(self, examine: Callable[[], GraphReport]) -> None:
        self._examine = examine
        self._lock = Lock()
        self.running = False
        self.report: GraphReport | None = None
        self.problem = ""

    def start(self) -> None:
        """Start a run unless one is running."""
        with self._lock:
            if self.running:
                return
            self.running = True
        Thread(target=self._run, name="examining the graph", daemon=True).start()

    def _run(self) -> None:
        try:
            self.report, self.problem = self._examine(), ""
        except GossamerError as error:
            self.problem = str(error)
        finally:
            self.running = False


class HealthPage:
    """Segments, pages by state and age, link ranks, and the bow tie on request."""

    name = "health"
    path = "/owner/health"

    def __init__(self, owned: OwnerState) -> None:
        self._owned = owned
        self._examination = GraphExamination(owned.examine)
        self.actions: Mapping[str, Action] = {"examine": self._start}

    def _start(self, _: Mapping[str, str]) -> str:
        self._examination.start()
        return ""  # the page shows that it is running

    def shown(self, translation: Translation) -> Mapping[str, Any]:
        state, found, examined = self._owned.status().as_dict(), self._owned.health(), self._examination
        return {
            "size": f"{translation.decimals(state.get('bytes_on_disk', 0) / MEGABYTE, 1)} MB",
            "states": _states(state, translation),
            "reasons": _reasons(state, translation),
            "segments": _segments(found.segments, translation),
            "ages": _ages(found, translation),
            "graph": _graph(found.graph, translation),
            "examining": examined.running,
            "problem": examined.problem,
            "structure": _structure(examined.report, translation) if examined.report else None,
        }


def _states(state: Mapping[str, Any], translation: Translation) -> list[Bar]:
    counted = [(name, state.get(name, 0)) for name in STATES]
    return bars(
        (translation.say(f"state_{name}"), translation.number(count), [("alive", count)])
        for name, count in counted
    )


def _reasons(state: Mapping[str, Any], translation: Translation) -> list[tuple[str, str]]:
    pairs = [pair for name in ("reasons", "not_indexed") for pair in state.get(name, {}).items()]
    return [(reason, translation.number(count)) for reason, count in pairs[:20]]


def _segments(segments: tuple[SegmentHealth, ...], translation: Translation) -> list[Bar]:
    largest = sorted(segments, key=lambda one: -one.documents)[:MOST_SEGMENTS]
    return bars(
        (
            f"{one.partition}/{one.name.removeprefix('segment-')}",
            translation.say(
                "segment_holds",
                alive=translation.number(one.documents - one.deleted),
                gone=translation.number(one.deleted),
            ),
            [("alive", one.documents - one.deleted), ("gone", one.deleted)],
        )
        for one in largest
    )


def _ages(found: Health, translation: Translation) -> list[Bar]:
    return bars(
        (
            translation.say("age_older") if isinf(days) else translation.say(f"age_{days:.0f}"),
            translation.number(count),
            [("alive", count)],
        )
        for days, count in found.ages
    )


def _graph(graph: GraphHealth | None, translation: Translation) -> Mapping[str, str] | None:
    if graph is None:
        return None
    made = datetime.fromtimestamp(graph.made, UTC)
    return {
        "graph_generation": translation.number(graph.generation),
        "graph_made": f"{translation.day(made)}, {made:%H:%M} UTC",
        "graph_pages": translation.number(graph.pages),
        "graph_links": translation.number(graph.links),
        "graph_ranks": ", ".join(graph.ranks),
    }


def _structure(report: GraphReport, translation: Translation) -> Mapping[str, object]:
    shares = {part.name: part.share for part in report.bow_tie}
    return {
        "tie": bow_tie(*(shares.get(name, 0.0) for name in ("in", "core", "out"))),
        "parts": bars(
            (
                translation.say(f"part_{part.name.replace(' ', '_')}"),
                f"{translation.number(part.pages)} · {translation.decimals(100 * part.share, 1)} %",
                [("alive", part.pages)],
            )
            for part in report.bow_tie
        ),
        "dead_ends": translation.number(report.dead_end_count),
        "traps": translation.number(report.trap_count),
        "communities": translation.number(report.community_count),
    }
