"""How do texts become passages that every engine reads alike, and queries about them?

A token is a run of ASCII letters and digits in lower case, cut where Gossamer cuts it (10km is 10 and km), so
that splitting at blanks is all that an engine has to do. Passages follow the lines of a text: one is cut off
as soon as it has 75 words, from a long line after 100; what is left at the end of a text counts from 20 on.
Exact duplicates are dropped.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path

from gossamer.text.words import words as words_of
from passages.sources import Text

QUERIES = 1_000  # of each kind
SEED = 4
LEAST, ENOUGH, LONG, MOST = 20, 75, 100, 150  # words of a passage
LONGEST_TOKEN = 40  # characters; what is longer is data
PASSAGES = "passages.txt"
KINDS = {"or": "queries.txt", "and": "and.txt", "phrase": "phrase.txt"}

_TOKEN = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder with passages.txt, one passage a line, and a file of queries for each kind."""

    folder: Path
    passages: int
    tokens: int
    size: int  # bytes

    @property
    def file(self) -> Path:
        return self.folder / PASSAGES

    def queries(self, kind: str) -> list[str]:
        return (self.folder / KINDS[kind]).read_text(encoding="ascii").splitlines()


def opened(folder: Path) -> Corpus | None:
    """The corpus in a folder, if it is there and whole."""
    about = folder / "corpus.json"
    return Corpus(folder, **json.loads(about.read_text(encoding="utf-8"))) if about.exists() else None


def built(folder: Path, texts: Iterable[Text], count: int = QUERIES) -> Corpus:
    """Writes passages and queries; what says that they are whole is written last."""
    folder.mkdir(parents=True, exist_ok=True)
    headings: dict[str, None] = {}
    with (folder / PASSAGES).open("w", encoding="ascii") as out:
        for passage in distinct(texts, headings):
            out.write(passage + "\n")
    passages = (folder / PASSAGES).read_text(encoding="ascii").splitlines()
    drawn = drawn_queries(passages, list(headings), count)
    for kind, queries in drawn.items():
        (folder / KINDS[kind]).write_text("\n".join(queries) + "\n", encoding="ascii")
    return _completed(folder, passages)


def _completed(folder: Path, passages: list[str]) -> Corpus:
    tokens = sum(passage.count(" ") + 1 for passage in passages)
    corpus = Corpus(folder, len(passages), tokens, sum(map(len, passages)))
    about = {name: value for name, value in asdict(corpus).items() if name != "folder"}
    (folder / "corpus.json").write_text(json.dumps(about), encoding="utf-8")
    return corpus


def passages_of(corpus: Corpus) -> list[str]:
    return corpus.file.read_text(encoding="ascii").splitlines()


def written(folder: Path, passages: Iterable[str], corpus: Corpus) -> Corpus:
    """A corpus of other passages with the queries of this one; made once."""
    if (there := opened(folder)) is not None:
        return there
    folder.mkdir(parents=True, exist_ok=True)
    chosen = list(passages)
    (folder / PASSAGES).write_text("\n".join(chosen) + "\n", encoding="ascii")
    for name in KINDS.values():
        (folder / name).write_bytes((corpus.folder / name).read_bytes())
    return _completed(folder, chosen)


def repeated(passages: list[str], count: int) -> Iterator[str]:
    """So many passages: where there are not enough, all of them again with one word changed."""
    for number in range(count):
        round_, place = divmod(number, len(passages))
        words = passages[place].split(" ")
        if round_:
            words[number % len(words)] = f"{words[number % len(words)]}{round_}"
        yield " ".join(words)


def tokens(text: str) -> list[str]:
    """The tokens of a text.

    >>> tokens("The Jaguar's 4 paws, 10km apart")
    ['the', 'jaguar', 's', '4', 'paws', '10', 'km', 'apart']
    """
    runs = (run for run in _TOKEN.findall(text.lower()) if len(run) <= LONGEST_TOKEN)
    return [token for run in runs for token in _pieces(run)]


@cache  # a few hundred thousand runs in all
def _pieces(run: str) -> tuple[str, ...]:
    return tuple(words_of(run))


def distinct(texts: Iterable[Text], headings: dict[str, None]) -> Iterator[str]:
    """Every passage of the texts once; takes down headings of a query's length on the way."""
    seen: set[bytes] = set()
    for text in texts:
        for heading in text.headings:
            words = list(dict.fromkeys(tokens(heading)))
            if 2 <= len(words) <= 5:
                headings[" ".join(words)] = None
        for words in cut(text.lines):
            passage = " ".join(words)
            digest = blake2b(passage.encode(), digest_size=12).digest()
            if digest not in seen:
                seen.add(digest)
                yield passage


def cut(lines: Iterable[str]) -> Iterator[list[str]]:
    """A text in passages of about a hundred words."""
    words: list[str] = []
    for line in lines:
        words += tokens(line)
        while len(words) >= MOST:
            yield words[:LONG]
            words = words[LONG:]
        if len(words) >= ENOUGH:
            yield words
            words = []
    if len(words) >= LEAST:
        yield words


def drawn_queries(passages: list[str], headings: list[str], count: int) -> dict[str, list[str]]:
    """Queries of each kind, distinct, from a fixed seed.

    or      half of them headings of 2 to 5 words, half words that stand at random places of the corpus
    and     2 or 3 words that stand in one passage
    phrase  2 to 4 words that stand in a row
    """
    source = random.Random(SEED)
    known = {word for passage in passages for word in passage.split(" ")}
    usable = [heading for heading in headings if known.issuperset(heading.split(" "))]

    def anywhere() -> str:
        return source.choice(source.choice(passages).split(" "))

    def random_words() -> str:
        return " ".join(dict.fromkeys(anywhere() for _ in range(source.randint(2, 5))))

    def together() -> str:
        words = sorted(set(source.choice(passages).split(" ")))
        return " ".join(source.sample(words, min(len(words), source.randint(2, 3))))

    def in_a_row() -> str:
        words, length = source.choice(passages).split(" "), source.randint(2, 4)
        start = source.randrange(len(words) - length + 1)
        return " ".join(words[start : start + length])

    titled = source.sample(usable, min(count // 2, len(usable)))
    mixed = [*titled, *_distinct(random_words, count - len(titled))]
    source.shuffle(mixed)
    return {"or": mixed, "and": _distinct(together, count), "phrase": _distinct(in_a_row, count)}


def _distinct(draw: Callable[[], str], count: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        query = draw()
        if " " in query:
            found[query] = None
    return list(found)
