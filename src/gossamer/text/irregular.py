"""Which base does an irregular form have, one to which no rule of a stemmer leads?

The base is stemmed in its place, in pages and in queries alike: "mice" and "mouse" are one term, as "cats"
and "cat" are. Nouns and verbs only: "better" is more often looked for than meant as a form of "good".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from gossamer.text.characters import folded
from gossamer.text.word_lists import section


@cache
def irregular_forms(language: str) -> Mapping[str, str]:
    """The bases of the irregular forms of a language; nothing for a language without a list.

    >>> irregular_forms("en")["geese"], irregular_forms("fr")["yeux"]
    ('goose', 'œil')
    """
    pairs = (line.split(":") for line in section("irregular", language))
    return MappingProxyType({folded(form): folded(base) for base, forms in pairs for form in forms.split()})
