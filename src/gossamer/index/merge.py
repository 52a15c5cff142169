"""Many small segments into one, without what was deleted.

Tiered: segments fall into tiers by the power of the merge factor that their size reaches, and a full tier
becomes one segment of the next. Every document is thus rewritten once a tier.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.columns import Columns, coded
from gossamer.index.dictionary import numbered
from gossamer.index.manifest import SegmentEntry
from gossamer.index.postings import Occurrences, invert
from gossamer.index.segment import SegmentContent
from gossamer.index.snapshot import SegmentView
from gossamer.index.stored import stored_from
from gossamer.index.weighting import Weighting

SMALLEST_TIER = 1000  # documents: below it all segments are alike


def choose(entries: Sequence[SegmentEntry], factor: int) -> list[SegmentEntry]:
    """The segments to merge now, or none. A segment that is mostly deleted is rewritten alone."""
    tiers: dict[int, list[SegmentEntry]] = defaultdict(list)
    for entry in entries:
        if entry.deleted_documents * 2 > entry.documents:
            return [entry]
        tiers[int(math.log(max(1.0, entry.alive / SMALLEST_TIER), factor))].append(entry)
    full = [tier for tier in tiers.values() if len(tier) >= factor]
    return min(full, key=lambda tier: sum(entry.alive for entry in tier)) if full else []


def merged(views: Sequence[SegmentView], weighting: Weighting) -> SegmentContent:
    """The content of one segment with all living documents of these."""
    masks = [view.alive() for view in views]
    hosts = [_host_of(view.segment.columns)[mask] for view, mask in zip(views, masks, strict=True)]
    order = np.argsort(np.concatenate(hosts), kind="stable")
    place = np.empty(len(order), np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    columns = _columns([view.segment.columns for view in views], masks, order)
    parts = _occurrences(views, masks, place)
    trie, forms, occurrences = _union(views, parts)
    packed = [
        view.segment.stored.packed(d)
        for view, m in zip(views, masks, strict=True)
        for d in np.flatnonzero(m).tolist()
    ]
    postings = invert(occurrences, len(forms), columns.lengths, weighting)
    return SegmentContent(trie, forms, postings, columns, stored_from(packed[i] for i in order))


def _host_of(columns: Columns) -> NDArray[np.str_]:
    """Each document's host, labels reversed so that a domain's hosts stand together."""
    names = [".".join(name.split(".")[::-1]) for name in columns.hosts()]
    return np.array(names or [""], dtype=np.str_)[columns.host_ids]


def _columns(
    all_columns: Sequence[Columns], masks: Sequence[NDArray[np.bool_]], order: NDArray[np.int64]
) -> Columns:
    def joined(name: str) -> NDArray[Any]:
        pairs = zip(all_columns, masks, strict=True)
        return np.ascontiguousarray(np.concatenate([getattr(c, name)[m] for c, m in pairs])[order])

    def names(kind: str, ids: str) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        pairs = zip(all_columns, masks, strict=True)
        values = [name for c, m in pairs for name in np.array([*getattr(c, kind)(), ""])[getattr(c, ids)[m]]]
        return coded([str(values[i]) for i in order])

    host_ids, host_names = names("hosts", "host_ids")
    language_ids, language_names = names("languages", "language_ids")
    kept = ("fingerprints", "fetched_at", "published", "lengths")
    return Columns(
        **{name: joined(name) for name in kept},
        host_ids=host_ids,
        language_ids=language_ids,
        host_names=host_names,
        language_names=language_names,
    )


def _occurrences(
    views: Sequence[SegmentView], masks: Sequence[NDArray[np.bool_]], place: NDArray[np.uint32]
) -> list[Occurrences]:
    """The living occurrences of each segment: its own term numbers, the merged document numbers."""
    parts = []
    base = 0
    for view, mask in zip(views, masks, strict=True):
        found = view.segment.postings.occurrences()
        living = mask[found.docs]
        number = np.cumsum(mask) - 1 + base
        parts.append(
            Occurrences(found.terms[living], place[number[found.docs[living]]], found.positions[living])
        )
        base += int(mask.sum())
    return parts


def _union(
    views: Sequence[SegmentView], parts: Sequence[Occurrences]
) -> tuple[object, list[str], Occurrences]:
    """One dictionary for all, written forms from the segment in which a term is most frequent."""
    best: dict[str, tuple[int, str]] = {}
    used = [np.unique(part.terms, return_counts=True) for part in parts]
    for view, (numbers, counts) in zip(views, used, strict=True):
        dictionary = view.segment.dictionary
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            term = dictionary.term(number)
            if count > best.get(term, (0, ""))[0]:
                best[term] = (count, dictionary.form(number))
    terms = sorted(best)
    trie, numbers = numbered(terms)
    number_of = dict(zip(terms, numbers.tolist(), strict=True))
    forms = [""] * len(terms)
    for term, number in number_of.items():
        forms[number] = best[term][1]
    renumbered = []
    for view, part, (old, _) in zip(views, parts, used, strict=True):
        table = np.zeros(len(view.segment.dictionary) + 1, np.uint32)
        table[old] = [number_of[view.segment.dictionary.term(number)] for number in old.tolist()]
        renumbered.append(table[part.terms])
    return (
        trie,
        forms,
        Occurrences(
            np.concatenate(renumbered),
            np.concatenate([part.docs for part in parts]),
            np.concatenate([part.positions for part in parts]),
        ),
    )
