"""Test collections as they come: both forms of judgements, compressed or not; errors name the line."""

from __future__ import annotations

import gzip
import json

import pytest

from gossamer.evaluate.judged_collection import Judgement, language_of, read_collection
from gossamer.model import GossamerError, UsageError

CORPUS = [
    {"_id": "a", "title": "First", "text": "one jaguar"},
    {"_id": "b", "title": None, "text": "two cars", "language": "fr"},
    {"_id": 3, "text": "three"},
]
QUERIES = [
    {"_id": "1", "text": "jaguar"},
    {"_id": "2", "text": "car"},
    {"_id": "3", "text": "nobody judged it"},
]
QRELS = "query-id\tcorpus-id\tscore\n1\ta\t1\n2\tb\t2\n2\ta\t0\n"


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "cats"
    made.mkdir()
    (made / "corpus.jsonl").write_text(lines(CORPUS), encoding="utf-8")
    (made / "queries.jsonl").write_text(lines(QUERIES), encoding="utf-8")
    (made / "qrels.tsv").write_text(QRELS, encoding="utf-8")
    return made


def test_a_collection_is_read(folder):
    found = read_collection(folder)
    assert found.name == "cats"
    assert found.queries == {"1": "jaguar", "2": "car"}, "a query without judgements measures nothing"
    assert found.judgements == (Judgement("1", "a", 1), Judgement("2", "b", 2), Judgement("2", "a", 0))
    documents = list(found.documents())
    assert [(one.id, one.title, one.language) for one in documents] == [
        ("a", "First", "en"),
        ("b", "", "fr"),
        ("3", "", "en"),
    ]


@pytest.mark.parametrize(
    "qrels",
    [
        "1\ta\t1\n2\tb\t2\n2\ta\t0\n",  # no header
        "1 0 a 1\n2 0 b 2\n\n2 0 a 0\n",  # TREC
        "1\t0\ta\t1\n2\tQ0\tb\t2\n2\t0\ta\t0",
        "\ufeffquery-id\tcorpus-id\tscore\r\n1\ta\t1\r\n2\tb\t2\r\n2\ta\t0\r\n",  # by way of Windows
    ],
)
def test_judgements_in_other_forms(folder, qrels):
    (folder / "qrels.tsv").write_text(qrels, encoding="utf-8", newline="")
    assert read_collection(folder).judgements == (
        Judgement("1", "a", 1),
        Judgement("2", "b", 2),
        Judgement("2", "a", 0),
    )


def test_compressed_files(folder):
    for name in ("corpus.jsonl", "queries.jsonl"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    found = read_collection(folder)
    assert len(list(found.documents())) == 3
    assert found.corpus.name == "corpus.jsonl.gz"


@pytest.mark.parametrize(
    ("name", "language"),
    [("xquad-de", "de"), ("xquad-RU", "ru"), ("cran", "en"), ("a-zz", "en"), ("de", "en")],
)
def test_a_name_tells_the_language(name, language):
    assert language_of(name) == language


def test_the_language_can_be_given(folder):
    assert read_collection(folder, "da").language == "da"
    german = folder.rename(folder.with_name("cats-de"))
    assert read_collection(german).language == "de"
    assert [one.language for one in read_collection(german).documents()] == ["de", "fr", "de"]


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("qrels.tsv", "1\ta\t1\n1\ta\tgood\n", "qrels.tsv, line 2: the score 'good' is not a whole number"),
        ("qrels.tsv", "1\ta\t1\n\n1\ta\n", "qrels.tsv, line 3: expected 3 columns"),
        ("qrels.tsv", "query-id\tcorpus-id\tscore\n", "qrels.tsv: it has no judgements"),
        ("qrels.tsv", "9\ta\t1\n", "the query '9' is not in queries.jsonl"),
        (
            "queries.jsonl",
            '{"_id": "1", "text": "x"}\n{"_id": "2"}\n',
            'queries.jsonl, line 2: "text" is missing',
        ),
        ("queries.jsonl", "[1]\n", "queries.jsonl, line 1: not a JSON object"),
    ],
)
def test_mistakes_name_the_file_and_the_line(folder, file, content, said):
    (folder / file).write_text(content, encoding="utf-8")
    with pytest.raises(GossamerError) as caught:
        read_collection(folder)
    assert said in str(caught.value)
    assert isinstance(caught.value, UsageError)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"_id": "a", "text": "x"}\n{"_id": "b", "te', "corpus.jsonl, line 2: not JSON"),
        ('{"_id": "a", "text": "x"}\n\n{"_id": "a", "text": "y"}\n', "line 3: the document 'a' is in"),
        ('{"_id": true, "text": "x"}\n', 'line 1: "_id" is missing or not a string'),
    ],
)
def test_mistakes_in_the_corpus(folder, content, said):
    (folder / "corpus.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(GossamerError, match=said):
        list(read_collection(folder).documents())


def test_unreadable_bytes_are_said(folder):
    (folder / "corpus.jsonl").write_bytes(b'{"_id": "a", "text": "x"}\n\xff\xfe\n')
    with pytest.raises(GossamerError, match=r"corpus\.jsonl, after line \d: it cannot be read"):
        list(read_collection(folder).documents())
    (folder / "corpus.jsonl").unlink()
    whole = gzip.compress(lines(CORPUS * 100).encode())
    for damaged in (whole[: len(whole) // 2], whole[:20] + b"\xff" * 20 + whole[40:]):
        (folder / "corpus.jsonl.gz").write_bytes(damaged)
        with pytest.raises(GossamerError, match="cannot be read"):
            list(read_collection(folder).documents())


def test_a_folder_that_is_none(tmp_path):
    with pytest.raises(UsageError, match="is not a folder"):
        read_collection(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"it has no corpus\.jsonl"):
        read_collection(tmp_path)
