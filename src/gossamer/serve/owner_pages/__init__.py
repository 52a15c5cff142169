"""Owner's pages below /owner.

In: what an owner can see and change of a collection (`OwnerState`). Out: routes, behind a token that stands
in the collection. Every change is a POST with a field that only our own pages know; a GET changes nothing.
"""
