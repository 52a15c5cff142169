"""How are the ways to narrow written, and the groups? Joined here, as hits are: a page has dozens of them."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from gossamer.model import Cluster
from gossamer.serve.asked import Asked
from gossamer.serve.escaping import escaped
from gossamer.serve.narrowing import Chip, Choice, Menu
from gossamer.serve.speech import Speech

_PICK = '  <details class="pick" name="narrow">\n    <summary>'
_LIST = "</summary>\n    <ul>\n"
_END = "    </ul>\n  </details>\n"


def narrowing(
    ui: Speech, asked: Asked, chips: Sequence[Chip], menus: Sequence[Menu], *, found: bool = True
) -> Markup:
    """The filters that hold, those that might, and the order, where anything was `found` that has one."""
    held = f'  <ul class="chips">\n{"".join([_chip(chip, ui) for chip in chips])}  </ul>\n' if chips else ""
    may = "".join([_menu(menu, ui) for menu in menus])
    ways = f"{held}{may}{_order(asked, ui) if found else ''}"
    label = ui.phrases["narrow"]
    return Markup(f'<nav class="narrowing" aria-label="{label}">\n{ways}</nav>\n' if ways else "")


def groups(ui: Speech, asked: Asked, clusters: Sequence[Cluster]) -> Markup:
    """What the results are about, and a way out of one group."""
    out = f'    <li><a href="{escaped(asked.here(cluster=""))}">{ui.phrases["all_groups"]}</a></li>\n'
    rows = "".join([_group(cluster, asked, ui) for cluster in clusters])
    return Markup(
        f'<aside class="groups">\n  <h2>{ui.phrases["groups"]}</h2>\n  <ul>\n'
        f"{out if asked.cluster else ''}{rows}  </ul>\n</aside>\n"
    )


def _chip(chip: Chip, ui: Speech) -> str:
    label = escaped(chip.label)
    return (
        f'    <li><a href="{escaped(chip.link)}" aria-label="{ui.say("remove", filter=chip.label)}">'
        f'<bdi>{label}</bdi><span aria-hidden="true"> ×</span></a></li>\n'
    )


def _menu(menu: Menu, ui: Speech) -> str:
    counted = menu.kind != "topic"
    hint = f'      <li class="hint">{ui.phrases["among_the_best"]}</li>\n' if counted else ""
    rows = "".join([_choice(choice, ui) for choice in menu.choices])
    return f"{_PICK}{ui.phrases[menu.kind]}{_LIST}{rows}{hint}{_END}"


def _choice(choice: Choice, ui: Speech) -> str:
    number = f' <span class="number">{ui.number(choice.count)}</span>' if choice.count else ""
    link = f'<a href="{escaped(choice.link)}" rel="nofollow"><bdi>{escaped(choice.label)}</bdi>{number}</a>'
    return f"      <li>{link}</li>\n"


def _order(asked: Asked, ui: Speech) -> str:
    rows = ""
    for newest, name in ((False, "best_first"), (True, "newest_first")):
        current = ' aria-current="true"' if asked.newest == newest else ""
        link = escaped(asked.here(newest=newest))
        rows += f'      <li><a href="{link}" rel="nofollow"{current}>{ui.phrases[name]}</a></li>\n'
    order = f'<span class="unseen">{ui.phrases["order"]}: </span>'
    return f"{_PICK}{order}{ui.phrases['newest_first' if asked.newest else 'best_first']}{_LIST}{rows}{_END}"


def _group(cluster: Cluster, asked: Asked, ui: Speech) -> str:
    current = ' aria-current="true"' if cluster.label == asked.cluster else ""
    label = f"<bdi>{escaped(cluster.label)}</bdi>"
    number = f'<span class="number">{ui.number(cluster.count)}</span>'
    return f'    <li><a href="{escaped(asked.group(cluster.label))}"{current}>{label} {number}</a></li>\n'
