"""Texts of links as segments: a document each, side by side by the page that they lead to."""

import numpy as np
import pytest

from gossamer.anchor_text.indexer import AnchorWriter
from gossamer.index.index import Index

HOSTS = ["", "a.test", "b.test", "c.test"]
LANGUAGES = ["de", "en", "xx"]
ROWS = [  # page, host, language, text
    (9, 1, 1, "running cats"),
    (2**64 - 1, 3, 0, "große Häuser"),
    (3, 1, 1, "→"),
    (9, 3, 2, "running cats"),
    (4, 1, 1, "cats"),
]


def written(folder, rows, memory=1 << 30, at_once=2):
    writer = AnchorWriter(folder, HOSTS, LANGUAGES, memory)
    for first in range(0, len(rows), at_once):
        targets, hosts, languages, texts = zip(*rows[first : first + at_once], strict=True)
        ids = np.array(hosts, np.uint32), np.array(languages, np.uint32)
        writer.add(np.array(targets, np.uint64), *ids, texts)
    return writer.finish()


def documents(folder):
    """Every document: its page, its host, its language, and its terms in their order."""
    found = []
    for view in Index(folder).snapshot().views:
        segment, columns = view.segment, view.segment.columns
        terms = [{} for _ in range(segment.documents)]
        for number in range(len(segment.dictionary)):
            docs, places = segment.postings.places(number)
            for doc, place in zip(docs.tolist(), places.tolist(), strict=True):
                terms[doc][place] = segment.dictionary.term(number)
        for doc, own in enumerate(terms):
            names = columns.hosts()[columns.host_ids[doc]], columns.languages()[columns.language_ids[doc]]
            assert columns.lengths[doc].tolist() == [0, 0, 0, len(own), 0, 0]
            found.append((int(columns.fingerprints[doc]), *names, [own[i] for i in range(len(own))]))
    return found


EXPECTED = [
    (4, "a.test", "en", ["cat\x1fen"]),
    (9, "a.test", "en", ["run\x1fen", "cat\x1fen"]),
    (9, "c.test", "xx", ["running\x1f", "cats\x1f"]),
    (2**64 - 1, "c.test", "de", ["gross\x1fde", "haus\x1fde"]),
]


@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_texts_become_documents(tmp_path, at_once):
    assert written(tmp_path / "anchors", ROWS, at_once=at_once) == 4
    assert documents(tmp_path / "anchors") == EXPECTED
    assert [path.name for path in tmp_path.glob("anchors/segment-*")] == ["segment-000001"]


def test_a_segment_is_written_when_memory_is_full(tmp_path):
    assert written(tmp_path, ROWS, memory=1) == 4
    assert sorted(documents(tmp_path)) == EXPECTED
    assert len(Index(tmp_path).manifest().segments) == 3


def test_nothing_said_is_an_empty_index(tmp_path):
    assert written(tmp_path / "anchors", []) == 0
    assert documents(tmp_path / "anchors") == []
    assert (tmp_path / "anchors" / "MANIFEST").exists()


def test_only_texts_without_words(tmp_path):
    assert written(tmp_path, [(1, 1, 1, "»"), (2, 1, 1, "…")]) == 0
    assert documents(tmp_path) == []
