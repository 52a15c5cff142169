"""The web that ranks are measured on: the same for the same seed, sound in both directions, like a web."""

import numpy as np
import pytest
from graphs.synthetic import web


@pytest.fixture(scope="module")
def crawled():
    return web(5_000, 7)


def test_the_same_seed_gives_the_same_web(crawled):
    again, other = web(5_000, 7), web(5_000, 8)
    assert again.targets.tobytes() == crawled.targets.tobytes()
    assert other.targets.tobytes() != crawled.targets.tobytes()


def test_both_directions_hold_the_same_links_each_once(crawled):
    out = np.repeat(np.arange(crawled.pages), np.diff(crawled.starts))
    into = np.repeat(np.arange(crawled.pages), np.diff(crawled.in_starts))
    links = set(zip(out.tolist(), crawled.targets.tolist(), strict=True))
    assert links == set(zip(crawled.sources.tolist(), into.tolist(), strict=True))
    assert len(links) == crawled.links == len(crawled.sources)
    assert not (out == crawled.targets).any()


def test_it_is_like_a_web(crawled):
    degrees, in_degrees = np.diff(crawled.starts), np.diff(crawled.in_starts)
    out = np.repeat(np.arange(crawled.pages), degrees)
    inside = (crawled.hosts[out] == crawled.hosts[crawled.targets]).mean()
    assert 0.6 < inside < 0.8
    assert 0.15 < (degrees == 0).mean() < 0.25
    assert in_degrees.max() > 50 * in_degrees.mean() > 50


def test_the_order_changes_numbers_and_no_links(crawled):
    by_host = web(5_000, 7, "host")
    assert (np.diff(by_host.hosts.astype(np.int64)) >= 0).all()
    assert sorted(np.diff(by_host.in_starts)) == sorted(np.diff(crawled.in_starts))
