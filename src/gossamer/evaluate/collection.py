"""What makes up a test collection, and where do its parts stand?

A folder holds them under known names, each of them compressed or not:

    documents    corpus.jsonl, or corpus.trec: a file or folder of <DOC>s
    queries      queries.jsonl, queries.tsv or topics.txt
    judgements   qrels.tsv or qrels.txt

Each part can also be named by itself. A document without a language speaks that of the collection: a folder
named like `xquad-de` is taken as German, any other as English.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gossamer.evaluate.documents import Document, read_documents
from gossamer.evaluate.qrels import Judgement, read_judgements
from gossamer.evaluate.topics import chosen, read_topics
from gossamer.model import GossamerError, UsageError
from gossamer.text.stopwords import LANGUAGES

DEFAULT_LANGUAGE = "en"
CORPUS = ("corpus.jsonl", "corpus.trec")
TOPICS = ("queries.jsonl", "queries.tsv", "topics.txt")
QRELS = ("qrels.tsv", "qrels.txt")


@dataclass(frozen=True, slots=True)
class Parts:
    """Where the parts of a test collection stand.

    Without a corpus something else is searched; without topics somebody else has searched already.
    """

    name: str
    qrels: Path
    topics: Path | None = None
    corpus: Path | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """Parts that somebody named by themselves; a run needs neither documents nor queries."""

    corpus: Path | None = None
    topics: Path | None = None
    qrels: Path | None = None
    run: Path | None = None

    def alone(self) -> Parts:
        """A collection of nothing else, named like the folder in which its judgements lie."""
        if not self.qrels or not (self.topics or self.run):
            raise UsageError(
                "name a folder with a test collection, or --topics and --qrels, or --run and --qrels"
            )
        return Parts(self.qrels.resolve().parent.name, self.qrels, self.topics, self.corpus)


NOTHING_NAMED = Named()


@dataclass(frozen=True, slots=True)
class TestCollection:
    """Queries and judgements in memory; the documents are read from the file each time."""

    __test__ = False  # no test class, though its name begins like one

    name: str
    corpus: Path | None
    language: str
    queries: dict[str, str]  # only those that somebody judged
    judgements: tuple[Judgement, ...]

    def documents(self) -> Iterator[Document]:
        """Every document, in the order of the file."""
        if self.corpus is None:
            raise UsageError(f"{self.name} has no documents; name them with --corpus")
        return read_documents(self.corpus, self.language)


def parts_in(folder: Path, named: Named = NOTHING_NAMED) -> Parts:
    """The parts in a folder, but for those that somebody named."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; give one with corpus.jsonl, queries.jsonl and qrels.tsv")
    corpus = named.corpus or _existing(folder, CORPUS)
    topics = named.topics or _existing(folder, TOPICS)
    qrels = named.qrels or _existing(folder, QRELS)
    if not (corpus or named.run):
        raise _lacking(folder, CORPUS)
    if not (topics or named.run):
        raise _lacking(folder, TOPICS)
    if not qrels:
        raise _lacking(folder, QRELS)
    return Parts(folder.resolve().name, qrels, topics, corpus)


def read_collection(folder: Path, language: str = "") -> TestCollection:
    """The test collection in a folder; an error names the file and the line."""
    return read_parts(parts_in(folder), language)


def read_parts(parts: Parts, language: str = "") -> TestCollection:
    """A test collection from its parts."""
    for path in (parts.corpus, parts.topics, parts.qrels):
        if path and not path.exists():
            raise UsageError(f"there is no {path}")
    judgements = read_judgements(parts.qrels)
    judged = dict.fromkeys(judgement.query for judgement in judgements)
    queries = _asked(parts, judged) if parts.topics else dict.fromkeys(judged, "")
    spoken = language or language_of(parts.name)
    return TestCollection(parts.name, parts.corpus, spoken, queries, judgements)


def _asked(parts: Parts, judged: dict[str, None]) -> dict[str, str]:
    assert parts.topics is not None
    queries, unknown = chosen(read_topics(parts.topics), judged)
    if unknown is not None:
        raise GossamerError(f"{parts.qrels}: the query {unknown!r} does not stand in {parts.topics.name}")
    return queries


def language_of(name: str) -> str:
    """The language that a collection's name ends in.

    >>> language_of("xquad-de"), language_of("xquad-zh"), language_of("cran")
    ('de', 'zh', 'en')
    """
    suffix = name.rpartition("-")[2].lower()
    return suffix if suffix != name and suffix in LANGUAGES else DEFAULT_LANGUAGE


def _existing(folder: Path, names: tuple[str, ...]) -> Path | None:
    paths = (folder / f"{name}{ending}" for name in names for ending in ("", ".gz"))
    return next((path for path in paths if path.exists()), None)


def _lacking(folder: Path, names: tuple[str, ...]) -> UsageError:
    first, *others = [*names, f"{names[0]}.gz"]
    return UsageError(
        f"{folder} is no test collection: there is no {first} in it, nor {' nor '.join(others)}"
    )
