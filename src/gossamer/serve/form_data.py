"""Read form data; cross-site check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import parse_qsl, urlsplit

from fastapi import Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request

MOST_FIELDS = 40
_KIND = "application/x-www-form-urlencoded"
_OWN = ("same-origin", "none")  # what browsers say of a form of ours; "none" after a reload


async def _read(request: Request) -> Mapping[str, str]:
    """The fields of a form of ours; how long the body may be is held by `RequestLimits`."""
    if not is_own(request):
        raise HTTPException(403, "this form does not come from a page of this server")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _KIND:
        raise HTTPException(400, f"forms are sent as {_KIND}")
    body = await request.body()
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise HTTPException(400, "this form cannot be read") from None


Form = Annotated[Mapping[str, str], Depends(_read)]


def is_own(request: Request) -> bool:
    """Whether the browser says that a page of ours sent this.

    Sec-Fetch-Site is believed where there is one, as no page can write it. Browsers leave it out where pages
    come without encryption; then Origin must name the host that was asked. Every browser of today sends one
    of the two.
    """
    fetched_from = request.headers.get("sec-fetch-site")
    if fetched_from is not None:
        return fetched_from in _OWN
    origin = request.headers.get("origin", "")
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https") and parts.netloc.lower() == request.headers.get("host", "").lower()
    )
