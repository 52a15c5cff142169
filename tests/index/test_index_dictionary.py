"""Terms and their numbers, in memory and on the disk, against a sorted list."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.index.dictionary import BLOCK, dictionary_of, read_dictionary, write_dictionary
from gossamer.index.merge import union
from gossamer.model import DamagedFile
from gossamer.text.terms import MARK, without_language


def encoded(term):
    return term.encode("utf-8", "surrogatepass")


def made_of(forms):
    """A dictionary of term -> form."""
    terms = sorted(map(encoded, forms))
    bounds = np.cumsum([0, *map(len, terms)])
    lines = "".join(
        f"{'' if form == without_language(term) else form}\n"
        for term, form in sorted(forms.items(), key=lambda pair: encoded(pair[0]))
    )
    arena = np.frombuffer(b"".join(terms), np.uint8)
    return dictionary_of(arena, bounds, np.arange(len(terms), dtype=np.uint32), lines.encode())


def of_terms(terms):
    return made_of({term: without_language(term) for term in terms})


# Letters that make long common beginnings, the mark, NUL, characters of two to four bytes, a lone surrogate.
TERM = st.text(st.sampled_from("aaab\x00\x1fé京\U00020000\ud800\uffff"), max_size=14)
TERMS = st.sets(TERM | st.text(max_size=5), max_size=60)


@given(TERMS, TERM)
@example(set(), "")
@example({""}, "")
@example({"", "a", "a\x00", "a\x00\x00", "aa"}, "a\x00")
@example({"\U00020000" * 64 + "\x1fen", "\U00020000" * 63}, "\U00020000")
@example({f"{'samehead' * 2}{n}" for n in range(5 * BLOCK)}, "samehead" * 2)
@example(
    {*(f"a{n:02d}" for n in range(BLOCK - 4)), *(f"samehead{n:02d}" for n in range(2 * BLOCK))}, "samehead"
)
@example({"a" * n for n in range(3 * BLOCK)}, "aaaaaaaa")
@example({"\x00" * n for n in range(3 * BLOCK)}, "\x00" * 9)
def test_a_dictionary_is_a_sorted_list(terms, asked):
    dictionary = of_terms(terms)
    ordered = sorted(terms, key=encoded)
    assert len(dictionary) == len(terms)
    assert list(dictionary.terms()) == ordered
    assert [dictionary.number(term) for term in ordered] == list(range(len(ordered)))
    assert [dictionary.term(number) for number in range(len(ordered))] == ordered
    for other in {asked, *(term[:-1] for term in terms), *(term + "\x00" for term in terms)}:
        assert dictionary.number(other) == (ordered.index(other) if other in terms else -1)
        assert dictionary.rank(encoded(other)) == bisect_left(ordered, encoded(other), key=encoded)
        beginning = [number for number, term in enumerate(ordered) if term.startswith(other)]
        assert list(dictionary.prefixed(other)) == beginning
        assert list(dictionary.terms(other)) == [ordered[number] for number in beginning]
    for first in range(len(ordered) + 1):
        keys = list(dictionary.keys(range(first, len(ordered) - first // 2)))
        assert keys == [encoded(term) for term in ordered[first : len(ordered) - first // 2]]


@pytest.mark.parametrize("number", [-1, 2])
def test_a_number_beyond_the_terms_is_an_error(number):
    with pytest.raises(IndexError):
        of_terms({"a", "b"}).term(number)


FORMS = st.dictionaries(TERM, st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=4))


@given(FORMS)
def test_forms_are_kept_or_are_the_stems(forms):
    dictionary = made_of(forms)
    expected = [forms[term] or without_language(term) for term in dictionary.terms()]
    assert [dictionary.form(number) for number in range(len(forms))] == expected


def blocks_of(dictionary):
    return [getattr(dictionary.blocks, name).tolist() for name in type(dictionary.blocks).__slots__]


@given(FORMS)
@example({})
def test_what_is_written_is_read_back(tmp_path_factory, forms):
    path = tmp_path_factory.mktemp("terms") / "terms.arrays"
    written = made_of(forms)
    write_dictionary(path, written)
    assert blocks_of(read_dictionary(path)) == blocks_of(written)


def test_a_missing_and_an_empty_file_are_named(tmp_path):
    path = tmp_path / "terms.arrays"
    for _ in range(2):
        with pytest.raises(DamagedFile, match=r"terms\.arrays"):
            read_dictionary(path)
        path.write_bytes(b"")


def plain_union(parts):
    """The twin of `union`: (counts, forms) of each dictionary -> term -> form."""
    best = {}
    for counts, forms in parts:
        for term, count in counts.items():
            if count > best.get(term, (0, ""))[0]:
                best[term] = (count, forms[term])
    return {term: form for term, (_, form) in best.items()}


SMALL_FORMS = st.dictionaries(
    TERM.map(lambda text: text[:9]), st.sampled_from(["x", "é", "京都", ""]), max_size=40
)


@given(st.lists(SMALL_FORMS, min_size=1, max_size=5), st.data())
def test_a_union_holds_what_lives_as_it_is_most_often_written(all_forms, data):
    all_forms = [{t: form or without_language(t) for t, form in forms.items()} for forms in all_forms]
    dictionaries = [made_of(forms) for forms in all_forms]
    numbers = st.integers(0, 3)
    living = [
        np.array(data.draw(st.lists(numbers, min_size=len(one), max_size=len(one))), np.int64)
        for one in dictionaries
    ]
    merged, tables = union(dictionaries, living)
    counts = [
        dict(zip(one.terms(), own.tolist(), strict=True))
        for one, own in zip(dictionaries, living, strict=True)
    ]
    assert blocks_of(merged) == blocks_of(made_of(plain_union(zip(counts, all_forms, strict=True))))
    for own, table in zip(counts, tables, strict=True):
        assert table.dtype == np.uint32
        for (term, count), number in zip(own.items(), table.tolist(), strict=True):
            assert count == 0 or merged.term(number) == term


def test_a_union_of_many_blocks():
    terms = [[f"t{n * step:05d}{MARK}en" for n in range(1_000)] for step in (1, 2, 7)]
    dictionaries = [of_terms(own) for own in terms]
    merged, tables = union(dictionaries, [np.ones(1_000, np.int64)] * 3)
    assert list(merged.terms()) == sorted({term for own in terms for term in own})
    for own, table in zip(terms, tables, strict=True):
        assert [merged.term(number) for number in table.tolist()] == own


@given(
    st.sets(st.text(st.sampled_from("ab猫犬"), min_size=1, max_size=5), max_size=60),
    st.sampled_from("ab猫犬"),
)
@example({"a"}, "a")
@example({"ab" + "ab"[n & 1] * n for n in range(40)}, "b")
def test_terms_are_found_by_their_ends(stems, end):
    terms = {stem + MARK + language for stem in stems for language in ("", "de", *"bcdefghijklmnopqrst")}
    ordered = sorted(terms, key=encoded)
    for text in (end, "a" + end, end + "猫"):
        expected = [n for n, term in enumerate(ordered) if without_language(term).endswith(text)]
        made = of_terms(terms)
        assert sorted(made.ending_anywhere(text).tolist()) == expected
        german = [n for n in expected if ordered[n].endswith(f"{MARK}de")]
        assert sorted(made.ending(text, "de").tolist()) == german
        assert not len(made.ending(text, "fi"))
