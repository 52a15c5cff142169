"""The documentation says what is there, all of it, and nothing that is not."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import json
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest
from museum import MUSEUM
from promised import ErrorAnswer, LinksAnswer, PageAnswer, SearchAnswer, SuggestAnswer

import gossamer
from gossamer import AsyncEngine, Engine
from gossamer.cli.main import assemble
from gossamer.config import Config, ServeSettings, default_of
from gossamer.crawl.frontier.url_order import ORDERS
from gossamer.crawl.hosts.trap_detectors import REASONS
from gossamer.demo.scripted_web import ScriptedTransport
from gossamer.evaluate.tunable import parameters
from gossamer.graph.ranks.registry import RANKS
from gossamer.index.bm25f import Field, Weighting
from gossamer.jobs.export import FORMATS
from gossamer.model import SearchKeywords, SearchOptions
from gossamer.owner.status import Status
from gossamer.search.retrieve.choose import ALGORITHMS, AUTO
from gossamer.search.weighting import SCHEMES
from gossamer.serve import error_responses as problems
from gossamer.serve.app import create_app
from gossamer.serve.owner_pages.base import OwnerState
from gossamer.serve.owner_pages.sessions import OwnerToken
from gossamer.web.url import AMBIGUOUS_PARAMETERS, DROPPED_PARAMETERS, TRACKING_PREFIXES

PACKAGE = Path(gossamer.__file__).parent
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
COMMANDS = DOCS / "commands"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]

_LINK = re.compile(r"\]\(([^()\s]+)\)")
_OPTION_ROW = re.compile(r"^\| `(--?[A-Za-z][\w-]*)", re.MULTILINE)
_FILE = re.compile(r"`([\w.-]+(?:/[\w.-]+)+\.(?:py|jsonl|tsv|toml))`")


def read(path):
    return path.read_text(encoding="utf-8")


def below(command):
    """The commands below a command, by their names."""
    names = command.list_commands(None) if hasattr(command, "list_commands") else ()
    return {name: command.get_command(None, name) for name in names}


PROGRAM = assemble()
PROGRAMS = below(PROGRAM)


def options(command):
    return {name for option in command.params if option.param_type_name == "option" for name in option.opts}


def all_options(command):
    """Of the command, and of those that stand below it."""
    return options(command).union(*map(all_options, below(command).values()))


def table_rows(text):
    """The cells of every row of every table that is no heading and no rule."""
    for line in text.splitlines():
        if line.startswith("| ") and not line.startswith("|---"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


# Commands


def test_every_command_has_a_page_and_every_page_a_command():
    pages = {path.stem for path in COMMANDS.glob("*.md")} - {"README"}
    assert pages == set(PROGRAMS)


def test_the_index_of_commands_names_them_all():
    linked = set(re.findall(r"\]\(([\w-]+)\.md\)", read(COMMANDS / "README.md")))
    assert linked == set(PROGRAMS)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_command_page_lists_exactly_its_options(name):
    assert set(_OPTION_ROW.findall(read(COMMANDS / f"{name}.md"))) == all_options(PROGRAMS[name])


def test_the_options_of_the_program_itself():
    assert set(_OPTION_ROW.findall(read(COMMANDS / "README.md"))) == options(PROGRAM)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_command_page_has_a_synopsis_an_example_and_errors(name):
    page = read(COMMANDS / f"{name}.md")
    assert re.search(rf"^    gossamer (\[-C DIR\] )?{name}\b", page, re.MULTILINE)
    assert re.search(rf"```console\n\$ gossamer [^\n]*\b{name}\b", page)
    assert "\n## Errors\n" in page


def test_options_that_pages_mention_exist():
    """Also in running text: `--stay` in the README must be an option of some command."""
    known = all_options(PROGRAM)
    known |= {"--help", "--long", "--strict"}  # of every command, of scripts/test, of mypy
    for page in PAGES:
        unknown = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", read(page))) - known
        assert not unknown, page.relative_to(ROOT)


# Settings


def documented_settings():
    """(section, name, default, sentence) of every row in docs/settings.md."""
    text = read(DOCS / "settings.md").partition("\n## Former names\n")[0]
    for part in re.split(r"^## `\[", text, flags=re.MULTILINE)[1:]:
        section = part.partition("]")[0]
        for cells in table_rows(part):
            if cells[0] != "setting":
                yield section, cells[0].strip("`"), cells[1].strip("`"), cells[2]


def test_every_setting_stands_in_the_documentation_with_its_default_and_sentence():
    real = {(section, one.name, one.metadata["sentence"]) for section, one in Config.settings()}
    assert {(section, name, sentence) for section, name, _, sentence in documented_settings()} == real


def test_documented_defaults_are_the_defaults():
    real = {(section, one.name): default_of(one) for section, one in Config.settings()}
    for section, name, default, _ in documented_settings():
        assert tomllib.loads(f"value = {default}")["value"] == real[section, name], f"[{section}] {name}"


def test_former_names_of_settings_stand_in_the_documentation():
    table = read(DOCS / "settings.md").partition("\n## Former names\n")[2]
    rows = [[cell.strip("`[]") for cell in cells] for cells in table_rows(table)][1:]
    former = [[section, one.metadata["formerly"], one.name] for section, one in Config.settings()]
    assert rows == [row for row in former if row[1]]


def test_the_example_of_settings_can_be_used():
    example = re.search(r"```toml\n(.*?)```", read(DOCS / "settings.md"), re.DOTALL)
    assert Config().changed(tomllib.loads(example[1])) != Config()


# Endpoints


def paths(routes):
    for route in routes:
        if hasattr(route, "path"):
            yield route.path
        else:  # a router that was included
            yield from paths(route.original_router.routes)


def test_every_endpoint_has_its_heading(tmp_path):
    """Those of the owner have rows of their own page."""
    settings = ServeSettings(submissions=True, reports=True)
    parts = dict.fromkeys(one.name for one in fields(OwnerState))
    app = create_app(None, settings, OwnerState(**parts | {"token": OwnerToken(tmp_path)}))
    headings = set(re.findall(r"^## GET (\S+)$", read(DOCS / "api.md"), re.MULTILINE))
    rows = set(re.findall(r"^\| `(/owner\S*)` \|", read(DOCS / "owner.md"), re.MULTILINE))
    assert headings | rows == set(paths(app.routes))
    assert not headings & rows


def test_every_parameter_of_the_api_is_told():
    sections = dict(
        re.findall(r"^## GET (\S+)$(.*?)(?=^## |\Z)", read(DOCS / "api.md"), re.MULTILINE | re.DOTALL)
    )
    for path, methods in create_app(None).openapi()["paths"].items():
        real = {one["name"] for one in methods["get"].get("parameters", [])}
        table = sections[path].partition("| field |")[0]
        assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == real, path


def test_every_error_code_is_told():
    real = [cells for cells in table_rows(problems.__doc__) if cells[0] != "code"]
    section = read(DOCS / "api.md").partition("\n## Errors\n")[2].partition("\n## ")[0]
    assert real
    assert [[code.strip("`"), *rest] for code, *rest in table_rows(section) if code != "code"] == real


def test_the_answers_that_are_shown_are_what_the_api_promises():
    sections = re.findall(r"^## (.+?)$(.*?)(?=^## |\Z)", read(DOCS / "api.md"), re.MULTILINE | re.DOTALL)
    shown = {heading: re.findall(r"```json\n(.*?)```", text, re.DOTALL) for heading, text in sections}
    for heading, promise in (
        ("GET /api/search", SearchAnswer),
        ("GET /api/suggest", SuggestAnswer),
        ("GET /api/page", PageAnswer),
        ("GET /api/links", LinksAnswer),
        ("Errors", ErrorAnswer),
    ):
        (example,) = shown[heading]
        promise.model_validate(json.loads(example))
    state = json.loads(shown["GET /api/status"][0])
    assert set(state) == {one.name for one in fields(Status)} - {"directory"}


def signature(method):
    """A method as the documentation writes it: names and defaults, without types."""
    parameters = list(inspect.signature(method).parameters.values())
    stars = {inspect.Parameter.VAR_KEYWORD: "**"}
    shown = [
        stars.get(one.kind, "") + (one.name if one.default is one.empty else f"{one.name}={one.default!r}")
        for one in parameters
    ]
    first = next((i for i, one in enumerate(parameters) if one.kind is one.KEYWORD_ONLY), None)
    if first is not None:
        shown.insert(first, "*")
    return f"{method.__name__}({', '.join(shown[inspect.isfunction(method) :])})".replace("'", '"')


@pytest.mark.parametrize("kind", [Engine, AsyncEngine])
def test_every_method_of_an_engine_stands_in_the_documentation(kind):
    """Those of an event loop that are those of `Engine` stand there; tests/engine compares them all."""
    before, begins, after = read(DOCS / "library.md").partition("## In an event loop")
    text = after.partition("\n## ")[0] if kind is AsyncEngine else before + begins + after
    for name in [name for name in vars(kind) if not name.startswith("_")]:
        method = getattr(kind, name)
        if kind is AsyncEngine and signature(method) == signature(getattr(Engine, name, method)) != "close()":
            assert f"`{name}" in before + begins + after, name
            continue
        written = signature(method)
        assert f"`{written}`" in text or f"`{kind.__name__}.{written}`" in text, written
        assert method.__doc__, method.__name__


def test_everything_that_is_exported_stands_in_the_documentation():
    text = read(DOCS / "library.md")
    names = [name for name in gossamer.__all__ if name != "__version__"]
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


def test_everything_that_can_be_asked_of_a_search_stands_in_the_documentation():
    text = read(DOCS / "library.md").partition("| `search(")[2].partition("\n")[0]
    kinds = get_type_hints(SearchOptions)
    assert get_type_hints(SearchKeywords) == {one: kinds[one] for one in kinds if one not in {"k", "offset"}}
    for name in kinds:
        assert f"`{name}`" in text, name


# Ranking


@pytest.mark.parametrize(
    ("page", "heading", "names"),
    [
        ("ranking.md", "scheme", SCHEMES),
        ("ranking.md", "algorithm", [*ALGORITHMS, AUTO]),
        ("ranking.md", "rank", RANKS),
        ("commands/export.md", "format", FORMATS),
    ],
)
def test_tables_name_exactly_what_can_be_chosen(page, heading, names):
    table = re.search(rf"^\| {heading} \|.*?\n\|---.*?\n((?:\|.*\n)+)", read(DOCS / page), re.MULTILINE)
    assert set(re.findall(r"^\| `([\w.-]+)` \|", table[1], re.MULTILINE)) == set(names)


@pytest.mark.parametrize("page", ["commands/search.md", "api.md"])
def test_schemes_and_algorithms_stand_where_they_can_be_chosen(page):
    assert all(f"`{name}`" in read(DOCS / page) for name in [*SCHEMES, *ALGORITHMS, AUTO])


def test_the_field_weights_are_those_of_the_code():
    weighting = Weighting(pivots=(1.0,) * len(Field))
    rows = {cells[0]: cells[1:3] for cells in table_rows(read(DOCS / "ranking.md")) if len(cells) == 4}
    names = {Field.URL: "URL"}
    for field in Field:
        expected = [str(weighting.weights[field]), str(weighting.slopes[field])]
        assert rows[names.get(field, field.name.lower())] == expected
    assert f"k1 is {weighting.k1}" in read(DOCS / "ranking.md")


def test_the_table_of_weights_says_which_are_tuned_and_what_they_are():
    text = read(DOCS / "ranking.md").partition("### The weights")[2].partition("###")[0]
    rows = {name: cells for cells in table_rows(text) for name in re.findall(r"`(\w+)`", cells[1])}
    settings = Config().search
    shown = {name: cells for name, cells in rows.items() if hasattr(settings, name)}
    tuned = {one.name for one in parameters() if one.section == "search"}
    assert {name for name, cells in shown.items() if cells[3] == "yes" and "days" not in name} == tuned
    for name, cells in shown.items():
        assert f"{getattr(settings, name):g}" in re.findall(r"[\d.]+", cells[2]), name


# Crawling


def test_the_dropped_parameters_are_those_of_the_code():
    text = (
        read(DOCS / "crawling.md")
        .partition("are dropped from the query string:")[2]
        .partition("The crawler also learns")[0]
    )
    always, ambiguous = text.rpartition("\n- ")[::2]
    assert set(re.findall(r"`(\w+)`", always)) == DROPPED_PARAMETERS | set(TRACKING_PREFIXES)
    assert set(re.findall(r"`(\w+)`", ambiguous)) == AMBIGUOUS_PARAMETERS


def test_orders_and_traps_stand_in_the_documentation():
    rows = {cells[0].strip("`") for cells in table_rows(read(DOCS / "crawling.md"))}
    files = ("hosts/traps.py", "hosts/trap_detectors.py", "settings.py")
    texts = [read(PACKAGE / "crawl" / name) for name in files]
    reasons = {reason for text in texts for reason in re.findall(r'return "([a-z-]+)"', text)}
    assert reasons
    assert rows >= set(ORDERS) | reasons | {"asleep"}
    assert all(f"`{reason}`" in read(DOCS / "crawling.md") for reason in REASONS.values())


# Files, packages, dependencies


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_images_lead_to_files_that_are_there(page):
    targets = [target.partition("#")[0] for target in _LINK.findall(read(page))]
    missing = [
        target
        for target in targets
        if target and not re.match(r"[a-z]+:", target) and not (page.parent / target).exists()
    ]
    assert not missing


def test_files_that_pages_name_are_there():
    for page in PAGES:
        for name in _FILE.findall(read(page)):
            assert any((base / name).exists() for base in (ROOT, PACKAGE)), f"{page.name}: {name}"


def test_every_page_of_the_documentation_can_be_reached_from_the_readme():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached and page.suffix == ".md":
            reached.add(page)
            waiting += [
                (page.parent / target).resolve() for target in _LINK.findall(read(page)) if ":" not in target
            ]
    assert {page.resolve() for page in PAGES} <= reached


def test_the_architecture_names_every_package():
    flow = read(ROOT / "ARCHITECTURE.md").partition("## Data flow")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(\w+)[`/]", flow))
    assert named >= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def test_every_package_says_what_it_answers():
    for path in PACKAGE.glob("*/__init__.py"):
        text = importlib.import_module(f"gossamer.{path.parent.name}").__doc__ or ""
        assert len(text.splitlines()) > 2, (
            f"{path.parent.name}: what goes in, what comes out, what is central?"
        )


def test_every_dependency_has_its_reason():
    listed = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]["dependencies"]
    needed = {re.match(r"[\w-]+", line)[0].lower() for line in listed}
    rows = table_rows(read(DOCS / "decisions" / "0001-dependencies.md"))
    assert {cells[0] for cells in rows if cells[0] != "library"} == needed


# Examples in docstrings


def modules_with_examples():
    for path in sorted(PACKAGE.rglob("*.py")):
        if ">>>" in read(path):
            yield ".".join(["gossamer", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(
                ".__init__"
            )


@pytest.fixture(scope="module")
def museum(tmp_path_factory):
    """The collection of the web that examples show, crawled and ranked."""
    place = tmp_path_factory.mktemp("museum") / "museum"
    with Engine.open(place, create=True, settings={"frontier": {"delay": 0.0}}) as engine:
        engine.crawl("https://example.org/", transport=ScriptedTransport(MUSEUM))
        engine.rank()
    return place


@pytest.fixture
def examples(museum, tmp_path, monkeypatch):
    """What the examples of the library find: an open engine, an empty folder, the web."""
    place = shutil.copytree(museum, tmp_path / "museum")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gossamer.jobs.crawl.open_transport", lambda _: ScriptedTransport(MUSEUM))
    with Engine.open(place, settings={"frontier": {"delay": 0.0}}) as engine:
        yield {"engine": engine, "async_engine": AsyncEngine(engine)}


@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_examples_in_docstrings_run(name, request):
    module = importlib.import_module(name)
    is_public = any(
        getattr(gossamer, one).__module__ == name for one in gossamer.__all__ if one != "__version__"
    )
    names = request.getfixturevalue("examples") if is_public else {}
    result = doctest.testmod(module, extraglobs=names)
    assert result.attempted
    assert not result.failed


def public_things():
    """Every name that users import, and the methods of the classes among them."""
    for name in gossamer.__all__:
        one = getattr(gossamer, name)
        if name != "__version__":
            yield name, one
        if inspect.isclass(one):
            for own, method in vars(one).items():
                if not own.startswith("_") and (inspect.isroutine(method) or isinstance(method, property)):
                    yield f"{name}.{own}", getattr(one, own)


def test_everything_public_has_a_docstring():
    assert [name for name, one in public_things() if not inspect.getdoc(one)] == []


@pytest.mark.parametrize("name", [name for name in vars(Engine) if not name.startswith("_")])
def test_a_docstring_of_the_engine_tells_arguments_and_result_and_shows_an_example(name):
    method = getattr(Engine, name)
    text, parameters = inspect.getdoc(method), [*inspect.signature(method).parameters]
    told = re.findall(r"^    [*]*(\w+): ", text.partition("\nArgs:\n")[2].partition("\n\n")[0], re.MULTILINE)
    assert told == [one for one in parameters if one != "self"]
    assert ("\nReturns:\n" in text) == (inspect.signature(method).return_annotation != "None")
    assert "\nExample:\n    >>> " in text


def test_the_top_of_the_library_names_everything_that_it_exports():
    names = set(re.findall(r"^ +(\w+) +\w", gossamer.__doc__, re.MULTILINE)) | set(
        re.findall(r"\w+", gossamer.__doc__)
    )
    assert set(gossamer.__all__) - {"__version__"} <= names
    tree = ast.parse(read(PACKAGE / "__init__.py"))
    checked = {
        alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert checked - {"annotations", "import_module", "TYPE_CHECKING"} == set(gossamer.__all__) - {
        "__version__"
    }


def test_the_library_is_imported_when_it_is_used():
    program = (
        "import sys, gossamer; dir(gossamer); print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert "'gossamer'" in loaded
    assert "'numpy'" not in loaded
