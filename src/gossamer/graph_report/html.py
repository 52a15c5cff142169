"""HTML page of a graph report."""

from __future__ import annotations

import time
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gossamer.graph.structure.report import NOUNS, GraphReport
from gossamer.graph_report.pictures import KINDS, NAMES, bow_tie_picture, degree_picture, ring_picture
from gossamer.graph_report.wording import (
    PARTS,
    core_sentence,
    counted,
    farm_sentence,
    law_sentence,
    percent,
    unfetched_sentence,
)
from gossamer.text.words import shortened

TEMPLATES = Path(__file__).parent / "templates"
LONGEST_TITLE, LONGEST_URL = 90, 110  # characters


def render(report: GraphReport, name: str, now: float | None = None) -> str:
    """The page; `name` is what the collection is called."""
    one, many = NOUNS[report.level]
    return (
        _environment()
        .get_template("structure.html")
        .render(
            report=report,
            name=name,
            day=time.strftime("%Y-%m-%d", time.gmtime(now)),
            one=one,
            many=many,
            part_names=NAMES,
            part_words=PARTS,
            core_sentence=core_sentence(report),
            farm_sentence=farm_sentence(report),
            unfetched_sentence=unfetched_sentence(report),
            bow_tie=bow_tie_picture(report.bow_tie),
            plots=[
                (
                    "In-links",
                    report.in_degrees,
                    degree_picture(report.in_degrees, "in-links"),
                    law_sentence(report.in_degrees),
                ),
                (
                    "Out-links",
                    report.out_degrees,
                    degree_picture(report.out_degrees, "out-links"),
                    law_sentence(report.out_degrees),
                ),
            ],
            ring=ring_picture(report.communities, report.between),
            kinds=KINDS,
        )
    )


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        counted=counted,
        percent=percent,
        href=_href,
        title=lambda text: shortened(text, LONGEST_TITLE),
        address=lambda text: shortened(text, LONGEST_URL),
    )
    return made


def _href(url: str) -> str:
    """The address if a browser may be sent there, else nothing: a page may be called `javascript:…`."""
    return url if url.startswith(("http://", "https://")) else ""
