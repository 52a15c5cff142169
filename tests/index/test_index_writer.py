"""From pages to the content of a segment, against a reference that splits and counts in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from gossamer.index import writer as rows_module
from gossamer.index import writer as writer_module
from gossamer.index.bm25f import FIELDS, Field, Weighting, field_texts
from gossamer.index.segment import write_segment
from gossamer.index.writer import SegmentWriter
from gossamer.text import tokenizer as runs
from gossamer.text.language_id import likely_language
from gossamer.text.terms import Terms, analyser
from gossamer.text.tokenizer import Tokenizer
from gossamer.text.words import words

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))


def writer_of(pages):
    writer = SegmentWriter("en")
    for one in pages:
        writer.add(one)
    return writer


def described(content):
    """Term -> document -> positions, and term -> form, as a segment holds them."""
    places, forms = defaultdict(dict), {}
    documents = content.columns.fingerprints.tolist()
    for number, term in enumerate(content.dictionary.terms()):
        docs, found = content.postings.places(number)
        forms[term] = content.dictionary.form(number)
        for doc, place in zip(docs.tolist(), found.tolist(), strict=True):
            places[term].setdefault(documents[doc], []).append(place)
    return dict(places), forms


def expected(pages):
    """The same by the book; of equally frequent forms the one that appeared last."""
    places, counts, appeared = defaultdict(dict), defaultdict(Counter), {}
    for one in pages:
        place, analyse = 0, analyser(one.language or likely_language([one.title, one.text], "en"))
        for text in field_texts([one]):
            for word in words(text):
                places[analyse[word]].setdefault(one.url.fingerprint, []).append(place)
                counts[analyse[word]][word] += 1
                appeared.setdefault((analyse[word], word), len(appeared))
                place += 1
    forms = {
        term: max(found, key=lambda word: (found[word], appeared[term, word]))
        for term, found in counts.items()
    }
    return dict(places), forms


VOCABULARY = "jaguar Jaguars jaguar's Häuser Haus naïve ruling rules 京都市 ﬁne 42 l'été a_b".split()
TEXTS = st.lists(st.sampled_from(VOCABULARY), max_size=8).map(" ".join)
PAGES = st.lists(st.tuples(TEXTS, TEXTS, st.sampled_from(["", "en", "de", "xx"])), max_size=8)


@given(PAGES)
def test_a_segment_holds_what_plain_python_finds(rows):
    pages = [
        page(f"http://h{i % 3}/{i}", text, title, language=language, headings=(title, text))
        for i, (text, title, language) in enumerate(rows)
    ]
    assert described(writer_of(pages).content(PIVOTS)) == expected(pages)


def same(folder, one, other):
    """Whether two contents agree in every byte of their files."""
    for name, content in (("one", one), ("other", other)):
        write_segment(folder / name, content)
    files = sorted(path.name for path in (folder / "one").iterdir())
    return all(
        (folder / "one" / name).read_bytes() == (folder / "other" / name).read_bytes() for name in files
    )


def test_what_the_process_remembers_changes_no_byte(tmp_path, monkeypatch):
    pages = [page(f"http://h/{n}", f"word{n} und Wörter {n % 3}", language="de") for n in range(20)]
    runs._shared.cache_clear()
    cold = writer_of(pages).content(PIVOTS)
    writer_of(reversed(pages))
    warm = writer_of(pages).content(PIVOTS)
    assert same(tmp_path, cold, warm)


@pytest.mark.parametrize("at_once", [1, 3 * writer_module.SMALLEST_PAGE])
def test_how_many_pages_are_read_at_once_changes_no_byte(tmp_path, monkeypatch, at_once):
    languages = ["en", "en", "de", "xx", "", "yy", "de"]
    texts = [f"rules ruling Häuser {n} 京都市" for n in range(20)]
    pages = [
        page(f"http://h{n % 3}/{n}", text, f"T{n}", language=languages[n % 7], surroundings="rule")
        for n, text in enumerate(texts)
    ]
    together = writer_of(pages)
    monkeypatch.setattr(writer_module, "READ_AT_ONCE", at_once)
    apart = writer_of(pages)
    assert len(apart) == len(together) == 20
    assert apart.total_lengths().tolist() == together.total_lengths().tolist()
    content = apart.content(PIVOTS)
    assert described(content) == expected(pages)
    assert same(tmp_path, content, together.content(PIVOTS))


def test_what_a_page_says_of_itself_in_its_head_is_found_like_what_surrounds_it():
    told = page("http://h/", "own words", "Title", surroundings="menu", description="a summary")
    assert field_texts([told])[Field.SURROUNDINGS].split("\n") == ["menu", "a summary", ""]
    by = page("http://h/", "own words", surroundings="menu", author="Ada Lovelace")
    assert field_texts([by])[Field.SURROUNDINGS].split("\n") == ["menu", "", "Ada Lovelace"]
    assert field_texts([page("http://h/", "own", surroundings="menu")])[Field.SURROUNDINGS] == "menu"


def test_a_writer_is_empty_when_its_segment_is_made():
    pages = [page(f"http://h/{n}", f"word{n}") for n in range(3)]
    writer = writer_of(pages)
    writer.content(PIVOTS)
    assert len(writer) == len(writer.content(PIVOTS).slots) == 0
    writer.add(pages[1])
    assert described(writer.content(PIVOTS)) == expected(pages[1:2])


def test_writers_on_threads_do_not_disturb_each_other():
    batches = [
        [page(f"http://h{i}/{n}", f"shared{n % 9} own{i}x{n} ça") for n in range(60)] for i in range(6)
    ]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda pages: described(writer_of(pages).content(PIVOTS)), batches))
    assert found == [expected(pages) for pages in batches]


def test_a_writer_keeps_its_runs_when_others_start_anew(monkeypatch):
    pages = [page(f"http://h/{n}", f"word{n} again") for n in range(10)]
    writer = writer_of(pages[:5])
    monkeypatch.setattr(Tokenizer, "LARGEST", 0)
    other = writer_of(pages)
    for one in pages[5:]:
        writer.add(one)
    assert described(writer.content(PIVOTS)) == described(other.content(PIVOTS)) == expected(pages)


@pytest.mark.parametrize("at_once", [1, writer_module.READ_AT_ONCE])
def test_memory_counts_words_and_text(monkeypatch, at_once):
    monkeypatch.setattr(writer_module, "READ_AT_ONCE", at_once)
    writer = SegmentWriter("en")
    empty = writer.memory
    writer.add(page("http://h/1", "the same word " * 1_000))
    repeated = writer.memory
    writer.add(page("http://h/2", " ".join(f"unheard{n}" for n in range(3_000))))
    assert empty < repeated
    assert writer.memory - repeated > 1.3 * (repeated - empty)


def test_a_page_without_a_file_type_is_refused_whole(tmp_path, monkeypatch):
    real = rows_module.file_type

    def broken(media_type, path):
        if path == "/2":
            raise KeyError("no such type")
        return real(media_type, path)

    monkeypatch.setattr(rows_module, "file_type", broken)
    pages = [page(f"http://h/{n}", f"shared word{n}") for n in range(5)]
    writer, good = writer_of(pages), pages[:2] + pages[3:]
    content = writer.content(PIVOTS)
    assert [url.path for url in writer.refused] == ["/2"]
    assert described(content) == expected(good)
    assert same(tmp_path, content, writer_of(good).content(PIVOTS))


@pytest.mark.parametrize("evil", ["zzzevil", "zzzévil"])
def test_a_page_with_a_word_that_cannot_be_stemmed_is_refused_whole(tmp_path, monkeypatch, evil):
    real = Terms._learn

    def broken(self, words, language, plain):
        if evil.encode() in self._words.lines(words):
            raise KeyError("no stem")
        return real(self, words, language, plain)

    runs._shared.cache_clear()
    monkeypatch.setattr(Terms, "_learn", broken)
    languages = ["en", "de", "en", "xx", "de"]
    pages = [
        page(f"http://h/{n}", f"shared word{n} wörter{n}", language=language)
        for n, language in enumerate(languages)
    ]
    pages[2] = page("http://h/2", f"shared words of its own {evil} und Häuser", language="en")
    writer, good = writer_of(pages), pages[:2] + pages[3:]
    content = writer.content(PIVOTS)
    assert [url.path for url in writer.refused] == ["/2"]
    assert described(content) == expected(good)
    assert same(tmp_path, content, writer_of(good).content(PIVOTS))


def test_an_empty_writer_has_an_empty_segment():
    content = SegmentWriter("en").content(PIVOTS)
    assert (
        len(content.dictionary) == len(content.postings.positions) == len(content.columns.fingerprints) == 0
    )
    assert SegmentWriter("en").total_lengths().tolist() == [0] * FIELDS
