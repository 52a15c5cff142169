"""Numbered strings against a dictionary, and their order against that of bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.text import strings as strings_module
from gossamer.text.strings import Strings, are_ascii, number_lines

# Strings that share their first eight and twelve bytes, and such that do not.
STRING = st.text(st.sampled_from("aabé京\U00020000\ud800"), max_size=16) | st.sampled_from(
    ["samehead", "samehead1", "samehead12345", "samehead123456789", ""]
)


def encoded(text):
    return text.encode("utf-8", "surrogatepass")


def numbered(strings, texts):
    return strings.number(encoded("".join(f"{text}\n" for text in texts)), len(texts)).tolist()


@given(st.lists(st.lists(STRING, max_size=30), max_size=3))
def test_strings_are_numbered_as_they_appear(batches):
    strings, plain = Strings(), {}
    for batch in batches:
        assert numbered(strings, batch) == [plain.setdefault(text, len(plain)) for text in batch]
    assert len(strings) == len(plain)
    assert [strings[number] for number in range(len(plain))] == list(plain)
    numbers = np.arange(len(plain), dtype=np.uint32)[::-1].copy()
    assert strings.lines(numbers) == encoded("".join(f"{text}\n" for text in reversed(plain)))


@given(st.lists(STRING, unique=True, max_size=80))
@example([f"samehead{n}" for n in range(50)])
@example(["a" * n for n in range(40)])
def test_strings_are_sorted_by_their_bytes(texts):
    strings = Strings()
    numbers = np.array(numbered(strings, texts), np.uint32)
    assert [strings[n] for n in strings.in_order(numbers).tolist()] == sorted(texts, key=encoded)
    assert strings.in_order(numbers[:0]).tolist() == []


def test_many_strings_outgrow_the_first_slots(monkeypatch):
    monkeypatch.setattr(strings_module, "FIRST_SLOTS", 4)
    strings = Strings()
    texts = [f"{'long' * (n % 5)}{n}" for n in range(3_000)]
    for begin in range(0, 3_000, 500):
        numbered(strings, texts[begin : begin + 500])
    assert numbered(strings, texts) == list(range(3_000))
    ordered = strings.in_order(np.arange(3_000, dtype=np.uint32)).tolist()
    assert [texts[number] for number in ordered] == sorted(texts)


def test_strings_that_are_not_kept_are_forgotten():
    strings = Strings()
    numbered(strings, ["one", "a long one to be hashed"])
    strings.keep(1, len(strings.slots))
    assert numbered(strings, ["other", "one", "a long one to be hashed"]) == [1, 0, 2]


def test_an_interruption_leaves_no_number_without_a_string(monkeypatch):
    strings = Strings()
    numbered(strings, ["one"])

    def interrupted(*arguments):
        number_lines(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(strings_module, "number_lines", interrupted)
        with pytest.raises(KeyboardInterrupt):
            numbered(strings, ["two", "three"])
    assert numbered(strings, ["three", "two", "one"]) == [1, 2, 0]


@pytest.mark.parametrize("longest", [3, 64])
def test_short_ascii_is_told_from_the_rest(longest):
    texts = ["", "abc", "abcd", "é", "京", "a" * 64, "a" * 65, "~\x7f"]
    strings = Strings()
    numbers = np.array(numbered(strings, texts), np.uint32)
    found = are_ascii(strings.arena, strings.bounds, numbers, longest)
    assert found.tolist() == [text.isascii() and len(text) <= longest for text in texts]
