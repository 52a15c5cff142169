"""The URLs that wait in the catalogue: the order in which they are taken."""

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest

from gossamer.collection.commit import Transaction
from gossamer.crawl.frontier import host_queues as reserves
from gossamer.crawl.frontier.host_queues import WaitingUrls
from gossamer.model import CrawlRequest, Url
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.seen_urls import HELD, WAITING, SeenTable

HOST = "example.com"


def page(number, host=HOST):
    return Url.parsed(f"http://{host}/{number}")


@pytest.fixture
def catalogue(tmp_path):
    made = Catalogue(tmp_path / "catalogue.sqlite", create=True)
    yield made
    made.close()


@pytest.fixture
def seen():
    return SeenTable()


@pytest.fixture
def reserve(catalogue, seen):
    transaction = Transaction(SimpleNamespace(catalogue=catalogue), seen)
    for number in range(20):
        request = CrawlRequest(page(number), depth=2, priority=100.0 - number)
        seen.add(request.url.fingerprint, WAITING, request.priority)
        transaction.add(request)
    transaction.add(CrawlRequest(page(0, "other.example")))
    return WaitingUrls(transaction, seen)


def taken(reserve, room, now=0.0):
    return [int(request.url.path[1:]) for request in reserve.take(HOST, room, now)]


def test_the_best_of_now_come_first(reserve, seen):
    assert taken(reserve, 3) == [0, 1, 2]
    seen.pay(np.array([page(7).fingerprint], np.uint64), 50.0)
    assert taken(reserve, 3) == [7, 0, 1]
    request = reserve.take(HOST, 1, 0.0)[0]
    assert (request.url, request.depth) == (page(7), 2)
    assert taken(reserve, 100) == [7, *(number for number in range(20) if number != 7)]


def test_what_is_in_memory_is_not_taken_again(reserve, seen):
    for number in (0, 2):
        seen.set_state(page(number).fingerprint, HELD)
    assert taken(reserve, 3) == [1, 3, 4]


def test_what_is_to_be_tried_later_waits(reserve, catalogue):
    assert taken(reserve, 1) == [0]
    for number in range(5):
        catalogue.postpone(page(number).fingerprint, 50.0 + number, 1, "timeout")
    assert taken(reserve, 3, 10.0) == [5, 6, 7]
    assert taken(reserve, 3, 51.0) == [0, 1, 5]
    assert reserve.due_at(HOST) == 0.0
    for number in range(5, 20):
        catalogue.postpone(page(number).fingerprint, 90.0, 1, "timeout")
    assert taken(reserve, 3, 10.0) == []
    assert reserve.due_at(HOST) == 50.0


def test_a_host_of_which_nothing_waits(reserve):
    assert reserve.take("nobody.example", 5, 0.0) == []
    assert reserve.due_at("nobody.example") == inf


def test_it_looks_further_where_the_first_are_all_in_memory(reserve, seen, monkeypatch):
    monkeypatch.setattr(reserves, "CHOICE", 2)
    for number in range(16):
        seen.set_state(page(number).fingerprint, HELD)
    assert taken(reserve, 2) == [16, 17]


def test_it_looks_further_where_the_first_are_all_to_be_tried_later(reserve, catalogue, monkeypatch):
    monkeypatch.setattr(reserves, "CHOICE", 2)
    assert taken(reserve, 2) == [0, 1]
    for number in range(10):
        catalogue.postpone(page(number).fingerprint, 50.0, 1, "timeout")
    assert reserve.due_at(HOST) == 0.0
    assert taken(reserve, 2, 10.0) == [10, 11]
