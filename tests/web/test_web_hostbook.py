"""Notes about hosts and their limits."""

import json

from gossamer.crawl.hosts.notes import CHANCES, HostNotes


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
        book.account(host)


def test_notes_are_kept_by_host():
    book = HostNotes(Words, 100)
    write(book, "a", "x", "y")
    write(book, "b", "z")
    assert book.get("a").words == ["x", "y"]
    assert book.get("c") is None
    assert len(book) == 2
    assert book.where(lambda notes: len(notes) > 1) == ["a"]


def test_empty_notes_stay_the_same_notes():
    book = HostNotes(Words, 100)
    assert book.of("a") is book.of("a")
    assert book.state() == {}


def test_hosts_met_longest_ago_go_first():
    book = HostNotes(Words, 8)
    write(book, "a", "1", "2")
    write(book, "b", "1", "2")
    book.of("a")
    write(book, "c", "1", "2")
    assert book.get("b") is None
    assert book.get("a").words == ["1", "2"]
    write(book, "d", *"123456789")
    assert len(book) == 1, "one host may fill the book, but it is alone then"


class Careful(HostNotes[Words]):
    def _would_be_missed(self, notes):
        return "!" in notes.words


def test_notes_that_would_be_missed_are_spared_for_a_while():
    book = Careful(Words, 8)
    write(book, "a", "!")
    for host in "bcdefghijklmnop":
        write(book, host, "1")
    assert book.get("a") is not None
    for number in range(8 * CHANCES):
        write(book, f"x{number}", "1")
    assert book.get("a") is None, "it does not come again"
    assert len(book) == 4


def test_where_all_notes_would_be_missed_the_hosts_met_last_stay():
    book = Careful(Words, 8)
    for number in range(100):
        write(book, f"x{number}", "!")
        assert book.get(f"x{number}") is not None
    assert len(book) == 4


def test_changes_are_told_once():
    book = HostNotes(Words, 100)
    write(book, "a", "x")
    book.of("b")
    assert book.changes() == {"a": {"words": ["x"]}}
    assert book.changes() == {}
    write(book, "a", "y")
    assert book.changes() == {"a": {"words": ["x", "y"]}}


def test_what_is_dropped_before_anybody_asked_is_told_all_the_same():
    book = HostNotes(Words, 4)
    write(book, "a", "x", "y")
    write(book, "b", "z", "z")
    assert book.get("a") is None
    assert book.changes() == {"a": {"words": ["x", "y"]}, "b": {"words": ["z", "z"]}}
    assert book.changes() == {}


def test_a_state_is_taken_up():
    book = HostNotes(Words, 100)
    write(book, "a", "x")
    write(book, "b", "y", "z")
    other = HostNotes(Words, 100)
    other.restore(json.loads(json.dumps(book.state())))
    assert other.state() == book.state()
    assert other.changes() == {}


def test_a_state_that_makes_no_sense_costs_the_notes_of_its_host():
    book = HostNotes(Words, 100)
    book.restore({"a": {"words": ["x"]}, "b": {}, "c": [], "d": None, "e": {"words": 3}})
    assert book.state() == {"a": {"words": ["x"]}}
    assert book.get("b") is None
    write(book, "b", "anew")
    assert book.changes() == {"b": {"words": ["anew"]}}
