"""A small collection from the folder to the measures, and the ranking against that of a real search."""

from __future__ import annotations

import json

import pytest

from gossamer.answer.pipeline import AnswerPipeline
from gossamer.config import Config
from gossamer.evaluate.indexed import DEPTH, Ranker, as_page, fill
from gossamer.evaluate.judged_collection import read_collection
from gossamer.evaluate.run import evaluate
from gossamer.index.index import Index
from gossamer.index.settings import IndexSettings
from gossamer.model import GossamerError
from gossamer.search.settings import SearchSettings

CORPUS = {
    "cat": ("Jaguar", "The jaguar is a big cat of the Americas and swims well."),
    "car/1": ("Jaguar cars", "The maker of the E-Type builds cars in Coventry."),
    "atari": ("Atari Jaguar", "A console with 64 bits, advertised loudly."),
    "tea ?#": ("Tea", "Tea is made with hot water; big pots keep it warm."),
    "..x": ("", "Cats drink no tea."),
}
QUERIES = {
    "q1": '"jaguar" -cat: big?',
    "q2": "site:tea hot -water",
    "q3": "big cats that swim",
    "q4": "??? --",
}
QRELS = [("q1", "cat", 2), ("q2", "tea ?#", 1), ("q3", "cat", 1), ("q4", "cat", 1)]


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "small"
    made.mkdir()
    rows = [{"_id": key, "title": title, "text": text} for key, (title, text) in CORPUS.items()]
    (made / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    queries = [{"_id": key, "text": text} for key, text in QUERIES.items()]
    (made / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
    (made / "qrels.tsv").write_text("\n".join("\t".join(map(str, row)) for row in QRELS), encoding="utf-8")
    return made


def test_from_the_folder_to_the_measures(folder):
    told = []
    outcome = evaluate(read_collection(folder), observer=told.append)
    assert (outcome.collection, outcome.documents, outcome.queries) == ("small", 5, 4)
    # q4 holds no word and finds nothing; the other three find their page first, whatever their signs say.
    assert outcome.measures["P@1"] == outcome.measures["MRR"] == 0.75
    assert told[-1] == ("small: searching", 4, 4)


def test_the_ranking_is_the_one_that_a_search_shows(folder, tmp_path):
    """When searching learns to rank better, evaluation must follow."""
    collection = read_collection(folder)
    index = Index(tmp_path / "index")
    fill(index, collection, Config(), lambda *_: None)
    ranker = Ranker(index.snapshot(), SearchSettings())
    searching = AnswerPipeline([index], None, SearchSettings())
    for text in ("jaguar", "big cats that swim", "tea in hot water", "the", "nowhere", "Jaguar jaguar CARS"):
        shown = [hit.fingerprint for hit in searching.search(text, DEPTH, everything=True).hits]
        assert ranker.ranking(text) == shown, text


def test_several_segments_measure_alike(folder):
    whole = evaluate(read_collection(folder)).measures
    # A segment a document: the pivots are those of the first one then, so scores differ and ranks hardly.
    small = Config(index=IndexSettings(memory_mb=0))
    assert evaluate(read_collection(folder), small).measures["R@100"] == whole["R@100"] == 0.75


def test_other_settings_are_used(folder):
    with pytest.raises(GossamerError, match="nonsense"):
        evaluate(read_collection(folder), Config(search=SearchSettings(scheme="nonsense")))


def test_ids_become_addresses(folder):
    collection = read_collection(folder)
    addresses = [as_page(document, collection).url.text for document in collection.documents()]
    assert addresses[0] == "https://corpus.invalid/small/cat"
    assert addresses[1] == "https://corpus.invalid/small/car%2F1"
    assert len(set(addresses)) == len(CORPUS)


def test_two_documents_at_one_address_are_said(folder):
    (folder / "corpus.jsonl").write_text(
        '{"_id": "x", "text": "a"}\n{"_id": ".", "text": "b"}\n{"_id": "", "text": "c"}'
    )
    with pytest.raises(GossamerError, match="make the same URL"):
        evaluate(read_collection(folder))


def test_an_empty_corpus_is_said(folder):
    (folder / "corpus.jsonl").write_text("\n")
    with pytest.raises(GossamerError, match=r"corpus\.jsonl: it is empty"):
        evaluate(read_collection(folder))
