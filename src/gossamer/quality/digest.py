"""Do two pages say exactly the same?"""

from __future__ import annotations

import unicodedata
from hashlib import blake2b

from gossamer.model import Page

DIGEST_BYTES = 16


def content_digest(page: Page) -> bytes:
    """16 bytes of BLAKE2b over title and main text; case, spacing and Unicode spelling do not count.

    What stands around the main text does not count either: the same article under two site designs is one.
    """
    digest = blake2b(digest_size=DIGEST_BYTES)
    for part in (page.title, page.text):
        # the separator cannot stand in normalised text, so no title runs into a text
        digest.update(_normalised(part).encode("utf-8", "surrogatepass") + b"\x00")
    return digest.digest()


def _normalised(text: str) -> str:
    spaced = " ".join(text.replace("\x00", " ").split())
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", spaced).casefold())
