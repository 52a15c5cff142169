"""Labels are phrases that tell a group from the others, as people write them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from plain_clusters import phrases, plain_phrases, roles_of

from gossamer.answer.clusters.agglomerative import ALONE, shared
from gossamer.answer.clusters.labels import (
    ASKED,
    FOUND,
    INSIDE,
    LONGEST,
    TELLING,
    Text,
    labels,
    without_site_names,
    written,
)

WORDS = st.lists(st.integers(0, 5), max_size=9)
RESULTS = st.lists(st.tuples(WORDS, WORDS, st.integers(0, 2)), min_size=2, max_size=9)
ROLES = st.lists(st.sampled_from([INSIDE, ASKED, TELLING, TELLING]), min_size=6, max_size=6)
STOP, QUERY = {"of", "the", "and", "a"}, {"jaguar"}


def grouped(results):
    """Groups 0 and 1; 2 is what is left."""
    return [
        group
        for number in (0, 1)
        if len(group := tuple(n for n, (*_, own) in enumerate(results) if own == number)) > 1
    ]


def laid_out(results):
    texts = [words for title, text, _ in results for words in (title, text)]
    return shared(
        np.array([word for words in texts for word in words], np.int64), np.cumsum([0, *map(len, texts)])
    )


@given(RESULTS, ROLES)
def test_kernel_and_plain_python_find_the_same(results, roles):
    found, groups = laid_out(results), grouped(results)
    own = np.array(roles)[found.names]
    assert phrases(found, own, groups) == plain_phrases(found, own, groups)


@given(RESULTS, ROLES)
def test_what_a_phrase_may_be(results, roles):
    found, groups = laid_out(results), grouped(results)
    own = np.array(roles)[found.names]
    told = phrases(found, own, groups)
    for best, group in zip(told, groups, strict=True):
        assert len(best) <= FOUND
        assert [one.score for one in best] == sorted([one.score for one in best], reverse=True)
        for one in best:
            terms = found.terms[one.first :][: len(one.terms)].tolist()
            assert list(one.terms) == terms
            assert 1 <= len(terms) <= LONGEST
            assert ALONE not in terms
            assert INSIDE not in {own[terms[0]], own[terms[-1]]}
            assert TELLING in {own[term] for term in terms}
            holders = [n for n in group if holds(found, n, terms)]
            assert len(holders) > 1


def holds(found, result, terms):
    for stretch in (2 * result, 2 * result + 1):
        own = found.terms[found.starts[stretch] : found.starts[stretch + 1]].tolist()
        if any(own[at : at + len(terms)] == terms for at in range(len(own))):
            return True
    return False


def told(texts, groups):
    """The labels of groups of results that are a line of text each."""
    words = [text.lower().replace(",", "").split() for text in texts]
    numbers = {word: n for n, word in enumerate(dict.fromkeys(word for line in words for word in line))}
    names = np.array([numbers[word] for line in words for word in line], np.int64)
    found = shared(names, np.repeat(np.cumsum([0, *map(len, words)]), 2)[1:])
    shown = list(numbers)
    asked = np.array([shown[name] in QUERY for name in found.names.tolist()], np.bool_)
    weights = np.array([shown[name] not in STOP | QUERY for name in found.names.tolist()], np.int64)
    best = phrases(found, roles_of(weights, asked), groups)
    return labels(
        best, groups, texts.__getitem__, lambda one: [shown[n] for n in names[one.first :][: len(one.terms)]]
    )


def test_senses_are_named_as_they_are_written():
    texts = [
        "the Jaguar cars of Coventry",
        "Jaguar cars and the wood in them",
        "Atari Jaguar, a games console",
        "the Atari Jaguar of 1993",
    ]
    assert told(texts, [(0, 1), (2, 3)]) == ["Jaguar cars", "Atari Jaguar"]


def test_words_of_the_query_alone_name_nothing():
    assert told(["the jaguar", "a jaguar", "jaguar of the"], [(0, 1, 2)]) == [""]


def test_no_two_groups_have_the_same_name():
    texts = ["snow leopard cold", "snow leopard cold", "leopard snow warm", "leopard warm"]
    assert told(texts, [(0, 1), (2, 3)]) == ["snow leopard", "warm"]


def test_words_that_a_comma_parts_are_no_phrase():
    assert written(["panthers", "leopards"], map(Text.of, ["Panthers, leopards", "panthers, leopards"])) == ""
    assert written(["panthers"], map(Text.of, ["Blackpanthers", "black panthers, leopards"])) == "panthers"


def test_scripts_without_spaces():
    assert written(["京都", "都市"], map(Text.of, ["京都市の歴史"])) == "京都市"
    assert written(["京都"], map(Text.of, ["古い京都"])) == "京都"


def test_long_phrases_are_no_labels():
    assert written(["x" * 30, "y" * 30], map(Text.of, [f"{'x' * 30} {'y' * 30}"])) == ""


def test_site_names_are_taken_off():
    titles = ["A | Site", "B | Site", "C | Other", "D", "", " | Site", "E - F - Site | Site"]
    assert without_site_names(titles) == ["A", "B", "C | Other", "D", "", " | Site", "E - F - Site"]


def test_a_longer_phrase_that_is_nearly_as_good_is_taken():
    texts = ["Jaguar cars", "cars of the jaguar", "cars and Jaguar cars", "the wood"]
    assert told(texts, [(0, 1, 2)]) == ["Jaguar cars"]
    assert told(["cars of old", "cars and wood", "fast cars", "old wood"], [(0, 1, 2)]) == ["cars"]
