"""The program as a whole: help, version, exit codes, and that help loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gossamer
from gossamer.cli.main import BELOW, COMMANDS, assemble, load

HEAVY = {"numba", "numpy", "rich", "aiohttp", "fastapi", "uvicorn", "selectolax", "ir_measures", "fastwarc"}
CONTRACT = {
    "crawl": "--max-pages --depth --include --exclude --delay --resolve --allow-private --user-agent"
    " --no-index --quiet --stay --partitions --seeds",
    "pause": "",
    "resume": "",
    "stop": "",
    "seeds": "",
    "sites": "--json",
    "index": "--rebuild --merge",
    "rank": "--top --by --json",
    "export": "--format --force",
    "search": "-k --json --explain --scheme --algorithm --offset",
    "serve": "--host --port",
    "status": "--json",
    "import": "",
    "check": "--repair",
    "eval": "--json --per-query --against --save --write-run --floors --raise-floors --config --language"
    " --corpus --topics --qrels --run",
    "tune": "--measure --settings --folds --restarts --out --json --config",
    "demo": "--once --port --dir",
}


def parameters(name):
    return assemble().get_command(None, name).params


@pytest.mark.parametrize("name", CONTRACT)
def test_every_command_has_its_options_each_with_a_sentence(name):
    found = parameters(name)
    options = {option for parameter in found for option in parameter.opts}
    assert set(CONTRACT[name].split()) <= options
    for parameter in found:
        assert parameter.help, parameter.name
        assert parameter.help.rstrip().endswith("."), parameter.name


@pytest.mark.parametrize("name", ["", *CONTRACT])
def test_every_help_holds_examples_that_can_be_read(command, name):
    ran = command(*name.split(), "--help")
    assert ran.code == 0
    assert ran.err == ""
    assert "Examples:\n    gossamer " in ran.out
    assert "\b" not in ran.out


@pytest.mark.parametrize(
    "entry", [*COMMANDS.values(), *BELOW["graph"].values()], ids=lambda entry: entry.place
)
def test_the_list_of_commands_says_of_each_what_its_help_begins_with(entry):
    function, _ = load(entry)
    assert entry.summary == function.__doc__.strip().partition("\n")[0]


def test_examples_name_known_commands_and_options():
    for name in COMMANDS.keys() - BELOW:
        _, examples = load(COMMANDS[name])
        known = {option for parameter in parameters(name) for option in parameter.opts} | {"-C"}
        for example in examples:
            words = example.split("   ")[0].split()
            assert words[0] == "gossamer"
            assert name in words
            typed = {word for word in words if word.startswith("-") and word.strip("-'").isascii()}
            assert {word for word in typed if not word.endswith("'")} <= known | {"-"}, example


def test_help_lists_all_commands_with_whole_sentences(command):
    out = command("--help").out
    for name in CONTRACT:
        assert f"\n  {name} " in out
    assert "..." not in out.partition("Commands:")[2]


@pytest.mark.parametrize(
    ("name", "usage", "argument"),
    [
        ("search", "[OPTIONS] QUERY...", "  QUERY...  Words"),
        ("crawl", "[OPTIONS] [URL...]", "  URL...  URL to start"),
        ("export", "[OPTIONS] OUT", "  OUT  File to write"),
        ("status", "[OPTIONS]", None),
    ],
)
def test_help_names_arguments_without_types(command, name, usage, argument):
    lines = command(name, "--help").out.splitlines()
    assert lines[0] == f"Usage: gossamer {name} {usage}"
    assert ("Arguments:" in lines) == (argument is not None)
    if argument:
        assert lines[lines.index("Arguments:") + 1].startswith(argument)
    assert not [line for line in lines if "<" in line.replace("<=", "")]


def test_version(command):
    assert command("--version") == (0, f"gossamer {gossamer.__version__}\n", "")


def test_without_a_command_the_help_is_shown_as_an_error(command):
    ran = command()
    assert ran.code == 2
    assert ran.out == ""
    assert "Commands:" in ran.err


def test_the_collection_is_this_folder_unless_told(command, engine, tmp_path):
    command("status")
    command("-C", tmp_path, "status")
    opened = [str(call[1]) for call in engine.calls if call[0] == "open"]
    assert opened == [".", str(tmp_path)]


@pytest.mark.parametrize("arguments", [["--help"], ["search", "--help"], ["--version"], ["frob"]])
def test_help_loads_nothing_heavy(arguments):
    script = (
        "import sys; from gossamer.cli.main import run; run(sys.argv[1:]);"
        "print('LOADED', *sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    loaded = set(ran.stdout.rpartition("LOADED")[2].split())
    assert "click" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize("name", BELOW["graph"])
def test_commands_below_graph_have_options_with_sentences_and_examples(command, name):
    below = assemble().get_command(None, "graph").get_command(None, name)
    for parameter in below.params:
        assert parameter.help.rstrip().endswith("."), parameter.name
    known = {option for parameter in below.params for option in parameter.opts} | {"-C"}
    for example in load(BELOW["graph"][name])[1]:
        assert f" graph {name} " in f"{example} "
        assert {word for word in example.split() if word.startswith("-")} <= known
    ran = command("graph", name, "--help")
    assert ran.out.startswith(f"Usage: gossamer graph {name} [OPTIONS]\n")
    assert "Examples:\n    gossamer " in ran.out


def test_graph_alone_shows_its_help_as_an_error(command):
    ran = command("graph")
    assert (ran.code, ran.out) == (2, "")
    assert "  report " in ran.err
    assert "  farm " in ran.err
