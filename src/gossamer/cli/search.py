"""Commands search, suggest, similar."""

from __future__ import annotations

from typing import Annotated

import typer

from gossamer.cli.options import AsJson, open_engine
from gossamer.cli.output import answer_lines, print_json, print_results, title_line
from gossamer.model import SearchRequest

SEARCH_EXAMPLES = (
    "gossamer -C my-search search 'jaguar -car'",
    "gossamer -C my-search search '\"ruling family\" site:example.org' -k 20",
    "gossamer -C my-search search 'jaguar AND (panther OR leopard) intitle:cat after:2024'",
    "gossamer -C my-search search jaguar --json --explain",
    "gossamer -C my-search search jaguar --rank hubs",
    "gossamer -C my-search search jaguar --clusters",
    "gossamer -C my-search search jaguar --cluster 'Jaguar cars'",
    "gossamer -C my-search search 'cats link:https://example.org/'",
    "gossamer -C my-search search football --country us",
    "gossamer -C my-search search jaguar --context 'big cats of africa'",
)
Words = Annotated[
    list[str],
    typer.Argument(
        metavar="QUERY...",
        help='Words, "phrases", -exclusions, AND OR NOT NEAR/k with parentheses, prefix*, fuzzy~, and site: '
        "intitle: inurl: inbody: inanchor: filetype: lang: before: after: sounds: link: related: info: "
        "country: near:; put it in quotes.",
    ),
]
ResultCount = Annotated[
    int, typer.Option("-k", metavar="N", min=1, max=1000, help="How many results to show.")
]
Offset = Annotated[
    int, typer.Option("--offset", metavar="N", min=0, help="How many results to pass over first.")
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Show the sum behind every score, and the guessed intent.")
]
Everything = Annotated[
    bool,
    typer.Option("--all", help="List by score alone: a host may fill the page, nothing is folded."),
]
Literally = Annotated[
    bool,
    typer.Option("--no-correct", help="Search for what was typed, even where that finds nothing."),
]
Newest = Annotated[bool, typer.Option("--newest", help="List all that match by date, the newest first.")]
Scheme = Annotated[
    str | None,
    typer.Option("--scheme", metavar="NAME", help="The weighting scheme: bm25f, bm25, tfidf, tf..."),
]
Algorithm = Annotated[
    str | None,
    typer.Option("--algorithm", metavar="NAME", help="How to retrieve: auto, blockmax, maxscore..."),
]
Rank = Annotated[
    str | None,
    typer.Option(
        "--rank",
        metavar="NAME",
        help="What links count by: auto, pagerank, editorial, indegree, popularity, harmonic, trust, none; "
        "hits for the pages that others name on this query, hubs for good lists of them, salsa for the "
        "first where no single community may take all.",
    ),
]
Topic = Annotated[
    str | None, typer.Option("--topic", metavar="NAME", help="Rank for this topic of the settings.")
]
Clusters = Annotated[
    bool, typer.Option("--clusters", help="Show what the best results are about, as groups with labels.")
]
ClusterLabel = Annotated[
    str, typer.Option("--cluster", metavar="LABEL", help="List only the results of this group.")
]
Languages = Annotated[
    str,
    typer.Option("--languages", metavar="CODES", help="The languages you prefer, such as de,en."),
]
Country = Annotated[
    str | None,
    typer.Option(
        "--country", metavar="CODE", help="Where you are, such as dk: its pages count a little more; or none."
    ),
]
Context = Annotated[
    list[str] | None,
    typer.Option("--context", metavar="QUERY", help="What you searched for before; may be given again."),
]


def search(
    context: typer.Context,
    query: Words,
    k: ResultCount = 10,
    offset: Offset = 0,
    as_json: AsJson = False,
    explain: Explain = False,
    scheme: Scheme = None,
    algorithm: Algorithm = None,
    everything: Everything = False,
    no_correct: Literally = False,
    newest: Newest = False,
    languages: Languages = "",
    rank: Rank = None,
    topic: Topic = None,
    clusters: Clusters = False,
    cluster: ClusterLabel = "",
    country: Country = None,
    earlier: Context = None,
) -> None:
    """Finds the best pages for a query.

    A word that begins with a minus excludes pages; put the query in quotes, or -- before it.
    """
    request = SearchRequest(
        " ".join(query),
        k,
        offset,
        scheme=scheme,
        algorithm=algorithm,
        rank=rank,
        topic=topic,
        languages=tuple(languages.replace(",", " ").split()),
        explain=explain,
        everything=everything,
        clusters=clusters,
        cluster=cluster,
        correct=not no_correct,
        newest_first=newest,
        country="" if country == "none" else country,
        context=tuple(earlier or ()),
    )
    with open_engine(context) as engine:
        page = engine.answer(request)
    if as_json:
        from gossamer.answer.as_dict import as_dict

        print_json(as_dict(page))
    else:
        for line in answer_lines(page):
            print(line)
        print_results(page)
        if explain and page.intent:
            print(f"intent: {page.intent}")
        if explain and page.country:
            print(f"country: {page.country}")


# Command similar
# ---------------

SIMILAR_EXAMPLES = (
    "gossamer -C my-search similar https://example.org/cats.html",
    "gossamer -C my-search similar example.org/cats.html -k 3 --json",
)
Address = Annotated[str, typer.Argument(metavar="URL", help="The page's address.")]
SimilarCount = Annotated[int, typer.Option("-k", metavar="N", min=1, max=100, help="How many pages to show.")]


def similar(context: typer.Context, url: Address, k: SimilarCount = 10, as_json: AsJson = False) -> None:
    """Finds pages that say the like.

    The words that tell the page apart from others are asked as a query, and the page itself is left out.
    """
    with open_engine(context) as engine:
        found = engine.similar(url, k)
    if as_json:
        from gossamer.answer.as_dict import as_dict

        print_json(as_dict(found))
    else:
        print_results(found)


# Command suggest
# ---------------

SUGGEST_EXAMPLES = (
    "gossamer -C my-search suggest jag",
    "gossamer -C my-search suggest 'shared mem' -k 3 --json",
)
Beginning = Annotated[list[str], typer.Argument(metavar="PREFIX...", help="What was typed so far.")]
SuggestionCount = Annotated[int, typer.Option("-k", metavar="N", min=1, max=100, help="How many to show.")]


def suggest(
    context: typer.Context, prefix: Beginning, k: SuggestionCount = 8, as_json: AsJson = False
) -> None:
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
