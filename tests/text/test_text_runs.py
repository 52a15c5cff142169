"""Numbered words are exactly those that `words` finds, for any text."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from types import FunctionType

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.text import strings as strings_kernel
from gossamer.text import tokenizer as runs_kernel
from gossamer.text import tokenizer as runs_module
from gossamer.text.strings import CODING
from gossamer.text.terms import analyser
from gossamer.text.tokenizer import Tokenizer, number_anew, shared_runs
from gossamer.text.utf8 import KINDS, PARTING, UNSPACED
from gossamer.text.words import is_unspaced, words

SHARED = Tokenizer()  # one for all examples: what earlier texts left must not matter


def numbered(runs, *texts):
    """The words of each text, by way of numbers."""
    numbers, counts = runs.number(texts)
    assert counts.sum() == len(numbers)
    found = iter(numbers.tolist())
    return [[runs.word(next(found)) for _ in range(count)] for count in counts.tolist()]


# Characters that join, part, normalise to several, are ignored, or decide about a possessive or a tag.
TRICKY = (
    "09#@+,+#.nN\uff11\uff0e\uff0c\uff03\u2024\u200c\ufeff\u2060"
    "aAsSjJk0 .-=<>\n'_\u2019\uff07\uff53\u017f\u212a\u0130\u00df\u0301\u0323\u030c\u0327\u0338\u0345"
    "\u00a0\u3000\u00ad\u200b\u200d\u00b4\u00a8\ufb01\ufb06\u00bd\u2121\u2122\u2026\u2014\u201c\u00b7\uff3f\uff1d"
    "京都東々〇ー・かがハ\u3099\u309a\u309b\uff9e\uff76\u30ff。「，\u0e01\u0e34हि\u1100\u1161\u11a8가葛\U000e0100\ud800\U00020000"
)
texts = st.text(st.one_of(st.sampled_from(TRICKY), st.characters()), max_size=30)


@given(texts)
@example(
    "U.S.A. u.s x.y.com a.b.1 e\u00ad.g. \u00e9.a. 1,000.50 1.2.3,4 v3.11 a1.\uff15 1\u00ad,000 10km a.\u2026"
)
@example(
    "C++ C# f#9 c++x c+++ c## ab+# a+ a+b b+\u00e9 b+京 x's#t x's+ é+ é#t é@t é.net \u00ad#t 京#t 京.net 1+"
)
@example(
    "#tag @n_s's #\u00e9 #京 #1 .NET a.net .n\u00adet \u200d#t #\u200dt #_ #\u0301t       #t 1.0c# C+#t_x"
)
@example("J\u0323\u030c j\u0323\u030c")  # composed in one case only
@example("jaguar's_x it\u2019s_ a's's 'sx x'\u017f x'\uff53 l'\u00e9t\u00e9")
@example("京都's 京都'x 2024年a's年 か\u3099京 京_'s é京都")
@example("=\u0338a <\u0338\u0327b A\u0301 \u201cA\u0301\u201d \u2190\u0338x")
@example("twelve bytes: abcdefghijkl abcdefghijklm ABCDEFGHIJKL abcdefghijkL\u00e9 abcdefgh abcdefghi")
@example("a" * 300 + "é" * 300 + "京" * 300)
def test_numbered_words_are_the_words(text):
    assert numbered(SHARED, text, "", text.upper()) == [words(text), [], words(text.upper())]
    as_text, as_bytes = SHARED.number([text, ""]), SHARED.number_utf8([text.encode(*CODING), b""])
    assert [array.tolist() for array in as_text] == [array.tolist() for array in as_bytes]


def test_every_character_at_every_border():
    """Beside letters, marks, apostrophes, underscores, and alone; of the large alike blocks only some."""
    frame = "a{0}'s {0}s a'{0} a'{0}_ a's{0} a\u2019s{0}b ={0} '{0}'s_ x{0}\u0301 _{0} 京{0}都 {0}\u3099{0}"
    frame += " 1{0}0 a.{0}. {0}.a 1.{0} {0},1 #{0} a{0}#t {0}@t c+{0} {0}++ .{0}net"
    blocks = (range(0x3400), range(0x3400, 0xF900, 31), range(0xF900, 0x10000), range(0x10000, 0x30000, 97))
    every = [chr(point) for block in blocks for point in block]
    found = [frame.format(one) for one in every if unicodedata.category(one) not in {"Cn", "Co"}]
    assert numbered(Tokenizer(), *found) == [words(text) for text in found]


def test_separators_of_runs_are_in_no_word():
    marks = [chr(point) for point in range(0x300, 0xFFFF) if unicodedata.combining(chr(point))]
    alone = words(" ".join(f"{mark}x" for mark in marks))
    signs = set(map(ord, "#@.+,"))
    for point in sorted(set(np.flatnonzero(KINDS == PARTING).tolist()) - signs):
        parting = chr(point)
        assert not set("'\u2019_").intersection(unicodedata.normalize("NFKC", parting))
        assert words(f"{parting} a{parting}b a's{parting} a.b{parting}c") == ["a", "b", "a", "ab", "c"]
        assert words(f"1{parting}2 {parting}x a.{parting}b") == ["1", "2", "x", "a", "b"]
        assert words(" ".join(f"{parting}{mark}x" for mark in marks)) == alone


def test_pairs_are_unspaced_characters():
    for point in np.flatnonzero(KINDS == UNSPACED).tolist():
        character = chr(point)
        assert is_unspaced(character)
        assert unicodedata.normalize("NFKC", character).casefold() == character
        assert unicodedata.combining(character) == 0


def test_a_growing_table_forgets_nothing():
    runs = Tokenizer()
    many = [" ".join(f"w{n:x}" for n in range(start, start + 3_000)) for start in range(0, 30_000, 2_000)]
    assert numbered(runs, *many) == [text.split() for text in many]
    assert len(runs) == 31_000
    assert numbered(runs, many[3]) == [many[3].split()]


def test_slots_grow_while_runs_are_cut_ahead():
    """New words and old ones in turn, more than the first slots hold, in texts of any length."""
    texts = [
        " ".join(f"w{n}x w{n // 2}x" for n in range(size, 2 * size)) for size in (1, 31, 33, 2_000, 9_000)
    ]
    assert numbered(Tokenizer(), *texts) == [text.split() for text in texts]


def test_equal_hashes_do_not_merge_words(monkeypatch):
    monkeypatch.setattr(runs_module, "cut", cut_with_one_hash)
    text = "differentiations differentiable differentiation differentiating differentiations short"
    assert numbered(Tokenizer(), text) == [text.split()]


CUT = runs_kernel.cut


def cut_with_one_hash(*arguments):
    """The kernel as plain Python, with a factor that makes the hashes of all long runs equal."""
    names = {**vars(strings_kernel), **vars(runs_kernel), "PRIME": np.uint64(0), "cut": CUT}
    for name in ("key_of", "number_in", "is_last", "home_of", "number_all", "cut"):
        names[name] = FunctionType(plain_of(names[name]).__code__, names)
    names |= {name: plain_of(value) for name, value in names.items()}
    names["prefetch"] = lambda array, index: None
    plain = names["cut"]
    with np.errstate(over="ignore"):
        plain(*arguments)


def plain_of(value):
    """The Python function behind a kernel, compiled or not; anything else as it is."""
    return getattr(value, "py_func", getattr(value, "__wrapped__", value))


@pytest.mark.parametrize("length", range(20))
def test_runs_of_every_length_end_at_every_byte(length):
    """Eight bytes are looked at together: all ends, behind runs and gaps of all lengths."""
    run = "aZ09bYzA8cXm7dWn6eVo"[:length]
    ends = [chr(byte) for byte in range(0x80)] + [
        "'s",
        "'S",
        "'x",
        "'\u017f",
        "é",
        "京",
        "…",
        "_'s",
        "\u0301",
    ]
    texts = [
        f"{gap}{run}{end}{after}" for gap in ("", " ", ", - ;\n\t . !") for end in ends for after in ("", "q")
    ]
    assert numbered(SHARED, *texts) == [words(text) for text in texts]


def test_no_texts_and_empty_texts():
    runs = Tokenizer()
    assert numbered(runs) == []
    assert numbered(runs, "", "  ", "'_'") == [[], [], []]


def test_threads_may_share_runs():
    runs = Tokenizer()
    batches = [[f"shared{n % 50} é{n} w{n % 7}x{i}" for n in range(200)] for i in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda batch: numbered(runs, *batch), batches))
    assert found == [[words(text) for text in batch] for batch in batches]
    assert len({runs.strings[number] for number in range(len(runs))}) == len(runs)


def test_an_interrupted_text_leaves_no_run_without_words(monkeypatch):
    runs = Tokenizer()
    numbered(runs, "known")

    def interrupted(text):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(runs_module, "words", interrupted)
        with pytest.raises(KeyboardInterrupt):
            runs.number(["new naïve"])
    assert numbered(runs, "naïve known new") == [["naïve", "known", "new"]]


def test_terms_of_numbered_words():
    runs = Tokenizer()
    numbers, _ = runs.number(["ruling families rule naïve"])
    for language in ("en", "de", ""):
        found = runs.terms.of(numbers, language)
        expected = [analyser(language)[word] for word in words("ruling families rule naïve")]
        assert [runs.terms.texts[number] for number in found.tolist()] == expected
        assert runs.terms.of(numbers, language).tolist() == found.tolist()
    assert runs.terms.of(np.empty(0, np.uint32), "fr").tolist() == []


def test_shared_runs_start_anew_when_they_are_full(monkeypatch):
    runs_module._shared.cache_clear()
    first = shared_runs()
    numbers, _ = first.number(["one two"])
    assert shared_runs() is first
    monkeypatch.setattr(Tokenizer, "LARGEST", first.memory - 1)
    assert shared_runs() is not first
    assert [first.word(number) for number in numbers.tolist()] == ["one", "two"]


def test_memory_grows_with_what_is_remembered():
    runs = Tokenizer()
    before = runs.memory
    runs.number([" ".join(f"word{n}" for n in range(20_000))])
    assert runs.memory >= before + 20_000 * 50


@given(st.lists(st.lists(st.integers(0, 9), max_size=12), max_size=4))
def test_places_follow_the_first_appearance(streams):
    places, order = np.zeros(10, np.uint32), []
    for stream in streams:
        numbers = np.array(stream, np.uint32)
        new = number_anew(numbers, places, len(order))
        expected = [number for number in dict.fromkeys(stream) if number not in order]
        order += expected
        assert new.tolist() == expected
        assert [order[place] for place in numbers.tolist()] == stream
