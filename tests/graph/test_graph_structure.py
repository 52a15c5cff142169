"""The bow tie, dead ends, traps and periods: by hand, by definition, and against networkx."""

from math import gcd

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.graph.build import graph_of
from gossamer.graph.structure.bow_tie import BowTiePart, bow_tie, find_periods, largest, spread, strong, weak
from gossamer.graph.structure.random_walk import findings, walk
from gossamer.graph.structure.report import STEPS, examine
from gossamer.graph.transpose import outward
from gossamer.model.graph import LinkGraph

FULL = [(0, 1), (0, 2), (0, 3), (1, 0), (1, 3), (2, 0), (3, 1), (3, 2)]
DEAD_END = [link for link in FULL if link != (2, 0)]
TRAP = [*DEAD_END, (2, 2)]

nodes = st.integers(0, 8)
webs = st.lists(st.tuples(nodes, nodes), max_size=30).map(lambda pairs: graph_of(pairs, 9))


def links_of(graph):
    targets = np.repeat(np.arange(graph.pages), np.diff(graph.starts))
    return list(zip(graph.sources.tolist(), targets.tolist(), strict=True))


def networkx_of(graph):
    web = networkx.DiGraph()
    web.add_nodes_from(range(graph.pages))
    web.add_edges_from(links_of(graph))
    return web


def parts_of(graph):
    return bow_tie(graph, outward(graph), strong(graph))


def walk_of(graph):
    components = strong(graph)
    return walk(graph, outward(graph), components, largest(graph, components))


def renumbered(graph, order):
    """The same pages and links with other numbers for the nodes: node i becomes order[i]."""
    moved = graph_of([(order[source], order[target]) for source, target in links_of(graph)], graph.pages)
    fingerprints = np.empty(graph.pages, np.uint64)
    fingerprints[order] = graph.fingerprints
    return LinkGraph(fingerprints, moved.starts, moved.sources, moved.out_degrees)


# The bow tie


def test_every_part_of_the_bow_tie():
    core, into, out = [(0, 1), (1, 2), (2, 0)], [(3, 0)], [(2, 4)]
    tendrils = [(3, 5), (6, 4)]
    tube, fringe, island = [(3, 7), (7, 4)], [(8, 5)], [(9, 10)]
    found = parts_of(graph_of([*core, *into, *out, *tendrils, *tube, *fringe, *island]))
    expected = [BowTiePart.CORE] * 3 + [
        BowTiePart.IN,
        BowTiePart.OUT,
        BowTiePart.TENDRIL_IN,
        BowTiePart.TENDRIL_OUT,
        BowTiePart.TUBE,
        BowTiePart.FRINGE,
    ]
    assert found.parts.tolist() == [*expected, BowTiePart.ISLAND, BowTiePart.ISLAND]
    assert found.sizes == (3, 1, 1, 1, 1, 1, 1, 2)
    assert found.islands == 1
    assert found.share(BowTiePart.CORE) == pytest.approx(3 / 11)


def test_a_graph_without_pages_has_no_parts():
    found = parts_of(graph_of([]))
    assert sum(found.sizes) == 0
    assert found.share(BowTiePart.CORE) == 0


def test_without_circles_there_is_no_core_and_all_pages_are_on_islands():
    graph = graph_of([(0, 1), (0, 2), (1, 2), (3, 4)], 6)
    found = parts_of(graph)
    assert found.parts.tolist() == [BowTiePart.ISLAND] * 6
    assert found.sizes == (0, 0, 0, 0, 0, 0, 0, 6)
    assert found.islands == 3
    assert walk_of(graph).period == 0


def test_a_page_that_links_to_itself_is_a_core_before_all_that_do_not():
    found = parts_of(graph_of([(0, 1), (0, 2), (3, 3), (3, 4)], 5))
    assert found.parts.tolist() == [BowTiePart.ISLAND] * 3 + [BowTiePart.CORE, BowTiePart.OUT]


@given(webs)
def test_the_parts_are_those_of_the_definition(graph):
    web, found = networkx_of(graph), parts_of(graph)
    core = set(np.flatnonzero(found.parts == BowTiePart.CORE).tolist())
    if networkx.is_directed_acyclic_graph(web):
        assert not core
        assert set(found.parts.tolist()) == {BowTiePart.ISLAND}
        assert found.islands == networkx.number_weakly_connected_components(web)
        return
    assert len(core) > 1 or web.has_edge(*core, *core)
    assert core in list(networkx.strongly_connected_components(web))
    assert len(core) == max(map(len, networkx.strongly_connected_components(web)))
    one = next(iter(core))
    before, behind = networkx.ancestors(web, one) - core, networkx.descendants(web, one) - core
    linked = next(group for group in networkx.weakly_connected_components(web) if one in group)
    from_in = {node for start in before for node in networkx.descendants(web, start)}
    to_out = {node for end in behind for node in networkx.ancestors(web, end)}
    for node in range(graph.pages):
        if node in core:
            expected = BowTiePart.CORE
        elif node in before or node in behind:
            expected = BowTiePart.IN if node in before else BowTiePart.OUT
        elif node in from_in or node in to_out:
            both = node in from_in and node in to_out
            expected = (
                BowTiePart.TUBE
                if both
                else BowTiePart.TENDRIL_IN
                if node in from_in
                else BowTiePart.TENDRIL_OUT
            )
        else:
            expected = BowTiePart.FRINGE if node in linked else BowTiePart.ISLAND
        assert found.parts[node] == expected


