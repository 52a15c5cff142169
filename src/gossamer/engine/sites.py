"""Which sites has the owner of a collection blocked or boosted? Read anew when the file has changed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gossamer.disk import write_atomically
from gossamer.engine.owner_folder import editing
from gossamer.model import BadFile
from gossamer.web.site_rules import (
    NO_RULES,
    Line,
    SiteBook,
    SiteRule,
    block,
    boost,
    read_lines,
    read_pattern,
)

NAME = "sites.txt"
TEMPLATE = """\
# Sites that you do not want to see, or want to see higher or lower. Changes count from the next search on,
# and within seconds in a running crawl. A host stands for itself; *.host for it and all hosts below it.
#
# block spam.example
# block *.spam.example
# boost www.example.org 2
# boost noisy.example 0.5
"""

_LOG = logging.getLogger(__name__)

Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Read:
    """The file as it was when it was read."""

    stamp: Stamp | None = None
    book: SiteBook = NO_RULES
    problems: tuple[str, ...] = ()


class SiteRules:
    """The rules of a collection; none where there is no file. Threads and processes may share it."""

    def __init__(self, path: Path, owner: Path) -> None:
        """`owner` is the folder with the lock that is held while the file is changed."""
        self.path = path
        self._owner = owner
        self._read = _Read()

    def rules(self) -> tuple[SiteRule, ...]:
        """The rules in the order of the file."""
        return self.book().rules

    def problems(self) -> tuple[str, ...]:
        """What could not be understood, with its line; the other lines count."""
        return self._newest().problems

    def book(self) -> SiteBook:
        """The rules as they stand now; the same object until the file changes."""
        return self._newest().book

    def block(self, pattern: str) -> SiteRule:
        """Blocks a host, or with `*.` before it also all hosts below; whatever was said of it is replaced."""
        return self._put(block(pattern))

    def boost(self, pattern: str, factor: float) -> SiteRule:
        """Multiplies the scores of a site's pages."""
        return self._put(boost(pattern, factor))

    def unblock(self, pattern: str) -> bool:
        """Takes a block back; whether there was one."""
        return self._take_out(pattern, lambda rule: rule.action == "block")

    def clear(self, pattern: str) -> bool:
        """Takes back whatever was said of exactly this pattern; whether there was anything."""
        return self._take_out(pattern, lambda _: True)

    def _newest(self) -> _Read:
        stamp = self._stamp()
        read = self._read
        if stamp != read.stamp:
            read = self._read = self._understood(stamp)  # in one step: other threads see all of it
            for problem in read.problems:
                _LOG.warning("%s", problem)
        return read

    def _stamp(self) -> Stamp | None:
        """Another one whenever the file has changed; None where there is none."""
        try:
            stat = self.path.stat()
        except OSError:
            return None
        return stat.st_ino, stat.st_mtime_ns, stat.st_size

    def _understood(self, stamp: Stamp | None) -> _Read:
        try:
            lines = self._lines()
        except BadFile as error:  # nobody can search better without the rules that were there before
            return _Read(stamp, self._read.book, (str(error),))
        mistakes = [
            f"{self.path}, line {number}: {line.mistake}"
            for number, line in enumerate(lines, 1)
            if line.mistake
        ]
        return _Read(stamp, SiteBook(tuple(line.rule for line in lines if line.rule)), tuple(mistakes))

    def _lines(self) -> list[Line]:
        try:
            return list(read_lines(self.path.read_text(encoding="utf-8-sig")))
        except FileNotFoundError:
            return []
        except UnicodeDecodeError as error:
            raise BadFile(f"{self.path}: it should be UTF-8 ({error.reason})") from None
        except OSError as error:
            raise BadFile(f"{self.path}: it cannot be read ({error.strerror})") from None

    def _put(self, rule: SiteRule) -> SiteRule:
        """In the place of what was said of the pattern before, or at the end."""
        with editing(self._owner):
            lines = self._lines()
            places = [place for place, line in enumerate(lines) if _speaks_of(line, rule.pattern)]
            texts = [line.text for place, line in enumerate(lines) if place not in places[1:]]
            if places:
                texts[places[0]] = rule.line + _remark(texts[places[0]])
            else:
                texts.append(rule.line)
            self._write(texts)
        return rule

    def _take_out(self, pattern: str, unwanted: Callable[[SiteRule], bool]) -> bool:
        host = read_pattern(pattern)
        with editing(self._owner):
            lines = self._lines()
            kept = [
                line.text
                for line in lines
                if not (_speaks_of(line, host) and line.rule is not None and unwanted(line.rule))
            ]
            if len(kept) == len(lines):
                return False
            self._write(kept)
        return True

    def _write(self, lines: Sequence[str]) -> None:
        write_atomically(self.path, "".join(f"{line}\n" for line in lines).encode())


def _speaks_of(line: Line, pattern: str) -> bool:
    return line.rule is not None and line.rule.pattern == pattern


def _remark(text: str) -> str:
    """What the owner wrote behind a rule."""
    return "".join(["  ", *text.partition("#")[1:]]) if "#" in text else ""
