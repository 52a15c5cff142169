"""Owner's pages below /owner.

The input is what an owner can see and change of a collection (`OwnerState`). The output is routes that
require a token, which is stored in the collection. Every change is a POST with a field that only our own
pages know. A GET changes nothing.
"""
