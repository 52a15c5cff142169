"""Mirror hosts, and hosts that only resemble mirrors."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from pages import url

from gossamer.crawl.hosts import mirrors as module
from gossamer.crawl.hosts.mirrors import Mirrors
from gossamer.duplicates.settings import QualitySettings

SETTINGS = QualitySettings()


def learned(copies, own, settings=SETTINGS, mirror="b.test", original="a.test"):
    """A host with some copies of another under the same path, and some pages of its own."""
    mirrors = Mirrors(settings)
    copy(mirrors, copies, mirror, original)
    for number in range(own):
        mirrors.observe(url(f"http://{mirror}/own/{number}"), None)
    return mirrors


def copy(mirrors, pages, mirror, original, again=False):
    for number in range(pages):
        page = url(f"http://{mirror}/p/{number}?q")
        mirrors.observe(page, url(f"https://{original}/p/{number}?q"), again)


def test_a_mirror():
    mirrors = learned(20, 2)
    assert mirrors.mirror_of("b.test") == "a.test"
    assert mirrors.mirror_of("a.test") is None
    assert mirrors.mirror_of("unknown.test") is None
    told = "a mirror of a.test: 20 of 22 pages are copies of those under the same path of a.test"
    assert mirrors.evidence("b.test") == told
    assert mirrors.evidence("a.test") == mirrors.evidence("unknown.test") == ""


def test_too_few_pages():
    mirrors = learned(19, 0)
    assert mirrors.mirror_of("b.test") is None
    assert mirrors.evidence("b.test").startswith("not a mirror: 19 of 19 pages")
    assert learned(3, 0, replace(SETTINGS, mirror_pages=3)).mirror_of("b.test") == "a.test"


def test_too_much_of_its_own():
    assert learned(20, 3).mirror_of("b.test") is None
    assert learned(27, 3).mirror_of("b.test") == "a.test"


def test_a_mirror_may_stop_being_one():
    mirrors = learned(20, 0)
    for number in range(5):
        mirrors.observe(url(f"http://b.test/new/{number}"), None)
    assert mirrors.mirror_of("b.test") is None


def test_off():
    assert learned(500, 0, replace(SETTINGS, mirror_pages=0)).mirror_of("b.test") is None


def test_other_paths_and_the_own_host_are_no_evidence():
    mirrors = Mirrors(SETTINGS)
    for number in range(50):
        mirrors.observe(url(f"http://b.test/{number}"), url(f"http://a.test/old/{number}"))
        mirrors.observe(url(f"http://c.test/{number}"), url(f"https://c.test/{number}"))
    assert mirrors.mirror_of("b.test") is None
    assert mirrors.mirror_of("c.test") is None
    assert mirrors.evidence("b.test") == ""


def test_ports_are_hosts_of_their_own():
    assert learned(20, 0, mirror="a.test:8080").mirror_of("a.test:8080") == "a.test"


def test_pages_whose_place_was_taken_later_count_once():
    mirrors = Mirrors(SETTINGS)
    for number in range(20):
        mirrors.observe(url(f"http://b.test/p/{number}?q"), None)
    assert mirrors.evidence("b.test") == ""
    copy(mirrors, 20, "b.test", "a.test", again=True)
    assert mirrors.mirror_of("b.test") == "a.test"
    assert "20 of 20 pages" in mirrors.evidence("b.test")


def test_chains_lead_to_their_end():
    mirrors = learned(20, 0)
    copy(mirrors, 20, "c.test", "b.test")
    assert mirrors.mirror_of("c.test") == "a.test"


def test_a_circle_keeps_one_host():
    mirrors = Mirrors(SETTINGS)
    for mirror, original in (("bb.test", "ccc.test"), ("ccc.test", "a.test"), ("a.test", "bb.test")):
        copy(mirrors, 20, mirror, original)
    copy(mirrors, 20, "d.test", "ccc.test")
    assert [mirrors.mirror_of(f"{name}.test") for name in ("a", "bb", "ccc", "d")] == [None, *["a.test"] * 3]


def test_many_others_do_not_hide_the_one():
    mirrors = Mirrors(SETTINGS)
    for number in range(300):
        other = f"rare{number}.test" if number % 15 == 0 else "a.test"
        mirrors.observe(url(f"http://b.test/{number}"), url(f"http://{other}/{number}"))
    assert mirrors.mirror_of("b.test") == "a.test"
    assert len(mirrors.state()["b.test"]["copies"]) == module.MOST_OTHERS


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(module, "MOST_NOTES", 100)
    mirrors = learned(20, 0)
    for number in range(500):
        mirrors.observe(url(f"http://host{number}.test/"), None)
    assert len(mirrors.state()) <= 50
    assert mirrors.mirror_of("b.test") is None


hosts = st.sampled_from([f"{name}.test" for name in "abcde"])


@given(st.lists(st.tuples(hosts, hosts, st.integers(0, 3), st.booleans()), max_size=80), st.integers(1, 5))
def test_what_is_kept_is_all_there_is(seen, least):
    settings = replace(SETTINGS, mirror_pages=least)
    mirrors, kept = Mirrors(settings), {}
    for host, other, path, is_copy in seen:
        mirrors.observe(url(f"http://{host}/{path}"), url(f"http://{other}/{path}") if is_copy else None)
        kept.update(mirrors.changes())
    for state in (mirrors.state(), kept):
        restored = Mirrors(settings)
        restored.restore(json.loads(json.dumps(state)))
        for host in "abcde":
            assert restored.evidence(f"{host}.test") == mirrors.evidence(f"{host}.test")
            assert restored.mirror_of(f"{host}.test") == mirrors.mirror_of(f"{host}.test")
    originals = {mirrors.mirror_of(f"{host}.test") for host in "abcde"} - {None}
    assert all(mirrors.mirror_of(original) is None for original in originals)
