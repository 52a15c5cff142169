"""The page of a report: whole, well-formed, and safe whatever pages call themselves."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.graph.structure.degrees import PowerLaw
from gossamer.graph.structure.report import (
    CommunityReport,
    DegreeReport,
    FindingReport,
    GraphReport,
    NamedPage,
    PartReport,
    TrapReport,
)
from gossamer.graph.structure.spam_farm import calculate
from gossamer.graph_report.html import render
from gossamer.graph_report.pictures import NAMES, bow_tie_picture, degree_picture, element, ring_picture
from gossamer.graph_report.wording import (
    core_sentence,
    farm_sentence,
    law_sentence,
    percent,
    unfetched_sentence,
)

HOSTILE = NamedPage(
    'javascript:alert(1)//"><script>alert(2)</script>', "</title><script>x()</script>&", 3, 0.1
)
GOOD = NamedPage("http://a.test/?q=1&b=\"'<>", "A <b>bold</b> title", 7, 0.2)
LAW = PowerLaw(2.1, 0.05, 2, 80, 0.03, 0.4, True, "neither")
DEGREES = DegreeReport(2.5, 9, 4, (1, 2, 5, 9), (0.9, 0.5, 0.2, 0.01), LAW)
SIZES = (40, 20, 20, 5, 5, 2, 1, 7)
PARTS = tuple(PartReport(name, size, size / 100) for name, size in zip(NAMES, SIZES, strict=True))
REPORT = GraphReport(
    level="pages",
    pages=100,
    links=250,
    beta=0.85,
    bow_tie=PARTS,
    islands=3,
    components=61,
    period=1,
    ergodic=False,
    findings=(
        FindingReport("Are there dead ends?", False, "4 pages have no links out.", (HOSTILE, GOOD)),
        FindingReport("Is it aperiodic?", True, "Yes.", ()),
    ),
    dead_end_count=4,
    unfetched_dead_ends=2,
    dead_ends=(HOSTILE, GOOD),
    trap_count=12,
    traps=(TrapReport(2, 5, 2, 0.3, (HOSTILE,)),),
    in_degrees=DEGREES,
    out_degrees=replace(DEGREES, law=None),
    modularity=0.6,
    community_count=2,
    communities=(
        CommunityReport(60, 100, 20, (("<i>host</i>.test", 0.9), ("b.test", 0.01)), (GOOD,)),
        CommunityReport(40, 90, 20, (), (HOSTILE,)),
    ),
    between=((100, 12), (8, 90)),
    farms=(replace(calculate(110, 10, 0, 0.85), place=1),),
)


class Reader(HTMLParser):
    """What a browser would make of the page."""

    def __init__(self):
        super().__init__()
        self.tags, self.links, self.open = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in {"href", "src", "xlink:href"}]
        self.open += [] if tag in {"meta"} else [tag]
        assert not [name for name, _ in attributes if name.startswith("on")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(page):
    reader = Reader()
    reader.feed(page)
    assert not reader.open
    return reader


def test_the_page_is_whole_and_asks_for_nothing():
    reader = read(render(REPORT, "my-search", now=0))
    assert "script" not in reader.tags
    assert not {"img", "link", "iframe", "object"} & set(reader.tags)
    assert reader.tags.count("svg") == 5
    outside = {link for link in reader.links if not link.startswith("#")}
    assert outside == {GOOD.url}, "what is no web address is no link"


def test_what_pages_call_themselves_is_text():
    page = render(REPORT, "<b>mine</b>", now=0)
    assert "<b>" not in page
    assert "<i>host" not in page
    assert "&lt;script&gt;" in page
    assert "1970-01-01" in page


@pytest.mark.parametrize("level", ["hosts", "domains"])
def test_the_page_speaks_of_what_was_asked_for(level):
    page = render(replace(REPORT, level=level), "x")
    assert f"Seen as {level}:" in page
    assert f"every {level[:-1]} can be reached from every {level[:-1]}" in page
    assert f"How many links has a {level[:-1]}?" in page


def test_what_cannot_be_said_is_neither_good_nor_bad():
    nothing = FindingReport("Is it aperiodic?", None, "Nothing can be said.", ())
    page = render(replace(REPORT, findings=(nothing,)), "x")
    assert '<li class="open">' in page
    assert '<li class="good">' not in page


def test_hosts_are_parted_only_where_another_follows():
    """The second host has a hundredth of the first community, and is left out."""
    page = render(REPORT, "x", now=0)
    assert "90%" in page
    assert "90% ·" not in page


def test_small_parts_of_the_picture_have_the_figures_of_the_table():
    few = replace(REPORT.bow_tie[5], pages=1, share=0.00003)
    picture = str(bow_tie_picture((*PARTS[:5], few, *PARTS[6:])))
    assert "1 · 0.003%" in picture


def test_dead_ends_that_nobody_read_are_told():
    assert unfetched_sentence(REPORT).startswith("Of 4 dead ends 2 were not fetched")
    assert unfetched_sentence(replace(REPORT, unfetched_dead_ends=0)) == ""


def test_simulations_that_did_not_converge_are_told():
    assert farm_sentence(REPORT) == ""
    restless = replace(REPORT, beta=0.9999, farms=(replace(REPORT.farms[0], converged=False),))
    assert farm_sentence(restless).startswith(
        "With beta 0.9999 the simulation did not converge for 10 supporting"
    )
    assert farm_sentence(restless) in render(restless, "x")


def test_a_report_with_nothing_in_it_is_a_page_too():
    bare = replace(
        REPORT, findings=(), dead_ends=(), traps=(), communities=(), between=(), farms=(), community_count=0,
        in_degrees=DegreeReport(0.0, 0, 100, (), (), None),
    )  # fmt: skip
    read(render(bare, "bare"))


def parts(shares):
    return tuple(
        PartReport(name, round(1e6 * share), share) for name, share in zip(NAMES, shares, strict=True)
    )


@given(st.lists(st.integers(0, 1000), min_size=8, max_size=8).filter(any))
def test_the_bow_tie_fits_whatever_its_parts(sizes):
    whole = sum(sizes)
    root = ET.fromstring(bow_tie_picture(parts([size / whole for size in sizes])))
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    space = "{http://www.w3.org/2000/svg}"
    for one in root.iter(f"{space}circle"):
        x, y, r = (float(one.attrib[name]) for name in ("cx", "cy", "r"))
        assert x - r >= 0
        assert x + r <= width
        assert y - r >= 0
        assert y + r <= height
    for one in root.iter(f"{space}polygon"):
        numbers = list(map(float, one.attrib["points"].split()))
        assert min(numbers) >= 0
        assert max(numbers[0::2]) <= width


def test_areas_are_shares():
    root = ET.fromstring(bow_tie_picture(parts([0.5, 0, 0, 0.125, 0.375, 0, 0, 0])))
    radii = [float(one.attrib["r"]) for one in root.iter("{http://www.w3.org/2000/svg}circle")]
    assert sorted((radius / max(radii)) ** 2 for radius in radii) == pytest.approx([0.25, 0.75, 1], abs=0.01)


@given(st.lists(st.integers(1, 10**7), max_size=400, unique=True), st.booleans())
def test_plots_are_drawn_of_any_numbers(values, fitted):
    values = tuple(sorted(values))
    shares = tuple((len(values) - place) / len(values) for place in range(len(values)))
    law = replace(LAW, x_min=values[len(values) // 2]) if values and fitted else None
    ET.fromstring(degree_picture(DegreeReport(1.0, max(values, default=0), 0, values, shares, law), "links"))


def test_the_ring_of_one_and_of_none():
    for count in (0, 1, 2):
        ET.fromstring(
            ring_picture(REPORT.communities[:count], tuple(row[:count] for row in REPORT.between[:count]))
        )


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])))
def test_elements_are_escaped(words):
    made = ET.fromstring(element("text", words, aria_label=words))
    assert (made.text or "") == words
    assert made.attrib["aria-label"] == words


def test_words_for_laws_and_cores():
    assert "plausible" in law_sentence(DEGREES)
    poor = replace(DEGREES, law=replace(LAW, plausible=False, p=0.0, rival="log-normal"))
    assert "poor fit: none" in law_sentence(poor)
    assert "log-normal describes the tail better" in law_sentence(poor)
    assert "too few" in law_sentence(replace(DEGREES, law=None))
    none = core_sentence(replace(REPORT, bow_tie=parts([0, 0, 0, 0, 0, 0, 0, 1])))
    assert none.startswith("There is no core")
    assert none.endswith("all pages are on 3 islands.")
    alone = core_sentence(replace(REPORT, bow_tie=parts([1e-6, 0, 0, 0, 0, 0, 0, 1 - 1e-6])))
    assert "1 page (0.0001%) links to itself, and is the core" in alone
    assert percent(0.00042) == "0.042%"
