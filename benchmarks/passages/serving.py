"""What does a process take that serves a large index, and how soon does it answer?

Before a cold start the system is asked to drop what it keeps of the index's files, and of no others. Memory
is looked at when a process has answered all queries once; that of mapped files the system may take back.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from passages.corpus import Corpus, passages_of, repeated, written
from passages.stand import OURS, Stand, say

SERVED = (OURS, "tantivy")


def larger(corpus: Corpus, count: int) -> Corpus:
    """A corpus of so many passages, made once."""
    folder = corpus.folder.with_name(f"serving-{count}")
    return written(folder, repeated(passages_of(corpus), count), corpus)


def served(stand: Stand, names: Sequence[str], corpus: Corpus) -> dict[str, dict[str, Any]]:
    """By engine: the build, a cold and a warm start in seconds, and bytes of memory afterwards."""
    found = {}
    for name in (name for name in SERVED if name in names):
        say(f"index of {corpus.passages:,} passages by {name} ...")
        build = stand.index(name, corpus)
        folder = stand.kept(name, corpus)
        forget(folder)
        cold = _started(stand, name, corpus)
        found[name] = {"build": build, "cold": cold, "warm": _started(stand, name, corpus)}
    return found


def _started(stand: Stand, name: str, corpus: Corpus) -> dict[str, Any]:
    queries = corpus.queries("or")
    with stand.process(name) as process:
        folder = str(stand.kept(name, corpus))
        start = process.tell("start", folder=folder, core=stand.core, query=queries[0])
        for kind, algorithms in process.tell("about")["algorithms"].items():
            told = {"kind": kind, "algorithm": algorithms[0], "k": 10, "clock": "wall"}
            process.tell("ask", **told, queries=corpus.queries(kind))
        return {**start, "memory": process.tell("memory")}


def forget(folder: Path) -> None:
    """Asks the system to drop what it keeps of these files in memory; they are on the disk before."""
    for file in (file for file in folder.rglob("*") if file.is_file()):
        descriptor = os.open(file, os.O_RDONLY)
        try:
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
