"""`gossamer suggest`: how a query might go on."""

from __future__ import annotations

from typing import Annotated

import typer

from gossamer.cli.options import AsJson, open_engine
from gossamer.cli.show import print_json, title_line

EXAMPLES = ("gossamer -C my-search suggest jag", "gossamer -C my-search suggest 'shared mem' -k 3 --json")

Beginning = Annotated[list[str], typer.Argument(metavar="PREFIX...", help="What was typed so far.")]
Count = Annotated[int, typer.Option("-k", metavar="N", min=1, max=100, help="How many to show.")]


def suggest(context: typer.Context, prefix: Beginning, k: Count = 8, as_json: AsJson = False) -> None:
    """Shows how a query that begins so might go on.

    From the titles of pages, the texts of links, phrases that many titles have, and past queries where these
    are counted.
    """
    typed = " ".join(prefix)
    with open_engine(context) as engine:
        found = engine.suggest(typed, k)
    if as_json:
        print_json({"query": typed, "suggestions": found})
    else:
        for one in found:
            print(title_line(one))
