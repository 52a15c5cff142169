"""Read form data; check that a form comes from this server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import parse_qsl, urlsplit

from fastapi import Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request

MOST_FIELDS = 40
_KIND = "application/x-www-form-urlencoded"
_OWN = ("same-origin", "none")  # Sec-Fetch-Site of our own forms; "none" after a reload


async def _read(request: Request) -> Mapping[str, str]:
    """Return the fields of one of our own forms. `RequestLimits` limits the size of the body."""
    if not is_own(request):
        raise HTTPException(403, "this form does not come from a page of this server")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _KIND:
        raise HTTPException(400, f"a form must be sent as {_KIND}")
    body = await request.body()
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise HTTPException(400, "this form cannot be read") from None


Form = Annotated[Mapping[str, str], Depends(_read)]


def is_own(request: Request) -> bool:
    """Return whether a page of this server sent the request.

    The header Sec-Fetch-Site decides if there is one, because scripts cannot set it. Browsers leave it out on
    unencrypted pages. Then the header Origin must name the requested host. All current browsers send at least
    one of the two.
    """
    fetched_from = request.headers.get("sec-fetch-site")
    if fetched_from is not None:
        return fetched_from in _OWN
    try:
        parts = urlsplit(request.headers.get("origin", ""))
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https") and parts.netloc.lower() == request.headers.get("host", "").lower()
    )
