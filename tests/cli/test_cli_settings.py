"""What commands say of the settings of a collection: lines on standard error."""

from __future__ import annotations

import pytest

from gossamer import Engine
from gossamer.cli.main import run


@pytest.fixture
def folder(tmp_path):
    Engine.open(tmp_path / "c", create=True).close()
    return tmp_path / "c"


def test_a_former_name_is_one_line_on_standard_error(folder, capfd):
    (folder / "gossamer.toml").write_text("[rank]\nbeta = 0.9\n")
    assert run(["-C", str(folder), "status", "--json"]) == 0
    ran = capfd.readouterr()
    assert ran.out.startswith("{")
    assert ran.err == (
        f"warning: {folder}/gossamer.toml: [rank] beta is now called damping; "
        "rename it (the old name is still read)\n"
    )
    assert run(["-C", str(folder), "status", "--json"]) == 0
    assert capfd.readouterr().err == ran.err, "a second command says it again"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            '[search]\ncountry = "zz"',
            "[search] country: there is no country 'zz'; write its two letters, such as dk",
        ),
        ("[crawl]\ndelay = 2", "[crawl]: there is no setting 'delay'; it belongs in [frontier]"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_file(folder, capfd, content, said):
    (folder / "gossamer.toml").write_text(content)
    assert run(["-C", str(folder), "search", "x"]) == 2
    assert capfd.readouterr() == ("", f"gossamer: {folder}/gossamer.toml: {said}\n")


@pytest.mark.parametrize("line", ['cors = ["x"]', 'hosts = ["a b"]', 'trusted_proxies = ["x"]'])
def test_a_mistake_in_what_is_served_ends_the_server(folder, capfd, line):
    (folder / "gossamer.toml").write_text(f"[serve]\n{line}\n")
    assert run(["-C", str(folder), "serve", "--port", "0"]) == 2
    assert capfd.readouterr().err.startswith(f"gossamer: {folder}/gossamer.toml: [serve] {line.split()[0]}: ")
