"""What is answered when a query finds nothing: a better spelling, else an easier query, else nothing."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace

from gossamer.model import Query, ResultPage, SearchRequest
from gossamer.query.easier import easier
from gossamer.query.parse import parse

CORRECTED, RELAXED = "corrected", "relaxed"

Answer = Callable[[SearchRequest], ResultPage]


@dataclass(frozen=True, slots=True)
class Try:
    """A query to ask instead, why, and what to say of it."""

    text: str
    because: str
    note: str


def instead(
    nothing: ResultPage, request: SearchRequest, corrected: str, unknown: Container[str], answer: Answer
) -> ResultPage:
    """The answer to the first query to try that finds something; else the one that found nothing.

    Every page of results tries the same, because what is found does not depend on which results are shown.
    """
    took = nothing.took_ms
    for one in _tries(request.text, corrected, unknown):
        found = answer(replace(request, text=one.text))
        took = round(took + found.took_ms, 3)
        if found.total:
            return replace(
                found,
                query=request.text,
                searched=one.text,
                searched_because=one.because,
                did_you_mean=nothing.did_you_mean if one.because == RELAXED and not corrected else None,
                notes=tuple(dict.fromkeys(filter(None, (one.note, *nothing.notes, *found.notes)))),
                took_ms=took,
            )
    return replace(nothing, took_ms=took)


def _tries(text: str, corrected: str, unknown: Container[str]) -> Iterator[Try]:
    if corrected:
        yield Try(corrected, CORRECTED, "")
    asked: Query = parse(corrected or text)
    for way in easier(asked, unknown):
        if way.unasked:
            yield Try(way.query, RELAXED, f"nothing was found as typed; searched {way.label}")
