"""Command sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.cli.exit_codes import complain
from gossamer.cli.options import AS_JSON, Context, argument, open_engine
from gossamer.cli.output import print_json, print_table
from gossamer.model import UsageError

if TYPE_CHECKING:
    from gossamer.collection.site_rules import SiteRules

SITES_EXAMPLES = (
    "gossamer -C my-search sites",
    "gossamer -C my-search sites block '*.spam.example'",
    "gossamer -C my-search sites boost www.example.org 2",
    "gossamer -C my-search sites clear www.example.org",
)
ACTIONS = ("block", "boost", "clear")


def sites(
    context: Context,
    action: str | None = argument(
        "ACTION", "block, boost or clear. Without an action, the rules are shown.", required=False
    ),
    host: str | None = argument(
        "HOST", "Host name. '*.HOST' means HOST and all hosts below it.", required=False
    ),
    factor: float | None = argument("FACTOR", "Score factor for boost, from 0.1 to 10.", required=False),
    as_json: bool = AS_JSON,
) -> None:
    """Show, block or boost sites.

    A blocked site is not fetched, and no search finds it. The scores of a boosted site are multiplied by a
    factor. Rules apply to the next search, and within seconds to a running crawl.
    """
    with open_engine(context) as engine:
        if action is not None:
            _change(engine.sites, action, host, factor)
        _show(engine.sites, as_json)


def _change(rules: SiteRules, action: str, host: str | None, factor: float | None) -> None:
    if action not in ACTIONS:
        raise UsageError(f"there is no action {action!r}; choose from: {', '.join(ACTIONS)}")
    if host is None:
        raise UsageError(f"name a host: gossamer sites {action} HOST")
    if (factor is None) == (action == "boost"):
        raise UsageError(
            "boost needs a factor, and other actions take none: gossamer sites boost HOST FACTOR"
        )
    if rule_host := _without_port(host):
        complain(f"a rule applies to all ports of a host: {action} {rule_host}")
    if factor is not None:
        rules.boost(host, factor)
    elif action == "block":
        rules.block(host)
    elif not rules.clear(host):
        raise UsageError(f"there is no rule for {host}; list the rules with: gossamer sites")


def _without_port(typed: str) -> str:
    """Return the typed pattern without its port; "" if it has no port."""
    from gossamer.collection.site_rules import read_pattern
    from gossamer.web.url import repair

    pattern = read_pattern(typed)
    url = repair(typed.strip().removeprefix("*."))[0]
    return pattern if url.authority != url.host else ""


def _show(rules: SiteRules, as_json: bool) -> None:
    """Print the rules. Lines of the file that cannot be parsed were reported when it was read."""
    if as_json:
        told = [{"action": one.action, "host": one.pattern, "factor": one.factor} for one in rules.rules()]
        print_json({"rules": told, "problems": list(rules.problems())})
    elif not rules.rules():
        print("no site is blocked or boosted")
    else:
        rows = [
            (one.action, one.pattern, f"{one.factor:g}" if one.action == "boost" else "")
            for one in rules.rules()
        ]
        print_table(("", "host", "factor"), rows, numbers=(2,))
