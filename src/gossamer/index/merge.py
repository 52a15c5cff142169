"""Many small segments into one, without what was deleted.

Tiered: segments fall into tiers by the power of the merge factor that their size reaches, and a full tier
becomes one segment of the next. Every document is thus rewritten once a tier. Documents stand in the order of
their hosts in every segment, before and after: so lists are merged as they are read, some terms at a time,
and a merge takes no more memory when segments grow, but for a few bytes a term and a document.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.index.columns import host_ranks, merged_columns, write_columns
from gossamer.index.dictionary import write_dictionary
from gossamer.index.lexicon import merged_lexicon, write_lexicon
from gossamer.index.manifest import SegmentEntry
from gossamer.index.merge_kernel import count_living
from gossamer.index.merge_postings import merge_postings
from gossamer.index.postings import MOST, MOST_DOCUMENTS
from gossamer.index.segment import COLUMNS, STORED, TERMS, WORDS, new_segment
from gossamer.index.snapshot import SegmentView
from gossamer.index.stored_merge import merge_stored
from gossamer.index.union import union

SMALLEST_TIER = 1000  # documents: below it all segments are alike

Places = NDArray[np.int64]


def choose(entries: Sequence[SegmentEntry], factor: int) -> list[SegmentEntry]:
    """The segments to merge now, or none. A segment that is mostly deleted is rewritten alone."""
    tiers: dict[int, list[SegmentEntry]] = defaultdict(list)
    for entry in entries:
        if entry.deleted_documents * 2 > entry.documents:
            return [entry]
        tiers[int(math.log(max(1.0, entry.alive / SMALLEST_TIER), factor))].append(entry)
    full = [fitting for tier in tiers.values() if len(fitting := fitting_together(tier)) >= factor]
    return min(full, key=lambda tier: sum(entry.alive for entry in tier)) if full else []


def fitting_together(entries: Sequence[SegmentEntry]) -> list[SegmentEntry]:
    """As many as one segment can hold, the smallest first."""
    ordered = sorted(entries, key=lambda entry: entry.size)
    sizes = accumulate(entry.size for entry in ordered)
    documents = accumulate(entry.alive for entry in ordered)
    return [
        entry
        for entry, size, alive in zip(ordered, sizes, documents, strict=True)
        if size <= MOST and alive <= MOST_DOCUMENTS
    ]


def merge_into(folder: Path, views: Sequence[SegmentView]) -> int:
    """Writes one segment with all living documents of these; returns how many bytes its positions take."""
    masks = [view.alive() for view in views]
    ranks = host_ranks([view.segment.columns for view in views])
    living_ranks = [own[mask] for own, mask in zip(ranks, masks, strict=True)]
    order = np.argsort(np.concatenate(living_ranks), kind="stable")
    places = _places(masks, order)
    living = [_living(view, own) for view, own in zip(views, places, strict=True)]
    dictionary, tables = union([view.segment.dictionary for view in views], living)
    with new_segment(folder):
        write_dictionary(folder / TERMS, dictionary)
        write_lexicon(folder / WORDS, merged_lexicon([view.segment.lexicon for view in views]))
        all_postings = [view.segment.postings for view in views]
        size = merge_postings(folder, all_postings, places, tables, living, len(dictionary))
        write_columns(folder / COLUMNS, merged_columns([v.segment.columns for v in views], masks, order))
        merge_stored(folder / STORED, [view.segment.stored for view in views], masks, order)
    return size


def _places(masks: Sequence[NDArray[np.bool_]], order: NDArray[np.int64]) -> list[Places]:
    """The merged number of every document of each segment, -1 for the deleted ones."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    places = []
    base = 0
    for mask in masks:
        own = np.full(len(mask), -1, np.int64)
        own[mask] = place[base : base + int(mask.sum())]
        base += int(mask.sum())
        assert (np.diff(own[mask]) > 0).all(), (
            "the documents of a segment are not in the order of their hosts"
        )
        places.append(own)
    return places


def _living(view: SegmentView, places: Places) -> NDArray[np.int64]:
    """How many living documents hold each term of a segment."""
    postings = view.segment.postings
    if not len(view.deleted):
        return postings.frequencies()
    arrays = (postings.term_entries, postings.entry_ranges, postings.entry_postings, postings.posting_docs)
    return count_living(*arrays, places)
