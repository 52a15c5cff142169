"""Test collection: documents, queries, judgements.

A folder has them under these names, each optionally compressed (.gz):

    documents    corpus.jsonl, or corpus.trec: a file or folder of <DOC> elements
    queries      queries.jsonl, queries.tsv or topics.txt
    judgements   qrels.tsv or qrels.txt

Each part can also be given by its own path. A document without a language has the language of the collection,
which is the suffix of its name: `xquad-de` is German. The default is English.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gossamer.evaluate.lines import beginning, lines, rows, text_of, whole
from gossamer.model import UsageError
from gossamer.text.stopwords import LANGUAGES

# Documents of a test collection
# ------------------------------
#
#     {"_id": "184", "title": "...", "text": "...", "language": "en"}
#
#     <DOC> <DOCNO> FT911-3 </DOCNO> <HEADLINE> ... </HEADLINE> <TEXT> ... </TEXT> </DOC>
#
# A folder stands for all files in it. The headline of a `<DOC>` is its title; everything else,
# without tags, is its text.

_DOC = re.compile(r"<DOC>(.*?)</DOC>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"<DOCNO>(.*?)</DOCNO>", re.DOTALL | re.IGNORECASE)
_TITLE = re.compile(r"<(TITLE|HEADLINE|HEAD|HL|TTL|TI)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_NAMES = re.compile(r"<(DOCNO|DOCID|DOCHDR|FILEID)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Document:
    """One document of the corpus."""

    id: str
    title: str
    text: str
    language: str


def read_documents(corpus: Path, language: str) -> Iterator[Document]:
    """Yield every document, in file order; files of a folder are read in the order of their names."""
    seen: set[str] = set()
    for place, document in _found(corpus, language):
        if document.id in seen:
            raise UsageError(f"{place}: the document {document.id!r} is in the corpus twice")
        seen.add(document.id)
        yield document


def _found(corpus: Path, language: str) -> Iterator[tuple[str, Document]]:
    files = sorted(path for path in corpus.rglob("*") if path.is_file()) if corpus.is_dir() else [corpus]
    for path in files:
        in_file = _tagged_documents if beginning(path).startswith("<") else _as_json
        yield from in_file(path, language)


def _as_json(path: Path, language: str) -> Iterator[tuple[str, Document]]:
    for place, row in rows(path):
        name = text_of(row, "_id", place)
        title = text_of(row, "title", place, default="")
        text = text_of(row, "text", place)
        own = text_of(row, "language", place, default="")
        yield place, Document(name, title, text, own or language)


def _tagged_documents(path: Path, language: str) -> Iterator[tuple[str, Document]]:
    for number, found in enumerate(_DOC.finditer(whole(path)), 1):
        place, inner = f"{path}, document {number}", found[1]
        name = _NUMBER.search(inner)
        if name is None or not name[1].strip():
            raise UsageError(f"{place}: it has no <DOCNO>")
        titles = " ".join(_plain(title[2]) for title in _TITLE.finditer(inner))
        text = _plain(_NAMES.sub(" ", _TITLE.sub(" ", inner)))
        yield place, Document(name[1].strip(), titles, text, language)


def _plain(marked: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", marked)).split())


# Relevance judgements
# --------------------

_COLUMNS = {3: (0, 1, 2), 4: (0, 2, 3)}  # query, document, score


@dataclass(frozen=True, slots=True)
class Judgement:
    """The relevance of a document for a query; a score of 0 or less means not relevant."""

    query: str
    document: str
    score: int


def read_judgements(path: Path) -> tuple[Judgement, ...]:
    """Read a file of judgements; an error names the line."""
    found = tuple(_judgements(path))
    if not found:
        raise UsageError(f"{path}: it has no judgements")
    return found


def _judgements(path: Path) -> Iterator[Judgement]:
    first = True
    for place, line in lines(path):
        cells = [cell.strip() for cell in line.split("\t")] if "\t" in line else line.split()
        if len(cells) not in _COLUMNS:
            raise UsageError(
                f"{place}: expected 3 columns (query, document, score) or TREC's 4, not {len(cells)}"
            )
        query, document, score = (cells[column] for column in _COLUMNS[len(cells)])
        try:
            yield Judgement(query, document, int(score))
        except ValueError:
            if not first:
                raise UsageError(f"{place}: the score {score!r} is not a whole number") from None
        first = False


# Queries of a test collection
# ----------------------------
#
#     {"_id": "1", "text": "..."}  on each line
#     1<tab>text of the query      on each line, with or without a header line
#     <top> <num> Number: 301 <title> International Organized Crime <desc> ... </top>
#
# The query of a topic is its title, which is about as long as a typed query, or its description if
# the title is empty.

_TOPIC = re.compile(r"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.DOTALL | re.IGNORECASE)
_PART = re.compile(r"<(num|title|desc)>(.*?)(?=<[a-z/]|\Z)", re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(r"\s*(?:Number|Topic|Description)\s*:", re.IGNORECASE)
_HEADINGS = {"qid", "query-id", "query_id", "queryid", "topic", "id", "_id"}


def read_topics(path: Path) -> dict[str, str]:
    """Read the text of each query, by the query's name."""
    first = beginning(path)
    if first.startswith("{") or path.name.removesuffix(".gz").endswith(".jsonl"):
        return {text_of(row, "_id", place): text_of(row, "text", place) for place, row in rows(path)}
    return _tagged_topics(path) if first.startswith("<") else _columns(path)


