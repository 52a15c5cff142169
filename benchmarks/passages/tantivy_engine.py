"""tantivy by its Python package: one field, split at whitespace, positions indexed, text stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tantivy

from passages.engine import Clock, Engine

PARTS = {
    "term": "dictionary",
    "idx": "postings",
    "pos": "positions",
    "store": "stored",
}  # by suffix of a file


class Tantivy(Engine):
    """Queries are made as objects; its parser of query strings would take longer."""

    def version(self) -> str:
        return str(tantivy.__version__)

    def build(self, file: Path, folder: Path, clock: Clock, memory: int) -> None:
        folder.mkdir(parents=True)
        index = tantivy.Index(_schema(), path=str(folder))
        _tokenised(index)
        with clock.stage("add"):
            writer = index.writer(heap_size=memory, num_threads=1)
            for batch in clock.prepared(file, lambda _, line: tantivy.Document(body=line)):
                for document in batch:
                    writer.add_document(document)
        with clock.stage("commit"):
            writer.commit()
        with clock.stage("merge"):
            writer.wait_merging_threads()

    def open(self, folder: Path) -> None:
        self._index = tantivy.Index.open(str(folder))
        _tokenised(self._index)
        self._index.reload()
        self._searcher = self._index.searcher()
        self._schema = self._index.schema

    def state(self) -> dict[str, int]:
        return {"documents": self._searcher.num_docs, "segments": self._searcher.num_segments}

    def frequency(self, word: str) -> int:
        return int(self._searcher.doc_freq("body", word))

    def sizes(self, folder: Path) -> dict[str, int]:
        sizes = dict.fromkeys([*PARTS.values(), "other"], 0)
        for file in folder.iterdir():
            sizes[PARTS.get(file.suffix[1:], "other")] += file.stat().st_size
        return sizes

    def prepared(self, kind: str, text: str) -> Any:
        words = text.split(" ")
        if kind == "phrase":
            return tantivy.Query.phrase_query(self._schema, "body", words)
        occur = tantivy.Occur.Must if kind == "and" else tantivy.Occur.Should
        term = tantivy.Query.term_query
        return tantivy.Query.boolean_query([(occur, term(self._schema, "body", word)) for word in words])

    def found(self, query: Any, algorithm: str, k: int) -> Any:
        return self._searcher.search(query, k, count=False).hits

    def numbers(self, found: Any) -> list[int]:
        # In the one segment that one thread wrote, documents stand in the order in which they came.
        return [address.doc for _, address in found] if self._searcher.num_segments == 1 else []


def _schema() -> Any:
    fields = tantivy.SchemaBuilder()
    fields.add_text_field("body", stored=True, tokenizer_name="blanks")
    return fields.build()


def _tokenised(index: Any) -> None:
    blanks = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("blanks", blanks)
