"""Small test collections whose best settings are known, for tests of tuning and of the commands."""

from __future__ import annotations

import json

ANIMALS = ["jaguar", "heron", "otter", "lynx", "badger", "magpie", "adder", "osprey"]


def titles_mislead(folder, queries=8):
    """Each animal has a page that tells of it, which is relevant, and one that only says so in its title."""
    folder.mkdir()
    corpus, asked, judged = [], [], []
    for number, animal in enumerate(ANIMALS[:queries]):
        corpus.append({"_id": f"good{number}", "title": "A page", "text": f"{animal} {animal} lives here"})
        corpus.append({"_id": f"bad{number}", "title": f"{animal} {animal}", "text": "nothing to see here"})
        asked.append({"_id": f"q{number}", "text": animal})
        judged.append(f"q{number}\tgood{number}\t1\n")
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corpus))
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    (folder / "qrels.tsv").write_text("".join(judged))
    return folder
