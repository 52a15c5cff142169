"""What counts because of who asks: the scores are those of the formula, and nobody's are as they were."""

from __future__ import annotations

import numpy as np
import pytest
from pages import page

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.query.conditions import AtPlace
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.scoring.feedback import NO_FEEDBACK, Feedback
from gossamer.scoring.personalisation import FADING, NO_USER_CONTEXT, UserContext, context_of
from gossamer.scoring.two_phase import TwoPhaseSearch
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
SETTINGS = SearchSettings(feedback=0.0, exact_form_boost=0.0)
PAGES = [
    page("http://a.test/", title="Jaguar", text="jaguar car engine road"),
    page("http://b.test/", title="Jaguar", text="jaguar cat of the river"),
    page("http://c.dk/", title="Jaguar", text="jaguar cat of denmark"),
]


@pytest.fixture(scope="module")
def searcher(tmp_path_factory):
    writer = SegmentWriter("xx")
    for one in PAGES:
        writer.add(one)
    index = Index(tmp_path_factory.mktemp("person"))
    index.commit(writer, np.empty(0, np.uint64), PIVOTS)
    return Searcher(0, index.snapshot(), None, 0.0)


def search_of(searcher, person, settings=SETTINGS):
    wanted = plan(parse("jaguar"), ["xx"])
    stats = searcher.snapshot.term_stats(wanted.terms)
    return TwoPhaseSearch(wanted, stats, "bm25f", "exhaustive", settings, 0.0, person=person)


def scores(searcher, person, settings=SETTINGS):
    found = search_of(searcher, person, settings).ranked([searcher], 10)
    known = dict(zip(found.candidates.pages.tolist(), found.scores.tolist(), strict=True))
    return [known[one.url.fingerprint] for one in PAGES]


def explained(searcher, person, number):
    search = search_of(searcher, person)
    found = search.ranked([searcher], 10)
    place = found.candidates.pages.tolist().index(PAGES[number].url.fingerprint)
    return search.explained(searcher, found, place), float(found.scores[place])


def test_without_a_user_context_scores_do_not_change(searcher):
    assert scores(searcher, NO_USER_CONTEXT) == scores(
        searcher, UserContext(AtPlace(hosts=("fr",)), ("x.test",))
    )


def test_the_country_multiplies_by_how_much_a_page_belongs_to_it(searcher):
    before = scores(searcher, NO_USER_CONTEXT)
    after = scores(searcher, UserContext(AtPlace(hosts=("dk",))))
    assert after == pytest.approx([before[0], before[1], before[2] * 1.15])
    strong = SearchSettings(feedback=0.0, exact_form_boost=0.0, country_strength=0.5)
    assert scores(searcher, UserContext(AtPlace(hosts=("dk",))), strong)[2] == pytest.approx(before[2] * 1.5)


def test_preferred_sites_multiply(searcher):
    before = scores(searcher, NO_USER_CONTEXT)
    after = scores(searcher, UserContext(sites=("test",)))
    assert after == pytest.approx([before[0] * 1.15, before[1] * 1.15, before[2]])


def reminding(searcher):
    """A context of the word cat alone."""
    return Feedback(tuple(searcher.snapshot.views[0].segment.dictionary.terms("cat")), (1.0,))


def test_the_last_queries_lift_what_they_remind_of(searcher):
    before = scores(searcher, NO_USER_CONTEXT)
    after = scores(searcher, UserContext(context=reminding(searcher)))
    assert after[0] == before[0]
    assert before[1] < after[1] <= before[1] * 1.5
    assert before[2] < after[2] <= before[2] * 1.5


@pytest.mark.parametrize("number", range(3))
def test_explanations_sum_up(searcher, number):
    person = UserContext(AtPlace(hosts=("dk",)), ("b.test",), reminding(searcher))
    why, score = explained(searcher, person, number)
    total = sum(one.score for one in why.contributions)
    assert score == pytest.approx(total * why.static_factor * why.country * why.preferred * why.context)
    assert why.country == pytest.approx(1.15 if number == 2 else 1.0)
    assert why.preferred == pytest.approx(1.15 if number == 1 else 1.0)
    assert (why.context > 1) == (number > 0)


def test_context_fades_and_sums_to_one():
    last, before = Feedback(("cat", "river"), (3.0, 1.0)), Feedback(("car", "cat"), (0.5, 0.5))
    made = context_of([last, NO_FEEDBACK, before], ())
    weights = dict(zip(made.terms, made.weights, strict=True))
    assert sum(weights.values()) == pytest.approx(1.0)
    assert weights["river"] / weights["car"] == pytest.approx(0.25 / (FADING**2 * 0.5))
    assert weights["cat"] / weights["river"] == pytest.approx((0.75 + FADING**2 * 0.5) / 0.25)


def test_words_of_the_query_add_no_context():
    assert context_of([Feedback(("cat",), (1.0,))], {"cat"}) == NO_FEEDBACK
    assert context_of([], ()) == context_of([NO_FEEDBACK], ()) == NO_FEEDBACK
