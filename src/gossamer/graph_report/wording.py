"""Numbers of a report in sentences."""

from __future__ import annotations

from gossamer.graph.structure.degrees import PowerLaw
from gossamer.graph.structure.report import NOUNS, DegreeReport, GraphReport

PARTS = {
    "core": "can all be reached from each other: the largest strongly connected component",
    "in": "lead into the core; nothing in the core leads back to them",
    "out": "are reached from the core, and lead back to nothing there",
    "tendril in": "are reached from In, and lead neither to the core nor to Out",
    "tendril out": "lead to Out, and are reached neither from In nor from the core",
    "tube": "lead from In to Out, past the core",
    "fringe": "touch only tendrils and tubes, by links against their direction",
    "island": "hang together with none of these, whichever way links are followed",
}


def counted(number: int, one: str, many: str = "") -> str:
    """
    >>> counted(1, "page"), counted(1234, "page")
    ('1 page', '1,234 pages')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """A share for people: small ones with the digits that tell something.

    >>> percent(0.5), percent(0.0123), percent(0.000012), percent(0.0), percent(1.0)
    ('50.0%', '1.2%', '0.0012%', '0%', '100.0%')
    """
    if share == 0:
        return "0%"
    return f"{share:.1%}" if share >= 0.001 else f"{100 * share:.2g}%"


def law_sentence(found: DegreeReport) -> str:
    """What is to be thought of the fitted power law."""
    law = found.law
    if law is None:
        return "There are too few different numbers of links here to speak of a law."
    begin = (
        f"From {counted(law.x_min, 'link')} on ({law.tail:,} cases) the numbers come closest to a power law"
    )
    return (
        f"{begin} with exponent {law.exponent:.2f} ± {law.error:.2f}. {_verdict(law)} {_rival(law)}".rstrip()
    )


def _verdict(law: PowerLaw) -> str:
    if law.plausible:
        return f"That is plausible: {law.p:.0%} of samples drawn from this very law lie as far from it."
    seldom = f"only {law.p:.0%}" if law.p else "none"
    return f"It is a poor fit: {seldom} of the samples drawn from this law lie as far from it."


def _rival(law: PowerLaw) -> str:
    if law.rival == "log-normal":
        return "A log-normal describes the tail better."
    if law.rival == "power law":
        return "It describes the tail better than a log-normal."
    return "A log-normal describes the tail about as well." if law.plausible else ""


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def unfetched_sentence(report: GraphReport) -> str:
    """How many dead ends may be none: nothing is said where all of them were read."""
    if not report.unfetched_dead_ends:
        return ""
    were = "was" if report.unfetched_dead_ends == 1 else "were"
    return (
        f"Of {counted(report.dead_end_count, 'dead end')} {report.unfetched_dead_ends:,} {were} not fetched"
        " or not kept: where they lead is not known."
    )


def farm_sentence(report: GraphReport) -> str:
    """Which simulations are not to be trusted: nothing is said where all of them came to rest."""
    restless = [f"{farm.supporters:,}" for farm in report.farms if not farm.converged]
    if not restless:
        return ""
    return (
        f"With beta {report.beta:g} the simulation did not come to rest for {', '.join(restless)} supporting"
        f" {NOUNS[report.level][1]}: what it shows, and the place, are not the limit."
    )


def core_sentence(report: GraphReport) -> str:
    """What the bow tie shows."""
    one, many = NOUNS[report.level]
    core = report.bow_tie[0]
    if not core.pages:
        return (
            f"There is no core: from no {one} can a walker go on and come back to it. Nothing is before it or"
            f" behind it then, and all {many} are on {counted(report.islands, 'island')}."
        )
    together = "can all be reached from each other" if core.pages > 1 else "links to itself, and is the core"
    return (
        f"{counted(core.pages, one, many)} ({percent(core.share)}) {together}; there"
        f" {_are(report.components)} {counted(report.components, 'strongly connected component')} in all,"
        f" and {counted(report.islands, 'island')} apart from the rest."
    )
