"""Terms within a few mistakes, against the distance of each."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from letters_apart import distance
from test_index_dictionary import of_terms

from gossamer.index.dictionary import write_dictionary
from gossamer.query.expansion import near
from gossamer.text.terms import MARK, in_language

LETTERS = st.text(st.sampled_from("abcé京\U00020000\ud800\x00"), max_size=8)
TERM = st.tuples(LETTERS, st.sampled_from([f"{MARK}en", f"{MARK}de", MARK, ""])).map("".join)


def plain_near(terms, term, mistakes):
    """Their numbers, by the book."""
    stem, *ending = term.partition(MARK)
    found = []
    for number, other in enumerate(sorted(terms, key=lambda one: one.encode("utf-8", "surrogatepass"))):
        own, *other_ending = other.partition(MARK)
        if other_ending == ending and distance(stem, own) <= mistakes:
            found.append(number)
    return found


@given(st.sets(TERM, max_size=60), TERM, st.integers(0, 3))
@example(set(), "", 1)
@example({"", MARK, "a"}, "", 1)
@example({f"ca{MARK}en", f"ac{MARK}en", f"abc{MARK}en", f"ac{MARK}de"}, f"ca{MARK}en", 1)
def test_near_terms_are_those_within_the_distance(terms, term, mistakes):
    dictionary = of_terms(terms)
    expected = plain_near(terms, term, mistakes)
    assert near(dictionary, term, mistakes) == expected


@pytest.mark.parametrize("word", ["jaguar", "differentiations", "ab", "e", "zzzzzz", "été"])
def test_near_terms_of_many(word):
    """Enough of them that whole blocks are passed over."""
    syllables = ["ja", "gu", "ar", "dif", "fer", "ent", "iat", "ions", "é", "t", "ab", "e"]
    terms = {
        in_language(a + b + c, "en") for a in syllables for b in syllables for c in ("", *syllables, "京")
    } | {in_language(word, "en"), in_language(f"x{word}", "en"), in_language("differentiation", "en")}
    term = in_language(word, "en")
    for mistakes in (1, 2):
        found = near(of_terms(terms), term, mistakes)
        assert found == plain_near(terms, term, mistakes)
        assert of_terms(terms).number(term) in found


LOOK_UP = """
import sys
from pathlib import Path
from gossamer.index.dictionary import read_dictionary
from gossamer.index.dictionary import write_dictionary
found = read_dictionary(Path(sys.argv[1]))
numbers = [found.number(term) for term in found.terms()]
forms = [found.form(number) for number in numbers]
print(numbers, forms, "numba" in sys.modules)
"""


def test_looking_up_needs_no_compiled_code(tmp_path):
    path = tmp_path / "terms.arrays"
    write_dictionary(path, of_terms({f"jackal{MARK}en", f"jaguar{MARK}de", f"jaguar{MARK}en"}))
    done = subprocess.run([sys.executable, "-c", LOOK_UP, path], capture_output=True, text=True, check=True)
    assert done.stdout == "[0, 1, 2] ['jackal', 'jaguar', 'jaguar'] False\n"
