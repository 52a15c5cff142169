"""Results fall apart into groups, each of which can be asked for; the same groups whatever page is shown."""

from __future__ import annotations

import pytest

from gossamer import Engine
from gossamer.answer.as_dict import as_dict
from gossamer.answer.clusters import cluster as cluster_words
from gossamer.answer.instant.answer import InstantAnswers
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page
from gossamer.model import BadSetting, InstantAnswer

SETTINGS = {
    "frontier": {"delay": 0.0},
    "extract": {"workers": 0},
    "search": {"results_per_host": 0, "fold_threshold": 0.4},
}
SENSES = {
    "Jaguar cars": "Jaguar cars are built in Coventry with leather seats and a six cylinder engine",
    "Atari Jaguar": "the Atari Jaguar plays cartridges on a television through a graphics processor",
    "Mayan jaguar": "a Mayan jaguar stands for the ruler on pyramids and painted pottery",
}
PAGES = 7  # of each sense


def own_words(sense, n):
    return [f"w{sense}x{n}x{i}" for i in range(50)]


def web():
    routes = {
        f"/{sense}/{n}": page(f"{label} {n} - Site", f"{text} {' '.join(own_words(sense, n))}")
        for sense, (label, text) in enumerate(SENSES.items())
        for n in range(PAGES)
    }
    words = own_words(0, 0)
    copy = " ".join([*words[:25], "three", "other", "words", *words[28:]])
    routes["/copy"] = page("Jaguar cars again - Site", f"{SENSES['Jaguar cars']} {copy}")
    routes["/quiet"] = page("Quiet", "hush nobody speaks")
    return ScriptedWeb({"site.test": ScriptedHost({"/": page("All", "start here", list(routes)), **routes})})


def collection(folder, partitions=1, **search):
    settings = {**SETTINGS, "search": {**SETTINGS["search"], **search}}
    engine = Engine.open(folder, create=True, partitions=partitions, settings=settings)
    if not engine.status().documents:
        engine.crawl(["http://site.test/"], transport=ScriptedTransport(web()))
    return engine


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("groups") / "c"
    collection(folder).close()
    return folder


@pytest.fixture(scope="module")
def engine(folder):
    with collection(folder) as engine:
        yield engine


@pytest.fixture(scope="module")
def of_hosts(tmp_path_factory):
    """A host for each sense."""
    hosts = {}
    for sense, (label, text) in enumerate(SENSES.items()):
        own = {f"/{n}": page(f"{label} {n}", f"{text} {' '.join(own_words(sense, n))}") for n in range(PAGES)}
        hosts[f"{sense}.test"] = ScriptedHost({"/": page("All", "start here", list(own)), **own})
    with Engine.open(tmp_path_factory.mktemp("hosts") / "c", create=True, settings=SETTINGS) as engine:
        engine.crawl([f"http://{host}/" for host in hosts], transport=ScriptedTransport(ScriptedWeb(hosts)))
        yield engine


def shown(answer):
    return [(cluster.label, cluster.count) for cluster in answer.clusters]


def test_every_sense_is_a_group(engine):
    found = engine.search("jaguar", clusters=True)
    assert {label for label, _ in shown(found)} == set(SENSES)
    assert all(count == PAGES for _, count in shown(found))
    for cluster in found.clusters:
        assert len(cluster.titles) == 3
        assert all(title.startswith(cluster.label) for title in cluster.titles)
    assert not engine.search("jaguar").clusters


def test_what_has_an_answer_has_no_groups_on_any_page(engine, monkeypatch):
    answer = InstantAnswer("arithmetic", "jaguar", "4")
    monkeypatch.setattr(InstantAnswers, "answers", lambda self, text: (answer,))
    first, second = (engine.search("jaguar", 10, offset, clusters=True) for offset in (0, 10))
    assert (first.answers, second.answers) == ((answer,), ())
    assert first.clusters == second.clusters == ()
    assert second.hits


def test_a_group_can_be_asked_for(engine):
    found = engine.search("jaguar", clusters=True)
    for cluster in found.clusters:
        own = engine.search("jaguar", cluster=cluster.label)
        assert len(own.hits) == cluster.count == own.total
        assert own.folded == 0
        assert sum(len(hit.similar) for hit in own.hits) == (cluster.label == "Jaguar cars")
        assert all(hit.title.startswith(cluster.label) for hit in own.hits)
        assert own.clusters == found.clusters
        assert not own.notes
        assert [hit.rank for hit in own.hits] == list(range(1, PAGES + 1))
        assert engine.search("jaguar", cluster=f" {cluster.label.upper()}").hits == own.hits


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("k", [1, 3, 20])
def test_pages_of_a_group_are_cut_from_one_list(engine, k, everything):
    how = {"cluster": "Jaguar cars", "everything": everything}
    whole = engine.search("jaguar", 100, **how)
    pages = [engine.search("jaguar", k, offset, **how) for offset in range(0, len(whole.hits), k)]
    assert [hit for answer in pages for hit in answer.hits] == list(whole.hits)
    assert {answer.total for answer in pages} == {whole.total}
    assert {answer.clusters for answer in pages} == {whole.clusters}


