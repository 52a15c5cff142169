"""An index of phrases for tests."""

from __future__ import annotations

from gossamer.answer.completion.phrase_index import Phrases


def completions_of(phrases):
    """What answers for these phrases, each with its weight."""
    collected = Phrases()
    for text, weight in phrases:
        collected.add(text, weight)
    return collected.completions()