@given(webs)
def test_components_are_those_of_networkx(graph):
    web = networkx_of(graph)
    for found, expected in (
        (strong(graph), networkx.strongly_connected_components(web)),
        (weak(graph), networkx.weakly_connected_components(web)),
    ):
        members = (np.flatnonzero(found.labels == label) for label in range(len(found.sizes)))
        groups = {frozenset(nodes.tolist()) for nodes in members}
        assert groups == set(map(frozenset, expected))


# The walk


def test_the_full_web_is_ergodic():
    found = walk_of(graph_of(FULL))
    assert (found.irreducible, found.period, found.ergodic) == (True, 1, True)
    assert not len(found.dead_ends)
    assert not found.traps


def test_a_dead_end():
    found = walk_of(graph_of(DEAD_END))
    assert found.dead_ends.tolist() == [2]
    assert not found.traps
    assert not found.ergodic


def test_a_page_that_links_to_itself_alone_is_a_trap():
    found = walk_of(graph_of(TRAP))
    (trap,) = found.traps
    assert (trap.nodes.tolist(), trap.entrances, trap.period) == ([2], 2, 1)
    assert not len(found.dead_ends)


def test_two_pages_that_link_to_each_other_are_periodic():
    found = walk_of(graph_of([(0, 1), (1, 0)]))
    assert (found.irreducible, found.period, found.ergodic) == (True, 2, False)
    assert not found.traps, "the whole web is no trap"
    said = {one.question: one for one in findings(found, 0.85)}
    assert not said["Is it aperiodic?"].good
    assert "multiple of 2" in said["Is it aperiodic?"].sentence
    assert "periodic" in said["Does a walk along links alone settle?"].sentence


def test_the_findings_name_the_pages_that_cause_them():
    found = walk_of(graph_of([(0, 1), (1, 0), (1, 2), (0, 3), (3, 4), (4, 3)]))
    said = {one.question: one for one in findings(found, 0.85)}
    assert said["Are there dead ends?"].nodes.tolist() == [2]
    assert said["Are there spider traps?"].nodes.tolist() == [3]
    assert said["Is it aperiodic?"].nodes.tolist() == [3]
    assert "period 2" in said["Is it aperiodic?"].sentence
    assert not said["Is it enough to jump from dead ends to any page?"].good
    assert "86 steps" in said["What makes PageRank's walk ergodic?"].sentence


def test_jumps_from_dead_ends_can_be_enough():
    said = {one.question: one for one in findings(walk_of(graph_of(DEAD_END)), 1.0)}
    assert said["Is it enough to jump from dead ends to any page?"].good
    assert said["Is it aperiodic?"].good is None, "nobody stays anywhere"


@pytest.mark.parametrize(
    ("links", "good", "words"),
    [
        (FULL, True, "Links alone"),
        (DEAD_END, True, "Jumps from dead ends"),
        (TRAP, False, "Nothing does: with beta 1 the walker never jumps."),
        ([*TRAP, (0, 4)], False, "the walker jumps only from dead ends"),
        ([(0, 1), (1, 0)], False, "Nothing does: with beta 1 the walker never jumps."),
        ([], True, "Jumps from dead ends"),
    ],
)
def test_what_makes_the_walk_ergodic_with_beta_1(links, good, words):
    graph = graph_of(links, 1 if not links else None)
    said = {one.question: one for one in findings(walk_of(graph), 1.0)}["What makes PageRank's walk ergodic?"]
    assert (said.good, words in said.sentence) == (good, True)


@given(webs)
def test_with_beta_1_it_is_ergodic_when_pagerank_has_one_limit_for_all(graph):
    """Dead ends jump; a power of the matrix has no 0 exactly where the walk is irreducible and aperiodic."""
    step = np.zeros((graph.pages, graph.pages), bool)
    for source, target in links_of(graph):
        step[target, source] = True
    step[:, graph.out_degrees == 0] = True
    late = np.linalg.matrix_power(step.astype(np.float64) / graph.pages, 82) > 0
    said = {one.question: one for one in findings(walk_of(graph), 1.0)}
    assert said["What makes PageRank's walk ergodic?"].good == bool(late.all())


def test_traps_hold_the_rank_that_is_not_lost_at_dead_ends():
    lossy = {one.question: one.sentence for one in findings(walk_of(graph_of([*TRAP, (0, 4)])), 0.85)}
    whole = {one.question: one.sentence for one in findings(walk_of(graph_of(TRAP)), 0.85)}
    assert "in the end all rank that is not lost at dead ends is there" in lossy["Are there spider traps?"]
    assert whole["Are there spider traps?"].startswith("1 group of 1 page traps every walker")
    assert whole["Are there spider traps?"].endswith("in the end all rank is there.")


