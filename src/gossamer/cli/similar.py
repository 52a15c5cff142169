"""`gossamer similar`: pages like another."""

from __future__ import annotations

from typing import Annotated

import typer

from gossamer.cli.options import AsJson, open_engine
from gossamer.cli.show import print_json, print_results

EXAMPLES = (
    "gossamer -C my-search similar https://example.org/cats.html",
    "gossamer -C my-search similar example.org/cats.html -k 3 --json",
)

Address = Annotated[str, typer.Argument(metavar="URL", help="The page's address.")]
Count = Annotated[int, typer.Option("-k", metavar="N", min=1, max=100, help="How many pages to show.")]


def similar(context: typer.Context, url: Address, k: Count = 10, as_json: AsJson = False) -> None:
    """Finds pages that say the like.

    The words that tell the page apart from others are asked as a query, and the page itself is left out.
    """
    with open_engine(context) as engine:
        found = engine.similar(url, k)
    if as_json:
        from gossamer.results.show import as_dict

        print_json(as_dict(found))
    else:
        print_results(found)
