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
    """Render the page of a report; `name` is the name of the collection."""
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
                (heading, degrees, degree_picture(degrees, heading.lower()), law_sentence(degrees))
                for heading, degrees in (("In-links", report.in_degrees), ("Out-links", report.out_degrees))
            ],
            ring=ring_picture(report.communities, report.between),
            kinds=KINDS,
        )
    )


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        counted=counted,
        percent=percent,
        href=_href,
        title=lambda text: shortened(text, LONGEST_TITLE),
        address=lambda text: shortened(text, LONGEST_URL),
    )
    return environment


def _href(url: str) -> str:
    """Return the URL if it is safe as a link, else "": a crawled URL may be `javascript:…`."""
    return url if url.startswith(("http://", "https://")) else ""
