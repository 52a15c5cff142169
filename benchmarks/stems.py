"""Are our stems those that Snowball publishes, and how many words a second are stemmed?

    .venv/bin/python benchmarks/stems.py --data DIR [--runs 3]

DIR holds `snowball-data.tar.xz`, Snowball's vocabularies (voc.txt) with the stems expected of them
(output.txt), a folder a language; or it is that archive unpacked. Every stem of the library is compared. A
difference must be of a kind that is known and named below, because the library and the lists are versions
apart: the run fails if one is not, or if a kind has become more frequent. Lists without a language of ours
(Porter's and Lovins' English, the older Dutch) are told and passed over; so are our languages without a list.
"irregular" counts the words to which our own list gives a base that the stemmer does not know, "endings"
those whose ending is read as another one before they are stemmed.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path

import Stemmer

from gossamer.text.terms import SNOWBALL, analyser, irregular_forms, restoring

ARCHIVE = "snowball-data.tar.xz"
FINNISH_VOWELS = "aeiouyäö"


@dataclass(frozen=True, slots=True)
class Kind:
    """A difference between the versions of a list and of the library."""

    language: str
    name: str
    most: int

    def explains(self, word, published, stem):
        return EXPLAINED[self.name](word, published, stem)


def is_finnish_genitive(word, published, stem):
    """The list gives up at -hVn without such a vowel before it; the library goes on to the ending -n."""
    bare = word.removesuffix("ko")
    ends_so = bare[-3:-2] == "h" and bare[-2:-1] in FINNISH_VOWELS and bare[-1:] == "n"
    return ends_so and bare[-4:-3] != bare[-2] and published == bare and word.startswith(stem)


def is_finnish_illative(word, published, stem):
    """The library knows -hun behind uu, the list only takes the last letter off."""
    return word.endswith("uuhun") and published == word[:-1] and stem == word[:-4]


EXPLAINED = {
    "-hVn is no illative here: -n is taken off as a genitive": is_finnish_genitive,
    "-uuhun is an illative: -hun is taken off, and the double vowel made single": is_finnish_illative,
}
KINDS = tuple(Kind("finnish", name, most) for name, most in zip(EXPLAINED, (98, 5), strict=True))


def lists_in(data):
    """(language, words, published stems) of each list, from the archive or from the folders."""
    if (data / ARCHIVE).exists():
        with tarfile.open(data / ARCHIVE) as archive:
            files = {
                Path(name): name for name in archive.getnames() if name.endswith(("voc.txt", "output.txt"))
            }
            texts = {path: archive.extractfile(name).read().decode() for path, name in files.items()}
    else:
        texts = {path: path.read_text(encoding="utf-8") for path in data.rglob("*.txt")}
    for path in sorted(path for path in texts if path.name == "voc.txt"):
        words, published = texts[path].split("\n"), texts[path.with_name("output.txt")].split("\n")
        if len(words) != len(published):
            sys.exit(f"{path}: {len(words)} words, {len(published)} stems")
        pairs = [pair for pair in zip(words, published, strict=True) if pair[0]]
        yield path.parent.name, *map(list, zip(*pairs, strict=True))


def stemmed(language, words, runs):
    """The stems, and how many words a second, at best."""
    stemmer = Stemmer.Stemmer(language, 0)
    best = 0.0
    for _ in range(runs):
        begun = time.process_time()
        stems = stemmer.stemWords(words)
        best = max(best, len(words) / (time.process_time() - begun))
    return stems, best


def differences(language, words, published, stems):
    """How many differences there are of each kind, and those of none."""
    counts, unexplained = {}, []
    for row in zip(words, published, stems, strict=True):
        if row[1] == row[2]:
            continue
        kind = next((one for one in KINDS if one.language == language and one.explains(*row)), None)
        if kind:
            counts[kind] = counts.get(kind, 0) + 1
        else:
            unexplained.append(row)
    return counts, unexplained


def irregular_among(language, words):
    """How many words of the list our own list of irregular forms gives another stem."""
    codes = [code for code, name in SNOWBALL.items() if name == language]
    known = irregular_forms(codes[0])
    reader = analyser(codes[0])
    return sum(word in known and reader[word] == reader[known[word]] for word in words)


def restored_among(language, words):
    """How many words of the list are stemmed with another ending than they have."""
    restored = next(restoring(code) for code, name in SNOWBALL.items() if name == language)
    return sum(restored(word) != word for word in words) if restored else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help=f"a folder with {ARCHIVE}, or that unpacked")
    parser.add_argument("--runs", type=int, default=3, help="of which the quickest counts")
    return parser.parse_args()


def main():
    options = arguments()
    failed = met = 0
    seen = set()
    print(f"PyStemmer {Stemmer.version()}")
    print(
        f"{'language':<14}{'words':>9}{'equal':>9}{'named':>7}{'unnamed':>9}"
        f"{'irregular':>11}{'endings':>9}{'words/s':>13}"
    )
    for language, words, published in lists_in(options.data):
        met += 1
        if language not in SNOWBALL.values():
            print(f"{language:<14}{len(words):>9,}  no language of ours is stemmed so")
            continue
        seen.add(language)
        stems, speed = stemmed(language, words, options.runs)
        counts, unexplained = differences(language, words, published, stems)
        named = sum(counts.values())
        equal = len(words) - named - len(unexplained)
        print(
            f"{language:<14}{len(words):>9,}{equal:>9,}{named:>7,}{len(unexplained):>9,}"
            f"{irregular_among(language, words):>11,}{restored_among(language, words):>9,}{speed:>13,.0f}"
        )
        for kind, count in counts.items():
            print(f"    {count:,} of the kind: {kind.name}")
            failed += count > kind.most
        for word, expected, stem in unexplained[:10]:
            print(f"    not explained: {word} -> {stem}, published {expected}")
        failed += bool(unexplained)
    if not met:
        sys.exit(f"no vocabularies in {options.data}: neither {ARCHIVE} nor voc.txt")
    print("without a list:", ", ".join(sorted(set(SNOWBALL.values()) - seen)) or "none")
    sys.exit("FAILED: differences without a name, or more than are known" if failed else None)


if __name__ == "__main__":
    main()
