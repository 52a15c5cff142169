"""Describe the figures of a report in sentences."""

from __future__ import annotations

from gossamer.graph.structure.degrees import PowerLaw
from gossamer.graph.structure.report import NOUNS, DegreeReport, GraphReport

PARTS = {
    "core": "can all be reached from each other: the largest strongly connected component",
    "in": "lead to the core, but cannot be reached from it",
    "out": "can be reached from the core, but do not lead back to it",
    "tendril in": "can be reached from In, but lead neither to the core nor to Out",
    "tendril out": "lead to Out, but can be reached neither from In nor from the core",
    "tube": "lead from In to Out without passing the core",
    "fringe": "link to tendrils in or are linked from tendrils out, directly or through other fringe pages",
    "island": "are not connected with any of these, in either direction of links",
}


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "page"), counted(1234, "page")
    ('1 page', '1,234 pages')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """Format a share as a percentage; small shares get two significant digits.

    >>> percent(0.5), percent(0.0123), percent(0.000012), percent(0.0), percent(1.0)
    ('50.0%', '1.2%', '0.0012%', '0%', '100.0%')
    """
    if share == 0:
        return "0%"
    return f"{share:.1%}" if share >= 0.001 else f"{100 * share:.2g}%"


def law_sentence(found: DegreeReport) -> str:
    """Describe the fitted power law, or say that there is none."""
    law = found.law
    if law is None:
        return "There are too few different numbers of links to fit a power law."
    return (
        f"From {counted(law.x_min, 'link')} on ({law.tail:,} cases) the best fit is a power law with exponent"
        f" {law.exponent:.2f} ± {law.error:.2f}. {_verdict(law)} {_rival(law)}"
    ).rstrip()


def _verdict(law: PowerLaw) -> str:
    if law.plausible:
        return f"It is plausible: {law.p:.0%} of samples drawn from this law are as far from their fit."
    share = f"only {law.p:.0%}" if law.p else "none"
    return f"It is a poor fit: {share} of the samples drawn from this law are as far from their fit."


def _rival(law: PowerLaw) -> str:
    if law.rival == "log-normal":
        return "A log-normal describes the tail better."
    if law.rival == "power law":
        return "It describes the tail better than a log-normal."
    return "A log-normal describes the tail about as well." if law.plausible else ""


def unfetched_sentence(report: GraphReport) -> str:
    """Count the dead ends that were not fetched or not kept, and so may have links; "" if there are none."""
    if not report.unfetched_dead_ends:
        return ""
    were = "was" if report.unfetched_dead_ends == 1 else "were"
    return (
        f"Of {counted(report.dead_end_count, 'dead end')} {report.unfetched_dead_ends:,} {were} not fetched"
        " or not kept: their links are not known."
    )


def farm_sentence(report: GraphReport) -> str:
    """Name the simulations that did not converge; "" if all did."""
    restless = [f"{farm.supporters:,}" for farm in report.farms if not farm.converged]
    if not restless:
        return ""
    return (
        f"With beta {report.beta:g} the simulation did not converge for {', '.join(restless)} supporting"
        f" {NOUNS[report.level][1]}: the simulated rank and the place are not final."
    )


def core_sentence(report: GraphReport) -> str:
    """Summarise the bow tie."""
    one, many = NOUNS[report.level]
    core = report.bow_tie[0]
    if not core.pages:
        return (
            f"There is no core: no {one} has a path back to itself. So all {many} are on"
            f" {counted(report.islands, 'island')}."
        )
    together = "can all be reached from each other" if core.pages > 1 else "links to itself, and is the core"
    are = "is" if report.components == 1 else "are"
    return (
        f"{counted(core.pages, one, many)} ({percent(core.share)}) {together}; there"
        f" {are} {counted(report.components, 'strongly connected component')} in all,"
        f" and {counted(report.islands, 'island')} apart from the rest."
    )
