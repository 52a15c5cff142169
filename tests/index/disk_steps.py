"""Everything that an index asks of the disk, step by step, so that any step can fail or be the last."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest


class Step(NamedTuple):
    what: str
    path: Path


@dataclass
class Disk:
    """Notes every step; `meet` is asked before each and may raise or kill."""

    meet: Callable[[int, Step], None] = lambda number, step: None
    steps: list[Step] = field(default_factory=list)

    def step(self, what, path):
        self.steps.append(Step(what, Path(path)))
        self.meet(len(self.steps) - 1, self.steps[-1])


class _Raw(io.FileIO):
    """A file below its buffer; of what cannot be written whole, half is written."""

    def __init__(self, disk, path):
        disk.step("open", path)
        super().__init__(path, "wb")
        self._disk = disk

    def write(self, data):
        try:
            self._disk.step("write", self.name)
        except OSError:
            super().write(bytes(data)[: len(data) // 2])
            raise
        return super().write(data)


@contextmanager
def watched(disk):
    """Opening, writing, syncing, renaming and removing go through `disk` while the block runs."""
    real_open = Path.open

    def opened(path, mode="r", *more, **options):
        return (
            io.BufferedWriter(_Raw(disk, path)) if mode == "wb" else real_open(path, mode, *more, **options)
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", opened)
        for what, where in (
            ("fsync", lambda descriptor: os.readlink(f"/proc/self/fd/{descriptor}")),
            ("replace", lambda _, target: target),
            ("mkdir", lambda path, *_: path),
            ("unlink", lambda path, **_: path),
            ("rmdir", lambda path, **_: path),
        ):
            patch.setattr(os, what, _through(disk, what, where))
        yield


def _through(disk, what, where):
    real = getattr(os, what)

    def step(*arguments, **options):
        disk.step(what, where(*arguments, **options))
        return real(*arguments, **options)

    return step
