"""Is a paragraph found by a question about it, in every language, beside plain BM25?

    .venv/bin/python benchmarks/questions.py [--languages es,hi,...] [--questions 600] [--cache DIR]
        [--without feedback,proximity,exact_form_boost] [--json]

The paragraphs are those of GNOME's help, which Debian's package gnome-user-docs has in many languages, as far
as they are translated. A question is made of one sentence: four words in ten in any order, and three words of
other paragraphs, because people ask with words that the answer does not have; in scripts without spaces
pieces of two to five characters stand for words. The paragraph of the sentence is the only answer, and others
of its page speak of the same things.

Printed is the mean reciprocal rank: by BM25 (k1 1.2, b 0.75) on stems without function words, or on pairs of
characters in scripts without spaces; by Gossamer as it is delivered; and by Gossamer without some of what
ranks, each by itself. The exit status is 1 where Gossamer is below BM25 by more than a hundredth.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

from passages.sources import unpacked
from pieces import pieces_of, reciprocal_rank
from search import default_cache

from gossamer.config import Config
from gossamer.evaluate.judged_collection import read_collection
from gossamer.evaluate.run import evaluate
from gossamer.text.language_id import spoken
from gossamer.text.stopwords import stop_words
from gossamer.text.terms import analyser
from gossamer.text.words import is_unspaced, words

PACKAGE = "gnome-user-docs"
BOOK = "gnome-help"
BRANCH = "{http://projectmallard.org/1.0/}"
SHORTEST = 120  # characters of a paragraph; scripts without spaces need a third
SHORTEST_SENTENCE = 8  # words, or pieces
KEPT = 0.4  # of the words of a sentence
STRANGE = 3  # words of other paragraphs
FEWEST = 100  # paragraphs that make a collection
NOISE = 0.01  # of the mean over some hundred questions
_SENTENCE = re.compile(r"(?<=[.!?।؟。！？])\s*")
_NAMED = {"zh_CN": "zh", "pt_BR": "pt", "C": "en"}


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--languages", type=lambda text: text.split(","), default=[])
    parser.add_argument("--questions", type=int, default=600, help="of a language")
    parser.add_argument("--without", type=lambda text: text.split(","), default=[])
    parser.add_argument("--cache", type=Path, default=default_cache(), help="for the package")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    return parser.parse_args()


def paragraphs_of(folder, language):
    """The paragraphs of a translation, each once; what was left in English is left out."""
    found = {}
    for file in sorted(folder.glob("*.page")):
        for one in ET.parse(file).iter(f"{BRANCH}p"):
            text = " ".join("".join(one.itertext()).split())
            enough = SHORTEST // 3 if is_unspaced(text) else SHORTEST
            if len(text) >= enough and (language == "en" or spoken(text, language).share(language) > 0.5):
                found[text] = None
    return list(found)


def pieces_of_sentence(sentence, source):
    """Its words; in a script without spaces, stretches of some letters."""
    if not is_unspaced(sentence):
        return sentence.split()
    found, at = [], 0
    while at < len(sentence):
        size = source.randint(2, 5)
        found.append(sentence[at : at + size])
        at += size
    return found


def questions_of(paragraphs, count):
    """Questions, and the number of the paragraph that answers each."""
    source = random.Random(1)
    made = []
    for _ in range(count * 20):
        number = source.randrange(len(paragraphs))
        pieces = pieces_of_sentence(source.choice(_SENTENCE.split(paragraphs[number])), source)
        if len(pieces) < SHORTEST_SENTENCE:
            continue
        kept = [piece for piece in pieces[:20] if source.random() < KEPT]
        for _ in range(STRANGE):
            other = (number + source.randrange(1, len(paragraphs))) % len(paragraphs)
            kept.append(source.choice(pieces_of_sentence(paragraphs[other], source)))
        source.shuffle(kept)
        made.append((number, " ".join(kept)))
        if len(made) == count:
            break
    return made


def collection_of(folder, language, count, cache):
    """A folder as `gossamer eval` reads it; None where too little is translated."""
    paragraphs = paragraphs_of(folder, language)
    if len(paragraphs) < FEWEST:
        return None
    into = cache / "questions" / f"help-{folder.parent.name}"
    into.mkdir(parents=True, exist_ok=True)
    asked = questions_of(paragraphs, count)
    _write(
        into / "corpus.jsonl", ({"_id": f"d{n}", "title": "", "text": t} for n, t in enumerate(paragraphs))
    )
    _write(into / "queries.jsonl", ({"_id": f"q{n}", "text": text} for n, (_, text) in enumerate(asked)))
    rows = "".join(f"q{n}\td{number}\t1\n" for n, (number, _) in enumerate(asked))
    (into / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + rows)
    return read_collection(into, language)


def _write(file, rows):
    with file.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def plain(language):
    """How BM25 reads a text."""
    if language in ("zh", "ja", "th"):
        return pieces_of((2,), False)
    stems, stops = analyser(language), stop_words(language)
    return lambda text: [stems[word] for word in words(text) if word not in stops]


def figures(collection, without):
    own = {"BM25": reciprocal_rank(collection, plain(collection.language))}
    own["Gossamer"] = evaluate(collection).measures["MRR"]
    for name in without:
        config = replace(Config(), search=replace(Config().search, **{name: 0.0}))
        own[f"no {name}"] = evaluate(collection, config).measures["MRR"]
    return own


def main():
    chosen = options()
    help_pages = unpacked(PACKAGE, chosen.cache) / "usr/share/help"
    told = {}
    for folder in sorted(help_pages.glob(f"*/{BOOK}")):
        language = _NAMED.get(folder.parent.name, folder.parent.name)
        if chosen.languages and language not in chosen.languages:
            continue
        if (collection := collection_of(folder, language, chosen.questions, chosen.cache)) is None:
            continue
        told[folder.parent.name] = figures(collection, chosen.without)
        if not chosen.json:
            if len(told) == 1:
                print(f"{'':10}" + "".join(f"{name:>14}" for name in told[folder.parent.name]))
            row = "".join(f"{value:14.4f}" for value in told[folder.parent.name].values())
            print(f"{folder.parent.name:10}{row}", flush=True)
    if chosen.json:
        print(json.dumps(told, indent=2))
    return 1 if any(own["Gossamer"] < own["BM25"] - NOISE for own in told.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
