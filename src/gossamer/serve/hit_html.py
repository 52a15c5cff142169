"""How is a hit written? What every hit shows, joined here: a template takes five times as long for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from gossamer.serve.escaping import escaped
from gossamer.serve.shown import ShownHit, Ways
from gossamer.serve.speech import Speech

_BETWEEN = '<span aria-hidden="true"> › </span>'


def listed(hits: Sequence[ShownHit], ui: Speech, below: Callable[[ShownHit], str]) -> Markup:
    """Of every hit its title, where it stands and what it says, and what `below` writes, which few have."""
    return Markup("\n".join([f"      {_head(hit, ui)}{below(hit)}  </article>\n</li>\n" for hit in hits]))


def _head(hit: ShownHit, ui: Speech) -> str:
    title = escaped(hit.title)
    lang = f' lang="{escaped(hit.language)}"' if hit.language else ""
    linked = f'<a href="{escaped(hit.link)}" rel="noopener nofollow">{title}</a>' if hit.link else title
    ways = f"      {_ways(hit.ways, title, ui)}\n\n" if hit.ways else ""
    said = f'    <p class="snippet" dir="{hit.snippet_direction}">{hit.snippet}</p>\n' if hit.snippet else ""
    return (
        f'<li id="hit-{hit.rank}">\n  <article dir="{hit.title_direction}"{lang}>\n    <h2>{linked}</h2>\n'
        f'    <div class="where">\n      {_trail(hit.crumbs)}\n{_tags(hit, ui)}{ways}    </div>\n{said}'
    )


def _trail(crumbs: Sequence[str]) -> str:
    host, *steps = map(escaped, crumbs)
    behind = "".join([f"{_BETWEEN}<bdi>{step}</bdi>" for step in steps])
    return f'<bdi class="trail" dir="ltr" lang=""><bdi class="host">{host}</bdi>{behind}</bdi>'


def _tags(hit: ShownHit, ui: Speech) -> str:
    """What distinguishes it from an ordinary page in the reader's language."""
    tags = ""
    if hit.day:
        day = f'<time datetime="{hit.day.date().isoformat()}">{escaped(ui.day(hit.day))}</time>'
        tags += f'<bdi lang="{ui.language}">{day}</bdi>'
    if hit.language_name:
        tags += f'<bdi class="tag">{escaped(hit.language_name)}</bdi>'
    if hit.kind:
        tags += f'<bdi class="tag" lang="{ui.language}">{escaped(hit.kind)}</bdi>'
    if hit.unfetched:
        tags += f'<bdi class="tag" lang="{ui.language}">{ui.phrases["not_fetched"]}</bdi>'
    return tags


def _ways(ways: Ways, title: str, ui: Speech) -> str:
    """Where one can go on from it."""
    phrases = ui.phrases
    links = (
        _way(ways.copy, phrases["copy"])
        + _way(ways.similar, phrases["similar"])
        + _way(ways.linking, phrases["linking"])
        + _way(ways.why, phrases["why"])
        + _way(ways.report, phrases["report"])
    )
    label = ui.put("about_result", title=title)
    return (
        f'<details class="about" name="about" lang="{ui.language}">\n'
        f'  <summary aria-label="{label}"><span aria-hidden="true">⋮</span></summary>\n'
        f'  <ul dir="ltr">\n{links}  </ul>\n</details>'
    )


def _way(place: str, name: str) -> str:
    return f'    <li><a href="{place}" rel="nofollow">{name}</a></li>\n' if place else ""
