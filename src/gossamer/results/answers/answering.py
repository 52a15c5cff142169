"""Which instant answers does a query have?"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from gossamer.model import InstantAnswer
from gossamer.results.answers.arithmetic import arithmetic
from gossamer.results.answers.asking import Answerer, Asked, Context
from gossamer.results.answers.clock import clock
from gossamer.results.answers.colours import colour
from gossamer.results.answers.coordinates import coordinates
from gossamer.results.answers.countries import country
from gossamer.results.answers.currency import currency
from gossamer.results.answers.dates import dates
from gossamer.results.answers.flights import flight
from gossamer.results.answers.gate import may_be_answered
from gossamer.results.answers.identifiers import identifier
from gossamer.results.answers.internet import internet
from gossamer.results.answers.parcels import parcel
from gossamer.results.answers.places import place
from gossamer.results.answers.stocks import stock
from gossamer.results.answers.telephone import telephone
from gossamer.results.answers.units import units

# What gives answers of which kinds; the surest first.
ANSWERERS: Mapping[Answerer, tuple[str, ...]] = {
    coordinates: ("coordinates",),
    internet: ("ip",),
    parcel: ("parcel",),
    identifier: ("isbn", "issn", "ean", "doi", "iban"),
    colour: ("colour",),
    stock: ("stock",),
    flight: ("flight",),
    telephone: ("telephone",),
    country: ("country",),
    clock: ("time",),
    dates: ("date",),
    units: ("units",),
    currency: ("currency",),
    arithmetic: ("arithmetic",),
    place: ("place",),
}
KINDS = tuple(kind for kinds in ANSWERERS.values() for kind in kinds)


def answers(query: str, context: Context, without: Collection[str] = ()) -> tuple[InstantAnswer, ...]:
    """The surest one; mostly none.

    >>> [one.answer for one in answers("15% of 80", Context())]
    ['12']
    """
    asked = Asked.of(query)
    if asked is None:
        return ()
    answerers = ANSWERERS if may_be_answered(query) else (place,)
    for answer in answerers:
        found = answer(asked, context)
        if found is not None and found.kind not in without:
            return (found,)  # 10.1000/182 is no sum besides
    return ()