def _tagged_topics(path: Path) -> dict[str, str]:
    topics: dict[str, str] = {}
    for number, topic in enumerate(_TOPIC.finditer(whole(path)), 1):
        parts = {
            part[1].lower(): _LABEL.sub("", part[2], count=1).strip() for part in _PART.finditer(topic[1])
        }
        if not parts.get("num"):
            raise UsageError(f"{path}, topic {number}: it has no <num>")
        asked = parts.get("title") or parts.get("desc", "")
        topics[parts["num"]] = html.unescape(" ".join(asked.split()))
    return topics


def _columns(path: Path) -> dict[str, str]:
    topics: dict[str, str] = {}
    for place, line in lines(path):
        name, tab, asked = line.partition("\t")
        if not tab:
            raise UsageError(f"{place}: expected 2 columns separated by a tab: the query's name and its text")
        if topics or name.strip().lower() not in _HEADINGS:
            topics[name.strip()] = asked.strip()
    return topics


DEFAULT_LANGUAGE = "en"
CORPUS = ("corpus.jsonl", "corpus.trec")
TOPICS = ("queries.jsonl", "queries.tsv", "topics.txt")
QRELS = ("qrels.tsv", "qrels.txt")


@dataclass(frozen=True, slots=True)
class CollectionParts:
    """The paths of the parts of a test collection.

    `corpus` is None if another collection is searched; `topics` is None if the results are a run file.
    """

    name: str
    qrels: Path
    topics: Path | None = None
    corpus: Path | None = None


@dataclass(frozen=True, slots=True)
class NamedParts:
    """Parts given by their own paths; with a run file, neither documents nor queries are needed."""

    corpus: Path | None = None
    topics: Path | None = None
    qrels: Path | None = None
    run: Path | None = None

    def alone(self) -> CollectionParts:
        """Return a collection of these parts only, named after the folder of its judgements."""
        if not self.qrels or not (self.topics or self.run):
            raise UsageError(
                "name a folder with a test collection, or --topics and --qrels, or --run and --qrels"
            )
        return CollectionParts(self.qrels.resolve().parent.name, self.qrels, self.topics, self.corpus)


NOTHING_NAMED = NamedParts()


@dataclass(frozen=True, slots=True)
class TestCollection:
    """Queries and judgements in memory; the documents are read from the file each time."""

    __test__ = False  # its name makes pytest take it for a test class

    name: str
    corpus: Path | None
    language: str
    queries: dict[str, str]  # only judged queries
    judgements: tuple[Judgement, ...]

    def documents(self) -> Iterator[Document]:
        """Yield every document, in file order."""
        if self.corpus is None:
            raise UsageError(f"{self.name} has no documents; give their path with --corpus")
        return read_documents(self.corpus, self.language)


def parts_in(folder: Path, named: NamedParts = NOTHING_NAMED) -> CollectionParts:
    """Return the parts in a folder; parts given by their own paths take precedence."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; give one with corpus.jsonl, queries.jsonl and qrels.tsv")
    corpus = named.corpus or _existing(folder, CORPUS)
    topics = named.topics or _existing(folder, TOPICS)
    qrels = named.qrels or _existing(folder, QRELS)
    if not (corpus or named.run):
        raise _lacking(folder, CORPUS)
    if not (topics or named.run):
        raise _lacking(folder, TOPICS)
    if not qrels:
        raise _lacking(folder, QRELS)
    return CollectionParts(folder.resolve().name, qrels, topics, corpus)


def read_collection(folder: Path, language: str = "") -> TestCollection:
    """Read the test collection in a folder; an error names the file and the line."""
    return read_parts(parts_in(folder), language)


def read_parts(parts: CollectionParts, language: str = "") -> TestCollection:
    """Read a test collection from its parts."""
    for path in (parts.corpus, parts.topics, parts.qrels):
        if path and not path.exists():
            raise UsageError(f"{path} does not exist")
    judgements = read_judgements(parts.qrels)
    queries = dict.fromkeys([judgement.query for judgement in judgements], "")
    if parts.topics:
        topics = read_topics(parts.topics)
        # TREC writes "051" in its topics and "51" in its judgements.
        bare = {name.lstrip("0"): text for name, text in topics.items()}
        for name in queries:
            text = topics.get(name, bare.get(name.lstrip("0")))
            if text is None:
                raise UsageError(f"{parts.qrels}: the query {name!r} is not in {parts.topics.name}")
            queries[name] = text
    spoken = language or language_of(parts.name)
    return TestCollection(parts.name, parts.corpus, spoken, queries, judgements)


def language_of(name: str) -> str:
    """Return the language that is the suffix of a collection's name; English by default.

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
    return UsageError(f"{folder} is not a test collection: it has no {first}, nor {' nor '.join(others)}")
