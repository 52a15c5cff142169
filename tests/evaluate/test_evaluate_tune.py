"""Tuning by what is held out: what it finds, what it must not look at, and how it is cut short."""

from __future__ import annotations

import pytest
from judged_folder import titles_mislead

from gossamer.config import Config
from gossamer.evaluate import tune as trials
from gossamer.evaluate.indexed import indexed
from gossamer.evaluate.judged_collection import read_collection
from gossamer.evaluate.run import evaluate
from gossamer.evaluate.tunable import configured, parameters
from gossamer.evaluate.tune import Trials, TuningTask, folds, tune
from gossamer.model import UsageError

WISH = TuningTask(parameters(["title_weight", "headings_weight"]), ["MRR"], folds=4, restarts=0)


@pytest.fixture
def collection(tmp_path):
    return read_collection(titles_mislead(tmp_path / "titles"))


def test_several_collections_are_held_out_one_by_one(tmp_path):
    two = [read_collection(titles_mislead(tmp_path / name)) for name in "ab"]
    found = tune(two, Config(), WISH)
    assert [one.collection for one in found.held_out] == ["a", "b"]
    for one in found.held_out:
        assert (one.measures["MRR"].before, one.measures["MRR"].after) == (0.5, 1.0)
        assert one.measures["MRR"].p_randomised == 2 / 2**8
    assert found.chosen["weighting.title_weight"] < 1.5 < found.before["weighting.title_weight"]
    assert found.idle == {"weighting.headings_weight"}
    after = evaluate(two[0], configured(Config(), found.chosen))
    assert after.measures["MRR"] == 1.0
    assert not found.stopped


def test_one_collection_is_held_out_by_folds(collection):
    found = tune([collection], Config(), WISH)
    (one,) = found.held_out
    assert [fold.name for fold in found.folds] == [f"fold {n} of 4" for n in (1, 2, 3, 4)]
    assert one.measures["MRR"].queries == 8
    assert one.measures["MRR"].after == 1.0


def test_what_is_held_out_has_no_say(collection, tmp_path):
    for planned in (folds([collection], 3), folds([collection, collection], 3)):
        for fold in planned:
            chose = {(place, query) for place, some in fold.training.items() for query in some}
            held = {(place, query) for place, some in fold.held.items() for query in some}
            assert chose
            assert held
            assert not chose & held
    together = [query for fold in folds([collection], 3) for query in fold.held[0]]
    assert sorted(together) == sorted(collection.queries)
    assert [fold.held for fold in folds([collection], 3)] == [fold.held for fold in folds([collection], 3)]


def test_too_little_to_divide(tmp_path):
    with pytest.raises(UsageError, match="at least two folds and two queries"):
        list(folds([read_collection(titles_mislead(tmp_path / "one", 1))], 5))


def test_a_trial_is_what_eval_measures(collection):
    """With so few queries and documents, nothing is sampled or cut off."""
    with indexed(collection, Config(), lambda *_: None) as ready:
        tried = Trials([ready], Config(), ["MAP", "MRR"], WISH.parameters, lambda *_: None)
        point, start = {"weighting.title_weight": 0.1}, {"weighting.title_weight": 3.0}
        whole = tried.whole(0, point)
        queries = tuple(collection.queries)
        assert tried.objective(point, start, {0: queries}) == pytest.approx(2.0)
        assert len(tried) == 2
        tried.objective(point, start, {0: queries[:3]})
        assert len(tried) == 2, "nothing is asked twice"
        assert tried.idle == {"weighting.headings_weight"}, "no document has headings"
        tried.objective({**point, "weighting.headings_weight": 7.0}, start, {0: queries})
        assert len(tried) == 2, "what changes nothing is not asked for"
    assert whole == evaluate(collection, configured(Config(), point)).per_query


def test_a_collection_that_found_nothing_before_counts_what_it_finds(collection, monkeypatch):
    monkeypatch.setattr(trials, "TRIED_QUERIES", 3)
    with indexed(collection, Config(), lambda *_: None) as ready:
        tried = Trials([ready], Config(), ["P@1"], WISH.parameters, lambda *_: None)
        ratio = tried.objective(
            {"weighting.title_weight": 0.1}, {"weighting.title_weight": 3.0}, {0: tuple(collection.queries)}
        )
    assert ratio == 2.0


@pytest.mark.parametrize("steps", [1, 12])
def test_stopped_with_what_is_known_so_far(tmp_path, steps):
    two = [read_collection(titles_mislead(tmp_path / name, 4)) for name in "ab"]
    told = []

    def observer(progress):
        if progress.what.startswith("tuning"):
            told.append((progress.done, progress.total))
            if len(told) == steps:
                raise KeyboardInterrupt

    found = tune(two, Config(), WISH, observer)
    assert found.stopped
    assert found.chosen is None
    assert len(found.held_out) == len(found.folds) == (steps - 1) // 9
    assert told[-1] == (steps, 27)


def test_nothing_to_tune(collection):
    with pytest.raises(UsageError, match="no setting is declared tunable"):
        tune([collection], Config(), TuningTask((), ["MAP"]))
