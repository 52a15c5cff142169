"""Which parameters do the page and the API take, and what must they be?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Header, Query
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.datastructures import QueryParams

from gossamer.serve.paging import DEEPEST, LAST_PAGE

MOST_AT_ONCE = 100  # results
MOST_CONTEXT = 3  # queries
MOST_PREFERRED = 10  # hosts
LONGEST_CONTEXT = 200  # characters of each
LONGEST_LABEL = 200  # characters of a group's name

Asked = Annotated[str, Query(description='What to look for: words, "phrases", -exclusions, site:host.')]
Count = Annotated[int, Query(ge=1, le=MOST_AT_ONCE, description="How many results.")]
Offset = Annotated[int, Query(ge=0, lt=DEEPEST, description="How many results to skip.")]
Scheme = Annotated[str | None, Query(description="The weighting scheme.")]
Algorithm = Annotated[str | None, Query(description="The retrieval algorithm.")]
Explain = Annotated[bool, Query(description="Whether to say how each score came about.")]
Everything = Annotated[
    bool, Query(description="Whether to list by score alone, with nothing put off or folded.")
]
Correct = Annotated[
    bool,
    Query(description="Whether to answer a better spelling or an easier query where this one finds nothing."),
]
Newest = Annotated[bool, Query(description="Whether to list all that match by date, the newest first.")]
Facets = Annotated[bool, Query(description="Whether to count by what the results could be narrowed.")]
Languages = Annotated[
    str, Query(description="Codes of the languages that the person prefers, such as de,en.", max_length=200)
]
RankName = Annotated[
    str | None,
    Query(description="What links count by: auto, a rank that is stored, hits, hubs, salsa or none."),
]
TopicName = Annotated[str | None, Query(description="A topic of the collection, by which links count.")]
Clusters = Annotated[bool, Query(description="Whether to group the best results by what they are about.")]
ClusterLabel = Annotated[
    str, Query(description="The label of the only group whose results are wanted.", max_length=200)
]
Country = Annotated[
    str,
    Query(
        description="The country where the person is, by its two letters; none so that it does not count.",
        pattern="^([A-Za-z]{2}|none|auto|)$",
    ),
]
Context = Annotated[
    list[str],
    Query(description="What the person searched for before, the last first.", max_length=MOST_CONTEXT),
]
Preferred = Annotated[
    list[str], Query(description="Hosts that the person prefers.", max_length=MOST_PREFERRED)
]
PreferredTopic = Annotated[
    str,
    Query(
        description="A topic that the person cares for: links count half by it, if it is known.",
        max_length=LONGEST_CONTEXT,
    ),
]
AcceptLanguage = Annotated[str, Header(include_in_schema=False)]  # what browsers send by themselves
Begun = Annotated[str, Query(description="What was typed so far.")]
Address = Annotated[str, Query(description="The page's address; its scheme may be left out.")]
WithText = Annotated[bool, Query(description="Whether to give what the page says.")]
PageNumber = Annotated[int, Query(ge=1, le=LAST_PAGE, description="Which ten results.")]
Label = Annotated[str, Query(max_length=LONGEST_LABEL)]


class OfThePage(BaseModel):
    """What the page of results takes."""

    q: str = ""
    page: PageNumber = 1
    everything: Everything = False
    newest: Newest = False
    explain: Explain = False
    correct: bool = True
    cluster: Label = ""
    topic: Label = ""
    within: str = ""
    country: Country = ""
    languages: Languages = ""
    context: Context = []
    prefer: Preferred = []
    prefer_topic: PreferredTopic = ""

    @classmethod
    def read(cls, given: QueryParams) -> OfThePage:
        """All at once: one after the other, as the framework reads them, takes ten times as long."""
        values: dict[str, object] = dict(given)
        for name in ("context", "prefer"):
            if name in values:
                values[name] = given.getlist(name)
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise RequestValidationError(error.errors()) from error


_MUST_BE = {
    "k": f"a whole number from 1 to {MOST_AT_ONCE}",
    "offset": f"a whole number from 0 to {DEEPEST - 1}",
    "page": f"a whole number from 1 to {LAST_PAGE}",
    "explain": "true or false",
    "everything": "true or false",
    "correct": "true or false",
    "clusters": "true or false",
    "newest": "true or false",
    "facets": "true or false",
    "text": "true or false",
    "country": "the two letters of a country, none or auto",
    "context": f"given at most {MOST_CONTEXT} times",
    "prefer": f"given at most {MOST_PREFERRED} times",
}


def shortened(texts: Sequence[str]) -> tuple[str, ...]:
    """Earlier queries or hosts as far as they are read; empty ones are left out."""
    return tuple(text for one in texts if (text := one[:LONGEST_CONTEXT].strip()))


def mistake(name: str, kind: str) -> str:
    """What is wrong with a parameter, in our words; `kind` is what pydantic calls it.

    >>> mistake("k", "int_parsing"), mistake("q", "missing")
    ('k must be a whole number from 1 to 100', 'q is missing')
    """
    if kind == "missing":
        return f"{name} is missing"
    return f"{name} must be {_MUST_BE[name]}" if name in _MUST_BE else f"{name} cannot be read"
