"""How much does each word of a query count, beside how rare it is?

    emphasis = (k3 + 1) n / (k3 + n)          n is how often the word was typed
               * 0.1                          for a function word beside words that tell more

divided by the highest, so that it is 1 at most. Function words are not left out: a page that holds them too
still comes before one that does not. Reference for k3: Robertson, Walker, Jones, Hancock-Beaulieu, Gatford,
"Okapi at TREC-3", 1994.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from gossamer.search.condition import Reading
from gossamer.text.stopwords import telling

K3 = 8.0
LITTLE = 0.1


@dataclass(slots=True)  # not frozen: one is made for every query
class Emphasised:
    """The words of a query, each once."""

    words: tuple[Reading, ...]  # those that tell something come first
    emphasis: tuple[float, ...]  # nothing where all count alike
    telling: int  # how many tell something
    forms: tuple[tuple[str, ...], ...] = ()  # of each, as it was typed


def emphasised(
    typed: Sequence[str],
    slots: Sequence[Reading],
    languages: Iterable[str],
    written: Sequence[str] | None = None,
) -> Emphasised:
    """How much the words count that were typed; `slots` has the terms of each, `written` how it was written.

    Words that tell something are neighbours then where only function words part them.
    """
    told = telling(typed, languages)
    written = typed if written is None else written
    if False not in told and () not in slots and len(set(slots)) == len(slots):
        return Emphasised(tuple(slots), (), len(slots), tuple([(one,) if one else () for one in written]))
    tells = {slot for slot, own in zip(slots, told, strict=True) if own}
    counts = Counter(filter(None, sorted(slots, key=lambda slot: slot not in tells)))
    plain = [(1.0 if slot in tells else LITTLE) * (K3 + 1) * n / (K3 + n) for slot, n in counts.items()]
    highest = max(plain, default=1.0)
    forms: dict[Reading, dict[str, None]] = {slot: {} for slot in counts}
    for slot, one in zip(slots, written, strict=True):
        if one and slot:
            forms[slot][one] = None
    return Emphasised(
        tuple(counts),
        tuple([one / highest for one in plain]),
        len(tells & counts.keys()),
        tuple(map(tuple, forms.values())),
    )


def lessened(made: Emphasised, slots: Collection[Reading], share: float) -> Emphasised:
    """The same, with some of the words counting only a share."""
    if not slots:
        return made
    before = made.emphasis or (1.0,) * len(made.words)
    after = [own * (share if word in slots else 1.0) for word, own in zip(made.words, before, strict=True)]
    highest = max(after, default=1.0)
    return replace(made, emphasis=tuple([own / highest for own in after]))
