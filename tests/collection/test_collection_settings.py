"""Settings under former names, in the wrong section, and with values that cannot be."""

from __future__ import annotations

import warnings

import pytest

from gossamer import Config, Engine
from gossamer.answer.clusters.agglomerative import LINKAGES
from gossamer.crawl.frontier.url_order import ORDERS
from gossamer.model import BadSetting, RenamedSetting
from gossamer.search.retrieve.choose import ALGORITHMS, AUTO
from gossamer.search.weighting import SCHEMES

FORMER = [
    (section, one.metadata["formerly"], one) for section, one in Config.settings() if one.metadata["formerly"]
]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "gossamer.toml"


def loaded(file, content):
    file.write_text(content)
    return Config.load(file)


def test_a_former_name_is_read_with_one_warning(file):
    with pytest.warns(RenamedSetting) as caught:
        config = loaded(file, "[rank]\nbeta = 0.5\ntolerance = 0.1\n[search]\nexact = 0\n")
    assert (config.rank.damping, config.search.exact_form_boost) == (0.5, 0.0)
    told = "rename it (the old name is still read)"
    assert [str(one.message) for one in caught] == [
        f"{file}: [rank] beta is now called damping; {told}",
        f"{file}: [search] exact is now called exact_form_boost; {told}",
    ]


@pytest.mark.parametrize(
    ("section", "former", "setting"), FORMER, ids=lambda own: str(getattr(own, "name", own))
)
def test_every_former_name_sets_what_the_new_one_does(section, former, setting):
    values = {int: 50, float: 0.75, bool: False, str: "random", list: ["a.test=127.0.0.1"]}
    value = values[type(getattr(getattr(Config(), section), setting.name))]
    with pytest.warns(
        RenamedSetting, match=rf"^settings: \[{section}\] {former} is now called {setting.name};"
    ):
        changed = Config().changed({section: {former: min(value, 5) if former == "per_host" else value}})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = getattr(getattr(changed, section), setting.name)
        assert changed == Config().changed({section: {setting.name: value}})


def test_former_names_are_no_settings_of_their_sections():
    names = {(section, one.name) for section, one in Config.settings()}
    former = [(section, name) for section, name, _ in FORMER]
    assert len(set(former)) == len(former)
    assert not names & set(former)


def test_an_engine_reads_former_names_in_the_file_and_in_its_argument(tmp_path):
    folder = tmp_path / "c"
    Engine.open(folder, create=True).close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Engine.open(folder).close()
    (folder / "gossamer.toml").write_text("[crawl]\nstay = true\n")
    with pytest.warns(RenamedSetting) as caught:
        engine = Engine.open(folder, settings={"search": {"fold": 0.5}})
    engine.close()
    assert engine.config.crawl.stay_on_site
    assert engine.config.search.fold_threshold == 0.5
    first, second = (str(one.message) for one in caught)
    assert first.startswith(f"{folder}/gossamer.toml: [crawl] stay is now called stay_on_site;")
    assert second.startswith("settings: [search] fold is now called fold_threshold;")


@pytest.mark.parametrize("lines", ["beta = 0.8\ndamping = 0.8", "damping = 0.8\nbeta = 0.8"])
def test_both_names_are_an_error(file, lines):
    with pytest.raises(BadSetting) as caught:
        loaded(file, f"[rank]\n{lines}\n")
    assert str(caught.value) == (f"{file}: [rank] sets damping twice: beta is its former name; remove beta")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[crawl]\ndelay = 2", "[crawl]: there is no setting 'delay'; it belongs in [frontier]"),
        ("[fetch]\nrate = 2", "[fetch]: there is no setting 'rate'; it belongs in [serve]"),
        (
            "[crawl]\ntimeout = 2",
            "[crawl]: there is no setting 'timeout'; it belongs in [extract] or [serve]",
        ),
        (
            '[crawl]\norder = "opic"',
            "[crawl]: there is no setting 'order'; it belongs in [frontier] and is now called url_order",
        ),
        ("max_pages = 2", "the setting 'max_pages' is in no section; it belongs in [crawl]"),
        ("[crawl]\ndepht = 2", "[crawl]: there is no setting 'depht'; did you mean 'depth'?"),
        (
            "[crawl]\nallow_privat = true",
            "[crawl]: there is no setting 'allow_privat'; the nearest name is 'allow_private'; "
            "it belongs in [fetch]",
        ),
    ],
)
def test_a_setting_in_the_wrong_section_is_told_where_it_belongs(file, content, message):
    with pytest.raises(BadSetting) as caught:
        loaded(file, content)
    assert str(caught.value) == f"{file}: {message}"


@pytest.mark.parametrize(
    ("section", "line", "message"),
    [
        ("crawl", 'include = ["("]', " include: not a regular expression: '('"),
        ("crawl", 'exclude = ["("]', " exclude: not a regular expression: '('"),
        ("frontier", 'url_order = "best"', " url_order must be one of opic, breadth-first, "),
        ("frontier", 'unlimited_addresses = ["x"]', " unlimited_addresses: 'x' does not appear to be"),
        ("fetch", 'host_overrides = ["x"]', " host_overrides: cannot read the host override 'x'"),
        ("fetch", 'name_servers = ["x"]', " name_servers: cannot read the name server 'x'"),
        ("fetch", 'logins = ["a.test basic me hidden"]', " logins: cannot read the log-in 'a.test basic'"),
        ("quality", "bands = 5", " bands: 5 is not a divisor of 84"),
        ("rank", "damping = 2", " damping must be at most 1, not 2.0"),
        ("search", 'country = "zz"', " country: there is no country 'zz'; write its two letters"),
        ("search", 'country = "denmark"', " country: there is no country 'denmark'"),
        ("search", 'rank = "fame"', " rank: there is no rank 'fame'; choose from: auto, pagerank, "),
        ("search", 'scheme = "bm26"', " scheme must be one of bm25f, "),
        ("search", 'algorithm = "best"', " algorithm must be one of blockmax, "),
        ("search", 'clusters = "best"', " clusters must be one of average, single, not 'best'"),
        ("answers", 'time_zone = "Mars"', " time_zone: 'Mars' is no time zone"),
        ("answers", 'without = ["poetry"]', " without: there is no kind 'poetry'"),
    ],
)
def test_a_wrong_value_is_an_error_that_names_the_file(file, section, line, message):
    with pytest.raises(BadSetting) as caught:
        loaded(file, f"[{section}]\n{line}\n")
    assert str(caught.value).startswith(f"{file}: [{section}]{message}")
    assert "hidden" not in str(caught.value)


def test_values_that_can_be_are_taken(file):
    lines = [
        '[fetch]\nlogins = ["a.test basic me env:NOWHERE", "b.test bearer file:/nowhere"]',
        '[search]\ncountry = "uk"\nrank = "topic:cats"\n[answers]\ntime_zone = "Europe/Berlin"',
    ]
    config = loaded(file, "\n".join(lines))
    assert len(config.fetch.logins) == 2, "secrets are read when they are needed"
    assert (config.search.country, config.search.rank) == ("uk", "topic:cats")


def test_choices_are_what_the_code_knows():
    choices = {
        one.name: set(one.metadata["choices"]) for _, one in Config.settings() if one.metadata["choices"]
    }
    assert choices == {
        "url_order": set(ORDERS),
        "scheme": set(SCHEMES),
        "algorithm": {*ALGORITHMS, AUTO},
        "clusters": set(LINKAGES),
    }
