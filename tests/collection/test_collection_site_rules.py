"""The owner's rules for sites: what a line says, and which of them counts for a host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.collection.site_rules import SiteRule, SiteRuleTable, block, boost, read_lines, read_pattern
from gossamer.model import BadSetting


def book(*lines):
    return SiteRuleTable(tuple(line.rule for line in read_lines("\n".join(lines)) if line.rule))


def test_a_host_stands_for_itself_and_a_star_for_what_is_below_too():
    rules = book("block spam.example", "block *.farm.example")
    blocked = {"spam.example", "farm.example", "a.farm.example", "b.a.farm.example"}
    others = {"www.spam.example", "notspam.example", "myfarm.example", "example"}
    assert {host for host in blocked | others if rules.blocks(host)} == blocked


def test_ports_are_passed_over():
    rules = book("block spam.example", "boost [::1] 2")
    assert rules.blocks("spam.example:8080")
    assert rules.factor("[::1]:8000") == rules.factor("[::1]") == 2


def test_the_nearest_rule_counts():
    rules = book(
        "block *.example", "boost *.good.example 3", "boost good.example 1", "block bad.good.example"
    )
    assert [rules.factor(host) for host in ("x.example", "good.example", "a.good.example")] == [0, 1, 3]
    assert rules.blocks("bad.good.example")
    assert not rules.blocks("a.bad.good.example")
    assert rules.factor("elsewhere.test") == 1


def test_of_two_rules_for_one_pattern_the_later_counts():
    assert book("boost a.test 2", "block a.test").blocks("a.test")
    assert book("block a.test", "boost a.test 2").factor("a.test") == 2


def test_no_rules_change_nothing():
    nothing = book("# nothing", "")
    assert not nothing
    assert not nothing.blocks("a.test")
    assert nothing.factor("a.test") == 1


def test_lines_are_understood_as_people_write_them():
    lines = list(
        read_lines("# sites\n\n  block   HTTPS://Spam.Example/page  # why\nboost *.bücher.example 0.5\n")
    )
    assert [line.rule for line in lines] == [
        None,
        None,
        SiteRule("block", "spam.example"),
        SiteRule("boost", "*.xn--bcher-kva.example", 0.5),
    ]
    assert not any(line.mistake for line in lines)


@pytest.mark.parametrize(
    "text",
    ["block", "block a b", "boost a.test", "boost a.test x", "boost a.test 11", "boost a.test 0.05",
     "boost a.test nan", "boost a.test inf", "boost a.test -1", "allow a.test", "block *", "block *.",
     "block a.*.test", "block http://", "block @"],
)  # fmt: skip
def test_a_mistake_is_told_and_costs_only_its_line(text):
    first, second = read_lines(f"{text}\nblock b.test")
    assert first.rule is None
    assert first.mistake
    assert second.rule == block("b.test")


def test_a_rule_is_written_as_it_is_read():
    for rule in (block("*.a.test"), boost("a.test", 2.0), boost("b.test", 0.25)):
        assert [line.rule for line in read_lines(rule.line)] == [rule]


@pytest.mark.parametrize("factor", [0.0, 0.09, 10.5, float("nan"), float("inf")])
def test_factors_have_limits(factor):
    with pytest.raises(BadSetting, match=r"from 0\.1 to 10"):
        boost("a.test", factor)


def test_what_is_no_host_is_told():
    with pytest.raises(BadSetting, match="is not a host"):
        read_pattern("two words")


LABELS = st.sampled_from("a b c".split())
HOSTS = st.lists(LABELS, min_size=1, max_size=4).map(lambda labels: ".".join([*labels, "test"]))
PATTERNS = st.tuples(st.booleans(), HOSTS).map(lambda one: f"*.{one[1]}" if one[0] else one[1])
RULES = st.tuples(PATTERNS, st.sampled_from([0.0, 0.5, 2.0])).map(
    lambda one: SiteRule("boost" if one[1] else "block", one[0], one[1])
)


def plainly(rules, host):
    """The rule for a host, by trying all: the longest name that matches, its own before a star, the last."""
    matching = [
        (len(rule.pattern.removeprefix("*.")), not rule.pattern.startswith("*."), place, rule)
        for place, rule in enumerate(rules)
        if rule.pattern == host
        or (rule.pattern.startswith("*.") and f".{host}".endswith(rule.pattern.removeprefix("*")))
    ]
    return max(matching, key=lambda one: one[:3])[3] if matching else None


@given(st.lists(RULES, max_size=8), st.lists(HOSTS, min_size=1, max_size=8))
def test_looking_up_equals_trying_all(rules, hosts):
    found = SiteRuleTable(tuple(rules))
    for host in hosts:
        assert found.of(host) == found.of(host) == plainly(rules, host)
