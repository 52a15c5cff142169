"""Commands search, similar and suggest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, get_type_hints

from gossamer.answer.as_dict import as_dict
from gossamer.cli.exit_codes import complain
from gossamer.cli.options import AS_JSON, Context, argument, open_engine, option
from gossamer.cli.output import answer_lines, print_json, print_results, title_line
from gossamer.cli.progress import compile_kernels
from gossamer.model import SearchOptions, UsageError
from gossamer.model.search import OPTIONS

if TYPE_CHECKING:
    from gossamer import Engine

KEYWORD = Parameter.KEYWORD_ONLY

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
OFFERED = {  # parameters of the command, and the fields of SearchOptions that they set
    "explain": "explain",
    "scheme": "scheme",
    "algorithm": "algorithm",
    "everything": "everything",
    "no_correct": "correct",
    "newest": "newest_first",
    "languages": "languages",
    "rank": "rank",
    "topic": "topic",
    "clusters": "clusters",
    "cluster": "cluster",
    "country": "country",
    "earlier": "context",
}


def with_search_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the last parameter of a command with the options of a search, one parameter for each."""
    own, kinds = signature(command, eval_str=True), get_type_hints(SearchOptions)
    taken = list(own.parameters.values())[:-1]
    for parameter, name in OFFERED.items():
        offered, kind, default = OPTIONS[name], kinds[name], getattr(SearchOptions, name)
        if default == ():
            kind, default = (str, "") if offered["typed"] is str else (list[str], None)
        shown = option(offered["command"], offered["usage"], default)
        taken.append(Parameter(parameter, KEYWORD, default=shown, annotation=kind))
    made: Any = command
    made.__signature__ = own.replace(parameters=taken)
    return command


@with_search_options
def search(
    context: Context,
    query: list[str] = argument(
        "QUERY...",
        'Words, "phrases", -exclusions, AND OR NOT NEAR/k with parentheses, prefix*, fuzzy~, and site: '
        "intitle: inurl: inbody: inanchor: filetype: lang: before: after: sounds: link: related: info: "
        "country: near:. Put the query in quotes.",
    ),
    k: int = option("-k N", "Show N results.", 10, min=1, max=1000),
    offset: int = option("--offset N", "Skip the first N results.", 0, min=0),
    as_json: bool = AS_JSON,
    **given: Any,
) -> None:
    """Find the best pages for a query.

    A minus before a word excludes pages with this word. Put the query in quotes; put -- before a query that
    begins with a minus.
    """
    chosen = {name: given[parameter] for parameter, name in OFFERED.items()}
    chosen["correct"] = not chosen["correct"]
    chosen["languages"] = _language_codes(chosen["languages"])
    chosen["country"] = "" if chosen["country"] == "none" else chosen["country"]
    chosen["context"] = tuple(chosen["context"] or ())
    options = SearchOptions(k, offset, **chosen)
    with open_engine(context) as engine:
        warn_of_languages(engine)
        compile_kernels(["search"])
        page = engine.search(" ".join(query), options=options)
    if as_json:
        print_json(as_dict(page))
    else:
        for line in answer_lines(page):
            print(line)
        print_results(page)
        if options.explain and page.intent:
            print(f"intent: {page.intent}")
        if options.explain and page.country:
            print(f"country: {page.country}")


def _language_codes(typed: str) -> tuple[str, ...]:
    """Return the codes of --languages. Raise UsageError if one is unknown."""
    codes = tuple(typed.replace(",", " ").split())
    for problem in unknown_languages(codes):
        raise UsageError(f"--languages: {problem}")
    return codes


def unknown_languages(codes: Iterable[str]) -> Iterator[str]:
    """Yield a message for each unknown language code."""
    from gossamer.text.language_codes import canonical_code, close_codes

    for code in codes:
        if not canonical_code(code):
            near = ", ".join(close_codes(code))
            hint = f"close codes: {near}" if near else "write codes such as de,en"
            yield f"there is no language {code!r}; {hint}"


def warn_of_languages(engine: Engine) -> None:
    """Print a warning for each unknown language in gossamer.toml. It is ignored."""
    for problem in unknown_languages(engine.config.search.languages):
        complain(f"{engine.directory / 'gossamer.toml'}: [search] languages: {problem}")


# Command similar
# ---------------

SIMILAR_EXAMPLES = (
    "gossamer -C my-search similar https://example.org/cats.html",
    "gossamer -C my-search similar example.org/cats.html -k 3 --json",
)


def similar(
    context: Context,
    url: str = argument("URL", "URL of the page."),
    k: int = option("-k N", "Show N pages.", 10, min=1, max=100),
    as_json: bool = AS_JSON,
) -> None:
    """Find pages with similar content.

    Searches for the words that distinguish the page from others. The page itself is left out.
    """
    with open_engine(context) as engine:
        compile_kernels(["search"])
        found = engine.similar(url, k)
    if as_json:
        print_json(as_dict(found))
    else:
        print_results(found)


# Command suggest
# ---------------

SUGGEST_EXAMPLES = (
    "gossamer -C my-search suggest jag",
    "gossamer -C my-search suggest 'shared mem' -k 3 --json",
)


def suggest(
    context: Context,
    prefix: list[str] = argument("PREFIX...", "Beginning of a query."),
    k: int = option("-k N", "Show N suggestions.", 8, min=1, max=100),
    as_json: bool = AS_JSON,
) -> None:
    """Suggest queries that begin with the given text.

    Suggestions come from page titles, anchor text, and phrases of many titles. Past queries are
    included if the setting query_log is on.
    """
    typed = " ".join(prefix)
    with open_engine(context) as engine:
        compile_kernels(["search"])
        found = engine.suggest(typed, k)
    if as_json:
        print_json({"query": typed, "suggestions": found})
    else:
        for one in found:
            print(title_line(one))
