"""What are pages called that a rank or a graph knows by their fingerprints?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.partition import Partition


def names_of(partitions: Sequence[Partition], pages: NDArray[np.uint64]) -> list[tuple[str, str]]:
    """URL and title of pages, for people; a page that is not in the index has no title."""
    found = zip(known_names_of(partitions, pages), pages.tolist(), strict=True)
    return [(url or unknown(page), title) for (url, title), page in found]


def known_names_of(partitions: Sequence[Partition], pages: NDArray[np.uint64]) -> list[tuple[str, str]]:
    """The same with "" for a URL that is not known: the link log only has its fingerprint."""
    titles = _titles(partitions, pages)
    return [titles.get(page) or (_known_url(partitions, page), "") for page in pages.tolist()]


def unknown(fingerprint: int) -> str:
    """What stands in the place of a URL that is not known."""
    return f"(not in the catalogue: {fingerprint:016x})"


def _titles(partitions: Sequence[Partition], wanted: NDArray[np.uint64]) -> dict[int, tuple[str, str]]:
    """URL and title of those pages that are in an index."""
    found = {}
    for partition in partitions:
        for view in partition.index.snapshot().views:
            places = view.segment.places(wanted)
            for doc in set(places[places >= 0].tolist()) - set(view.deleted.tolist()):
                stored = view.segment.stored.document(doc)
                found[int(view.segment.columns.fingerprints[doc])] = (stored.url, stored.title)
    return found


def _known_url(partitions: Sequence[Partition], fingerprint: int) -> str:
    rows = (partition.catalogue.url(fingerprint) for partition in partitions)
    return next((row.url.text for row in rows if row is not None), "")
