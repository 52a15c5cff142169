"""Commands run in this process, with a fake engine in the place of the real one where a test asks for it."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from cli_fakes import FakeEngine

import gossamer
from gossamer.cli.main import run


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def command(capsys):
    """Runs a command line: its exit code, standard output and standard error."""

    def ran(*arguments):
        code = run([str(argument) for argument in arguments])
        return Ran(code, *capsys.readouterr())

    return ran


@pytest.fixture
def engine(monkeypatch):
    fake = FakeEngine()
    monkeypatch.setitem(gossamer.__dict__, "Engine", fake)
    return fake


@pytest.fixture
def collection(tmp_path):
    """A folder that looks like a collection."""
    (tmp_path / "collection.json").write_text("{}")
    return tmp_path
