"""docs/tour.md is true: what a program asks of the demo's server comes back as it is shown.

Its `gossamer` commands are run by test_readme, what is done on the page by tests/browser.
"""

from __future__ import annotations

import warnings

import pytest
from test_readme import missing
from tour_steps import asked, commands, deeds, steps

from gossamer.demo.bundled_web import PORT, SEEDS, demo_web
from gossamer.demo.scripted_web import ScriptedTransport
from gossamer.demo.tour import open_demo
from gossamer.serve.app import create_app

with warnings.catch_warnings():
    # Starlette wants a successor of httpx that is not in general use.
    warnings.filterwarnings("ignore", message="Using `httpx` with `starlette.testclient`")
    from starlette.testclient import TestClient

ASKING = [
    pytest.param(command, shown, id=command)
    for step in steps()
    for command, shown in commands(step)
    if command.startswith("curl ")
]
RUN_ELSEWHERE = ("curl ", "gossamer ")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("tour") / "demo-collection"
    with open_demo(place, PORT) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(demo_web()))
        engine.rank()
    return place


@pytest.fixture(scope="module")
def client(folder):
    with open_demo(folder, PORT) as engine:
        engine.suggest("wait")
        yield TestClient(create_app(engine), base_url="http://localhost")


def test_every_step_is_one_that_a_test_takes():
    titles = [step.title for step in steps()]
    assert [int(title.partition(".")[0]) for title in titles] == list(range(1, len(titles) + 1))
    for step in steps():
        kinds = {kind for kind, _ in step.blocks}
        assert kinds, step.title
        assert kinds <= {"browser", "console", "python"}, step.title
        assert all(line.startswith(RUN_ELSEWHERE) for line, _ in commands(step)), step.title
        assert all(
            len(line.split(None, 1)) == 2 for kind, own in step.blocks if kind == "browser" for line in own
        )


def test_the_tour_leads_past_everything():
    told = " ".join(line for step in steps() for line, _ in commands(step))
    for part in (
        "suggest",
        "--clusters",
        "--explain",
        "rank",
        "links",
        "graph report",
        ".rss",
        ".atom",
        ".csv",
        "/api/",
    ):
        assert part in told
    assert sum(1 for step in steps() if deeds(step)) >= 8
    assert sum(len(step.pictures) for step in steps()) >= 4


@pytest.mark.parametrize(("command", "shown"), ASKING)
def test_what_is_asked_is_answered_as_shown(client, command, shown):
    def get(path):
        answer = client.get(path)
        assert answer.status_code == 200, path
        return answer.text

    printed = asked(command, get)
    lost = missing(shown, printed)
    assert lost is None, f"{command}\nshould print: {lost}\nprinted:\n{printed}"


def test_the_program_runs(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder.parent)
    programs = ["\n".join(own) for step in steps() for kind, own in step.blocks if kind == "python"]
    for program in programs:
        exec(compile(program, "docs/tour.md", "exec"), {})
    assert (
        "1 Black panthers - Wildcats http://wildcats.localhost:8808/black-panthers.html"
        in capsys.readouterr().out
    )
