"""Does this address look like a trap by itself?

Relative links on a page that is served under any path lead one deeper with every step: `/a/b/a/b/a/b`. Such
paths are told from honest ones by their repetitions (Heritrix refuses three in a row, too) and by their
length. Numbers may repeat: `/11/11/11` is a date, `/00/00/00` a place in a tree of files.
"""

from __future__ import annotations

from collections import Counter

from gossamer.frontier.traps.settings import TrapSettings
from gossamer.model import Url
from gossamer.web.pattern import segment_pattern


def path_trap(url: Url, depth: int, found_on: Url | None, settings: TrapSettings) -> str:
    """repeated-segments, growing-path, too-many-parameters, or "" when it looks like none of them.

    `depth` is the number of links between a seed and this address, the last of them on `found_on`.
    """
    path, mark, query = url.path.partition("?")
    if mark and query.count("&") >= settings.max_parameters:
        return "too-many-parameters"
    segments = [segment for segment in path.split("/") if segment]
    if len(segments) > settings.max_segments:
        return "growing-path"
    if len(set(segments)) < len(segments) and repeats(segments, settings.repeats):
        return "repeated-segments"
    if len(segments) > settings.max_same_segments <= depth and found_on is not None:
        # Only what grew link by link: somebody may well link straight to a deep place.
        grew = path.startswith(found_on.path.partition("?")[0].rpartition("/")[0] + "/")
        if grew and longest_run(segments) > settings.max_same_segments:
            return "growing-path"
    return ""


def repeats(segments: list[str], times: int) -> bool:
    """Whether a group of segments comes `times` times in a row, or one segment more often in any places.

    >>> repeats(["a", "b", "a", "b", "a", "b"], 3), repeats(["a", "b", "a", "c", "a"], 3)
    (True, False)
    """
    named = Counter(segment for segment in segments if not segment.isdigit())
    if not named:
        return False
    if max(named.values()) > times:
        return True
    return any(_in_a_row(segments, size, times) for size in range(1, len(segments) // times + 1))


def _in_a_row(segments: list[str], size: int, times: int) -> bool:
    """Whether a group of this size follows itself: then each segment equals the one a group further on."""
    needed = size * (times - 1)
    run = named = 0
    for here, further in zip(segments, segments[size:], strict=False):
        run, named = (run + 1, named + (not here.isdigit())) if here == further else (0, 0)
        if run >= needed and named:
            return True
    return False


def longest_run(segments: list[str]) -> int:
    """How many segments of one kind, or quite the same, follow each other; words are no kind.

    >>> longest_run(["a", "1", "2", "3", "b"])
    3
    """
    longest = run = 0
    previous = ""
    for segment in segments:
        shape = segment_pattern(segment)
        run = run + 1 if shape == previous else 1
        longest = max(longest, run)
        previous = shape
    return longest