def test_a_page_without_links_is_no_walk():
    said = {one.question: one for one in findings(walk_of(graph_of([], 1)), 0.85)}
    assert said["Is the walk irreducible?"].good is None
    assert "one page and no link" in said["Is the walk irreducible?"].sentence
    assert said["Is it aperiodic?"].good is None
    itself = {one.question: one for one in findings(walk_of(graph_of([(0, 0)])), 0.85)}
    assert itself["Is the walk irreducible?"].good
    assert itself["Is it aperiodic?"].good


@pytest.mark.parametrize(
    ("links", "settles", "words"),
    [
        (FULL, True, "Yes: it is ergodic"),
        (DEAD_END, True, "Yes, but at 0: dead ends lose rank"),
        (TRAP, True, "Yes, but in one place"),
        ([(0, 1), (1, 0)], False, "No: it is periodic"),
        ([(0, 1), (1, 2), (2, 1)], False, "where the walk is periodic"),
        ([(0, 1), (1, 1), (0, 2), (2, 2)], False, "ends in one of the spider traps, and the proportions"),
        ([(0, 1), (1, 1), (0, 2)], False, "ends in a spider trap or is lost at a dead end"),
        ([], True, "Yes, but at 0"),
    ],
)
def test_whether_a_walk_along_links_alone_settles(links, settles, words):
    found = walk_of(graph_of(links, 1 if not links else None))
    said = {one.question: one for one in findings(found, 0.85)}
    assert found.settles == settles
    assert words in said["Does a walk along links alone settle?"].sentence


@given(webs)
def test_a_walk_settles_when_its_powers_do(graph):
    """After very many steps, and one more, from whichever page."""
    step = np.zeros((graph.pages, graph.pages))
    for source, target in links_of(graph):
        step[target, source] = 1 / graph.out_degrees[source]
    late = np.linalg.matrix_power(step, 1 << 20)
    same = np.allclose(late, late[:, :1], atol=1e-6) and np.allclose(step @ late, late, atol=1e-6)
    assert walk_of(graph).settles == same


@given(webs)
def test_traps_and_dead_ends_are_those_of_the_definition(graph):
    web, found = networkx_of(graph), walk_of(graph)
    closed = [
        group
        for group in networkx.strongly_connected_components(web)
        if all(target in group for node in group for target in web[node])
    ]
    assert set(found.dead_ends.tolist()) == {
        next(iter(group)) for group in closed if not web[next(iter(group))]
    }
    expected = {frozenset(group) for group in closed if web[next(iter(group))] and len(group) < graph.pages}
    assert {frozenset(trap.nodes.tolist()) for trap in found.traps} == expected
    for trap in found.traps:
        inside = set(trap.nodes.tolist())
        assert trap.entrances == sum(s not in inside and t in inside for s, t in links_of(graph))
    assert found.ergodic == (networkx.is_strongly_connected(web) and networkx.is_aperiodic(web))


@given(webs, st.permutations(range(9)))
def test_nothing_depends_on_the_numbers_of_nodes(graph, order):
    other = renumbered(graph, order)
    assert parts_of(other).parts[order].tolist() == parts_of(graph).parts.tolist()
    mine, theirs = walk_of(graph), walk_of(other)
    assert [order[node] for node in mine.dead_ends] == theirs.dead_ends.tolist()
    assert [[order[node] for node in trap.nodes] for trap in mine.traps] == [
        trap.nodes.tolist() for trap in theirs.traps
    ]


# Kernels against their twins


@given(webs, st.sets(nodes))
def test_spread_reaches_what_a_search_reaches(graph, begin):
    onward = outward(graph)
    reached = spread(onward, np.isin(np.arange(graph.pages), list(begin)))
    expected, waiting = set(begin), list(begin)
    while waiting:
        node = waiting.pop()
        for target in onward.targets[onward.starts[node] : onward.starts[node + 1]].tolist():
            if target not in expected:
                expected.add(target)
                waiting.append(target)
    assert set(np.flatnonzero(reached).tolist()) == expected


@given(webs)
def test_periods_divide_all_circles(graph):
    onward, components = outward(graph), strong(graph)
    periods = find_periods(onward, components.labels, len(components.sizes))
    expected = [0] * len(periods)
    for circle in networkx.simple_cycles(networkx_of(graph), length_bound=9):
        own = components.labels[circle[0]]
        expected[own] = gcd(expected[own], len(circle))
    assert periods.tolist() == expected


# All of it


def test_everything_is_asked_and_told_of():
    told = []
    found = examine(graph_of(TRAP), 0.8, told.append)
    assert [done for _, done, _ in told] == list(range(len(STEPS) + 1))
    assert found.ranks == pytest.approx(np.array([15, 19, 95, 19]) / 148, abs=1e-6)
    assert found.in_degrees.values == (1, 2, 3)
    assert found.in_degrees.law is None, "there are too few pages for a law"
    assert [farm.supporters for farm in found.farms] == [1, 4]
