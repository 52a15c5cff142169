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
from gossamer.index.postings import invert
from gossamer.index.segment import SegmentContent
from gossamer.index.snapshot import SegmentView
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
    columns = _columns([view.segment.columns for view in views], masks, order)
    places = _places(masks, order)
    pairs = zip(views, places, strict=True)
    trie, forms, numbers = _union(views, [view.segment.postings.living(own) for view, own in pairs])
    packed = [
        view.segment.stored.packed(d)
        for view, m in zip(views, masks, strict=True)
        for d in np.flatnonzero(m).tolist()
    ]
    begins = np.zeros(len(order), np.int64)
    np.cumsum(columns.lengths[:-1].sum(axis=1, dtype=np.int64), out=begins[1:])
    stream = _stream(views, places, numbers, begins, int(columns.lengths.sum(dtype=np.int64)))
    postings = invert(stream, len(forms), begins, columns.lengths, weighting)
    return SegmentContent(trie, forms, postings, columns, [packed[i] for i in order])


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


def _places(masks: Sequence[NDArray[np.bool_]], order: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The merged number of every document of each segment, -1 for the deleted ones."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    places = []
    base = 0
    for mask in masks:
        own = np.full(len(mask), -1, np.int64)
        own[mask] = place[base : base + int(mask.sum())]
        base += int(mask.sum())
        places.append(own)
    return places


def _stream(
    views: Sequence[SegmentView],
    places: Sequence[NDArray[np.int64]],
    numbers: Sequence[NDArray[np.uint32]],
    begins: NDArray[np.int64],
    tokens: int,
) -> NDArray[np.uint32]:
    """The merged terms of all merged documents, one after the other."""
    stream = np.zeros(tokens, np.uint32)
    for view, own, table in zip(views, places, numbers, strict=True):
        view.segment.postings.write_back(view.segment.columns.lengths, own, table, begins, stream)
    return stream


def _union(
    views: Sequence[SegmentView], living: Sequence[NDArray[np.int64]]
) -> tuple[object, list[str], list[NDArray[np.uint32]]]:
    """One dictionary for all, written forms from the segment in which a term is most frequent.

    `living` says how often each term of each segment occurs; what comes back, its merged number.
    """
    best: dict[str, tuple[int, str]] = {}
    used: list[tuple[NDArray[np.int64], list[str]]] = []
    for view, counts in zip(views, living, strict=True):
        dictionary, numbers = view.segment.dictionary, np.flatnonzero(counts)
        used.append((numbers, [dictionary.term(number) for number in numbers.tolist()]))
        for number, term in zip(numbers.tolist(), used[-1][1], strict=True):
            if counts[number] > best.get(term, (0, ""))[0]:
                best[term] = (int(counts[number]), dictionary.form(number))
    trie, merged_numbers = numbered(terms := sorted(best))
    number_of = dict(zip(terms, merged_numbers.tolist(), strict=True))
    forms = [""] * len(terms)
    for term, number in number_of.items():
        forms[number] = best[term][1]
    tables = []
    for view, (numbers, found) in zip(views, used, strict=True):
        tables.append(np.zeros(len(view.segment.dictionary), np.uint32))
        tables[-1][numbers] = [number_of[term] for term in found]
    return trie, forms, tables
