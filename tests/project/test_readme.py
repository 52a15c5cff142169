"""The commands and programs that the documentation shows do what it says.

The `gossamer` commands of all `console` blocks are run, those of a page in one folder. What is shown below
a command must come out, in that order; numbers may differ, and an ellipsis stands for anything. The blocks
are taken as they are but for this:

- `https://example.org` is asked over http, because the site of these tests has no certificate. Where it is,
  and that it may be asked without pauses, stands in `my-search/gossamer.toml` before the collection is made.
- `serve` gets `--port 0`, because 8080 may be taken, and is ended once it has answered.
- Lines that are no `gossamer` command (scripts, pip) are left to those who run the scripts.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from museum import MUSEUM

from gossamer.cli.main import run
from gossamer.demo.bundled_web import PORT, SEEDS, demo_web
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.demo.scripted_web import ScriptedTransport
from gossamer.demo.tour import open_demo

ROOT = Path(__file__).parents[2]
MAKES_THE_DEMO = ["docs/commands/demo.md", "docs/demo-web.md"]  # others find its collection made
SHELL_PAGES = ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]
SHELL_PAGES = [name for name in SHELL_PAGES if "$ gossamer " in (ROOT / name).read_text(encoding="utf-8")]


def blocks(name, language):
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def examples(name):
    """Every command of a page with the lines that are shown below it."""
    for block in blocks(name, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            yield command, shown


@pytest.fixture(scope="module")
def demo_collection(tmp_path_factory):
    """What `gossamer demo --once --dir demo-collection` leaves behind."""
    place = tmp_path_factory.mktemp("demo") / "demo-collection"
    with open_demo(place, PORT) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(demo_web()))
        engine.rank()
        engine.export(place.parent / "pages.warc.gz", "warc")
    return place


@pytest.fixture(scope="module")
def museum():
    with LoopbackServer(MUSEUM) as server:
        yield server


@pytest.fixture
def folder(tmp_path, museum, monkeypatch):
    """An empty folder to stand in, but for the settings with which example.org is found."""
    own = tmp_path / "my-search"
    own.mkdir()
    found = f'[fetch]\nhost_overrides = ["*example.org=127.0.0.1:{museum.port}"]\n[frontier]\ndelay = 0\n'
    (own / "gossamer.toml").write_text(found, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bring(folder, demo_collection):
    """What the examples take for given: the demo's collection, a WARC file, a test collection."""
    shutil.copytree(demo_collection, folder / "demo-collection")
    shutil.copy(demo_collection.parent / "pages.warc.gz", folder)
    judged = folder / "collections" / "cran"
    judged.mkdir(parents=True)
    corpus = [
        {"_id": "1", "title": "wings", "text": "lift of wings"},
        {"_id": "2", "title": "", "text": "heat"},
    ]
    (judged / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in corpus))
    (judged / "queries.jsonl").write_text('{"_id": "a", "text": "wing"}\n{"_id": "b", "text": "heat"}\n')
    (judged / "qrels.tsv").write_text("a\t1\t1\nb\t2\t1\n")


def alike(line):
    """What is compared of a line: numbers are one like the other, and so is white space."""
    return " ".join(re.sub(r"\d[\d.,:]*(T[\d:+]+|e-\d+)?", "0", line).split())


def missing(shown, printed):
    """The first shown line that does not come out after the ones before it, or None."""
    lines = iter([alike(line) for line in printed.splitlines()])
    for line in shown:
        wanted, cut, _ = alike(line).partition("…")
        if wanted and not any(one.startswith(wanted) if cut else one == wanted for one in lines):
            return line
    return None


def serve(arguments, folder):
    """Runs `serve` until it has answered; what it printed."""
    command = [sys.executable, "-m", "gossamer", *arguments, "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            address = re.search(r"http://\S+/", line)[0]
            with urlopen(f"{address}api/search?q=hours+jaguar", timeout=120) as answer:
                assert json.load(answer)["total"] >= 1
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(120) == 0
        return line + process.stdout.read()


@pytest.mark.parametrize("name", SHELL_PAGES)
def test_the_commands_print_what_is_shown(name, folder, demo_collection, capsys):
    if name not in MAKES_THE_DEMO:
        bring(folder, demo_collection)
    for line, shown in examples(name):
        if not line.startswith("gossamer "):
            continue
        arguments = shlex.split(line.replace("https://example.org", "http://example.org"))[1:]
        if "serve" in arguments:
            printed = serve(arguments, folder)
        else:
            code = run(arguments)
            out, err = capsys.readouterr()
            printed = err + out
            assert code == (2 if "gossamer:" in "".join(shown) else 0), f"{line}\n{printed}"
        lost = missing(shown, printed)
        assert lost is None, f"{line}\nshould print: {lost}\nprinted:\n{printed}"


@pytest.mark.parametrize("name", ["README.md", "docs/library.md"])
@pytest.mark.usefixtures("folder")
def test_the_programs_run(name, capsys):
    programs = blocks(name, "python")
    assert programs
    for program in programs:
        exec(compile(program.replace("https://example.org", "http://example.org"), name, "exec"), {})
    assert "http://example.org/visit" in capsys.readouterr().out
