"""How often is the language of a text told rightly, by its length, and how long does it take?

    .venv/bin/python benchmarks/language.py [--locales /usr/share/locale] [--samples 40] [--least 200]

The texts are the translations of programs that are installed here (gettext catalogues), cleaned of format
codes, options and addresses and joined to texts of each length: a hard source, full of English terms. Of each
text is asked what becomes of it when its language is declared rightly, wrongly (as English, or English as
German), and not at all. Languages that are nearly one (see `text/codes.py`) count as one.
"""

from __future__ import annotations

import argparse
import gettext
import random
import re
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

from gossamer.text.language_codes import kin
from gossamer.text.language_id import page_language

LENGTHS = (30, 60, 120, 300, 1000, 3000)
NO_TEXT = re.compile(
    r"%[-#0 +'*.\d$]*(?:hh|ll|[hlLqjzt])?[a-zA-Z%]|\{[^}]*\}|<[^>]*>"
    r"|--?[\w-]+|[_&](?=\w)|https?:\S+|\b[A-Z_]{2,}\b"
)


def messages(folder):
    """The translated messages of each language that say something."""
    found = defaultdict(dict)
    for path in sorted(folder.glob("*/LC_MESSAGES/*.mo")):
        code, _, variant = path.parts[-3].partition("@")
        if variant:
            continue
        try:
            with path.open("rb") as file:
                catalogue = gettext.GNUTranslations(file)._catalog
        except (OSError, UnicodeDecodeError, LookupError):
            continue
        for original, text in catalogue.items():
            cleaned = " ".join(NO_TEXT.sub(" ", text).split()) if isinstance(text, str) else ""
            if original and text != original and len(cleaned) >= 15 and says_something(cleaned):
                found[code.partition("_")[0]][cleaned] = None
    return {code: list(texts) for code, texts in found.items()}


def says_something(text):
    return sum(unicodedata.category(letter)[0] in "LM" for letter in text) >= 0.7 * len(text)


def texts_of(said, length, count):
    """Texts of this length out of messages, cut between words."""
    drawn = random.Random(length).sample(said, len(said))
    found, text = [], ""
    for message in drawn:
        text = f"{text} {message}".strip()
        if len(text) >= length:
            found.append(text[:length].rpartition(" ")[0] or text[:length])
            text = ""
        if len(found) == count:
            break
    return found


def judged(texts):
    """Of (language, text), how many kept a right declaration, lost a wrong one, and were told without."""
    counts, missed = Counter(), Counter()
    for code, text in texts:
        near = kin(code)
        counts["kept"] += page_language(text, code) in near
        counts["mended"] += page_language(text, "de" if code == "en" else "en") in near
        told = page_language(text, "")
        counts["told"] += told in near
        counts["mistaken"] += bool(told) and told not in near
        missed[code] += told not in near
    return counts, missed


def microseconds(texts, repeat=5):
    def once():
        begun = time.process_time()
        for code, text in texts:
            page_language(text, code)
        return (time.process_time() - begun) / len(texts) * 1e6

    return min(once() for _ in range(repeat))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--locales", type=Path, default=Path("/usr/share/locale"))
    parser.add_argument("--samples", type=int, default=40, help="texts of each language and length")
    parser.add_argument("--least", type=int, default=200, help="messages that a language must have")
    options = parser.parse_args()
    said = {code: texts for code, texts in messages(options.locales).items() if len(texts) >= options.least}
    if not said:
        sys.exit(f"no catalogues of messages in {options.locales}")
    print(f"{len(said)} languages: {' '.join(sorted(said))}\n")
    print(
        "length      texts  right kept  wrong mended  undeclared told  mistaken  µs a page  worst, undeclared"
    )
    for length in LENGTHS:
        texts = [
            (code, text) for code in sorted(said) for text in texts_of(said[code], length, options.samples)
        ]
        counts, missed = judged(texts)
        kept, mended, told, mistaken = (
            counts[name] / len(texts) for name in ("kept", "mended", "told", "mistaken")
        )
        hardest = " ".join(code for code, _ in missed.most_common(6))
        print(
            f"{length:10,}{len(texts):7,}{kept:12.4f}{mended:14.4f}{told:17.4f}{mistaken:10.4f}"
            f"{microseconds(texts):11.1f}  {hardest}"
        )


if __name__ == "__main__":
    main()