@pytest.mark.parametrize("offset", [0, 10, 20, 500])
def test_groups_are_the_same_on_every_page(engine, offset):
    first = engine.search("jaguar", clusters=True)
    assert engine.search("jaguar", 10, offset, clusters=True).clusters == first.clusters


def test_the_newest_of_a_group_are_those_of_the_group_by_date(engine):
    by_score = engine.search("jaguar", 100, cluster="Atari Jaguar", facets=True)
    by_date = engine.search("jaguar", 3, newest_first=True, cluster="Atari Jaguar", facets=True, explain=True)
    rest = engine.search("jaguar", 100, 3, newest_first=True, cluster="Atari Jaguar")
    listed = [*by_date.hits, *rest.hits]
    assert by_date.notes == ()
    assert by_date.clusters == by_score.clusters == engine.search("jaguar", clusters=True).clusters
    assert engine.search("jaguar", 1, newest_first=True, clusters=True).clusters == by_date.clusters
    assert {hit.url for hit in listed} == {hit.url for hit in by_score.hits}
    assert listed == sorted(listed, key=lambda hit: (-hit.fetched_at, hit.fingerprint))
    assert [hit.rank for hit in listed] == list(range(1, PAGES + 1))
    assert by_date.total == PAGES
    scores = {hit.url: hit.score for hit in engine.search("jaguar", 100, newest_first=True).hits}
    assert all(hit.score == scores[hit.url] for hit in listed)


@pytest.mark.parametrize("newest", [False, True])
def test_filters_count_what_they_find_because_they_leave_the_group(of_hosts, newest):
    everything = of_hosts.search("jaguar", facets=True).facets
    counts = {facet.value: facet.count for facet in everything if facet.kind == "site"}
    assert counts == {f"{sense}.test": PAGES for sense in range(len(SENSES))}
    chosen = of_hosts.search("jaguar", cluster="Atari Jaguar", facets=True, newest_first=newest)
    assert (chosen.total, chosen.facets) == (PAGES, everything)
    for host, count in counts.items():
        assert of_hosts.search(f"jaguar site:{host}", newest_first=newest).total == count


def test_an_unknown_group_is_said_and_everything_shown(engine):
    found = engine.search("jaguar", cluster="Jaguar planes")
    assert found.hits == engine.search("jaguar").hits
    assert found.total == engine.search("jaguar").total
    (note,) = found.notes
    assert "Jaguar planes" in note


def test_results_that_do_not_fall_apart_have_no_groups(engine):
    for query in ("coventry", "hush", "nothinglikethis", "leather seats engine"):
        assert engine.search(query, clusters=True).clusters == (), query


def test_partitions_make_no_difference(engine, tmp_path):
    expected = engine.search("jaguar", clusters=True)
    with collection(tmp_path / "c", partitions=3) as other:
        assert other.search("jaguar", clusters=True).clusters == expected.clusters


def test_single_linkage_can_be_chosen(folder):
    with collection(folder, clusters="single") as engine:
        assert {label for label, _ in shown(engine.search("jaguar", clusters=True))} == set(SENSES)
    with pytest.raises(BadSetting, match=r"\[search\] clusters must be one of average, single, not 'magic'"):
        collection(folder, clusters="magic")


def test_json_has_the_groups(engine):
    told = as_dict(engine.search("jaguar", clusters=True))["clusters"]
    assert {one["label"] for one in told} == set(SENSES)
    assert as_dict(engine.search("jaguar"))["clusters"] == []


def test_words_that_were_learned_beforehand_are_not_met_again(folder, monkeypatch):
    with collection(folder) as fresh:
        fresh.warm_up()
        asked = []
        rarities = cluster_words.rarities
        monkeypatch.setattr(cluster_words, "rarities", lambda *how: asked.append(how) or rarities(*how))
        learned = shown(fresh.search("jaguar", clusters=True))
    with collection(folder) as plain:
        assert shown(plain.search("jaguar", clusters=True)) == learned
    assert len(asked) == 1, "only the engine that did not warm up had to ask"
