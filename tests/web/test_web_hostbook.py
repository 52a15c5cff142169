"""Notes about hosts, within bounds."""

import json

from gossamer.web.hostbook import HostBook


class Words:
    def __init__(self):
        self.changed = False
        self.words = []

    def __len__(self):
        return len(self.words)

    def write(self, word):
        self.words.append(word)
        self.changed = True

    def state(self):
        return {"words": self.words}

    def restore(self, state):
        self.words = list(state["words"])


def write(book, host, *words):
    for word in words:
        book.of(host).write(word)
        book.settle(host)


def test_notes_are_kept_by_host():
    book = HostBook(Words, 100)
    write(book, "a", "x", "y")
    write(book, "b", "z")
    assert book.get("a").words == ["x", "y"]
    assert book.get("c") is None
    assert len(book) == 2
    assert book.where(lambda notes: len(notes) > 1) == ["a"]


def test_empty_notes_stay_the_same_notes():
    book = HostBook(Words, 100)
    assert book.of("a") is book.of("a")
    assert book.state() == {}


def test_hosts_met_longest_ago_go_first():
    book = HostBook(Words, 8)
    write(book, "a", "1", "2")
    write(book, "b", "1", "2")
    book.of("a")
    write(book, "c", "1", "2")
    assert book.get("b") is None
    assert book.get("a").words == ["1", "2"]
    write(book, "d", *"123456789")
    assert len(book) == 1, "one host may fill the book, but it is alone then"


def test_changes_are_told_once():
    book = HostBook(Words, 100)
    write(book, "a", "x")
    book.of("b")
    assert book.changes() == {"a": {"words": ["x"]}}
    assert book.changes() == {}
    write(book, "a", "y")
    assert book.changes() == {"a": {"words": ["x", "y"]}}


def test_what_is_dropped_before_anybody_asked_is_told_all_the_same():
    book = HostBook(Words, 4)
    write(book, "a", "x", "y")
    write(book, "b", "z", "z")
    assert book.get("a") is None
    assert book.changes() == {"a": {"words": ["x", "y"]}, "b": {"words": ["z", "z"]}}
    assert book.changes() == {}


def test_a_state_is_taken_up():
    book = HostBook(Words, 100)
    write(book, "a", "x")
    write(book, "b", "y", "z")
    other = HostBook(Words, 100)
    other.restore(json.loads(json.dumps(book.state())))
    assert other.state() == book.state()
    assert other.changes() == {}
