"""Error codes and messages of the API.

The codes are part of the API and do not change. The messages may change.

| code               | status | when |
|--------------------|--------|------|
| bad_query          | 400    | the query cannot be read; `position` says where |
| bad_request        | 400    | the request asks for something else that is impossible |
| bad_parameter      | 422    | a parameter is missing, or has a wrong value |
| log_in_needed      | 401    | only the owner may see this, after logging in |
| not_allowed        | 403    | the form was not made by a page of this server |
| not_found          | 404    | there is nothing at this URL |
| unknown_page       | 404    | the collection does not know this page |
| method_not_allowed | 405    | the URL does not support this method; `Allow` names those that it supports |
| not_ranked         | 409    | link ranks were not computed yet: run `gossamer rank` |
| body_too_large     | 413    | the body of the request is longer than 64 KB |
| url_too_long       | 414    | the URL of the request is longer than 32 KB |
| headers_too_large  | 431    | the headers of the request are longer than 16 KB |
| unknown_host       | 421    | the header `Host` names a host that the setting `serve.hosts` does not list |
| too_many_requests  | 429    | the rate limit is exceeded; `Retry-After` is the number of seconds to wait |
| too_busy           | 503    | too many requests at once; `Retry-After` as above |
| too_slow           | 503    | the request took too long and was stopped |
| engine_error       | 500    | the collection cannot be read; the server's log says why |
| internal_error     | 500    | a bug in Gossamer; the server's log has details |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from gossamer.model import BadFile, BadQuery, BadSetting, GossamerError, NotRanked, UnknownPage, UsageError
from gossamer.serve.request import mistake

# Mark the error position in a query
# ----------------------------------

AROUND = 40  # characters shown on each side


@dataclass(frozen=True, slots=True)
class PointedQuery:
    """A query split at the position of an error; `at` is empty at its end."""

    before: str
    at: str
    after: str


def pointed(query: str, position: int) -> PointedQuery:
    """Split a query at the position of an error, and shorten it.

    >>> pointed('cat "dog', 4)
    PointedQuery(before='cat ', at='"', after='dog')
    """
    start, end = max(position - AROUND, 0), position + 1 + AROUND
    before = ("…" if start else "") + query[start:position]
    after = query[position + 1 : end] + ("…" if end < len(query) else "")
    return PointedQuery(before, query[position : position + 1], after)


_OF_STATUS = {
    404: ("not_found", "there is nothing at this URL"),
    405: ("method_not_allowed", "this URL does not support this method"),
    413: ("body_too_large", "the body of a request may have at most 65,536 bytes"),
}
_BY_CODE = {401: "log_in_needed", 403: "not_allowed"}
_FOR_PROGRAMS = (
    "/api/",
    "/search.",
    "/suggest",
    "/healthz",
    "/metrics",
    "/openapi.json",
    "/owner/live.json",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a request failed."""

    status: int
    code: str
    message: str
    position: int | None = None  # in the query, from 0
    headers: Mapping[str, str] = field(default_factory=dict)
    remedy: str = ""  # a line for gossamer.toml

    def as_dict(self) -> dict[str, object]:
        where = {} if self.position is None else {"position": self.position}
        return {"error": {"code": self.code, "message": self.message, **where}}


def is_for_programs(path: str) -> bool:
    """Return whether a path is for programs: its errors are JSON.

    >>> is_for_programs("/api/search"), is_for_programs("/search.rss"), is_for_programs("/search")
    (True, True, False)
    """
    return path.startswith(_FOR_PROGRAMS)


def problem_of(error: Exception) -> Problem:
    """Return the problem of an exception. An unexpected exception is not described."""
    if isinstance(error, GossamerError):
        return _of_gossamer(error)
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        return Problem(422, "bad_parameter", mistake(str(first["loc"][-1]), first["type"]))
    if isinstance(error, HTTPException):
        told = _BY_CODE.get(error.status_code, "bad_request"), str(error.detail)
        code, message = _OF_STATUS.get(error.status_code, told)
        return Problem(error.status_code, code, message, headers=dict(error.headers or {}))
    return Problem(500, "internal_error", "a fault of this server, not of the request; its log has details")


def _of_gossamer(error: GossamerError) -> Problem:
    # Other errors name files of this machine: the log has them, but clients must not see them.
    if isinstance(error, BadFile) or not isinstance(error, UsageError | NotRanked):
        return Problem(
            500, "engine_error", "the collection cannot be read at the moment; the log has details"
        )
    if isinstance(error, BadQuery):
        return Problem(400, "bad_query", str(error), error.position)
    if isinstance(error, BadSetting):
        return Problem(422, "bad_parameter", str(error))
    if isinstance(error, UnknownPage):
        return Problem(404, "unknown_page", str(error))
    if isinstance(error, NotRanked):
        return Problem(409, "not_ranked", str(error))
    return Problem(400, "bad_request", str(error))
