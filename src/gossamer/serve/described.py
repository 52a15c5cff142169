"""How does /openapi.json describe answers and errors? Each with an example."""

from __future__ import annotations

from typing import Any

from gossamer.serve.schema import ErrorAnswer

Responses = dict[int | str, dict[str, Any]]

JSON = "application/json"

# What each status may say; the codes are those of `problems`.
ERRORS = {
    400: (
        "The query or the address cannot be read.",
        {
            "bad_query": "cannot read the query at character 5: this quotation mark is never closed",
            "bad_request": "not a web address: 'http://' (it names no host)",
        },
    ),
    404: ("Nobody knows that page.", {"unknown_page": "http://example.org/ is not known here"}),
    409: ("Links were not counted yet.", {"not_ranked": "nothing is ranked yet; run: gossamer rank"}),
    413: (
        "The request's body is too large.",
        {"body_too_large": "the body of a request may have 65,536 bytes"},
    ),
    414: ("The request's address is too long.", {"url_too_long": "an address may have 32,768 bytes"}),
    421: (
        "The header Host names a host for which this server does not speak.",
        {
            "unknown_host": "this server does not answer to the host example.org; where it should, add the "
            'host to the setting serve.hosts, in [serve] of gossamer.toml: hosts = ["example.org"]'
        },
    ),
    422: ("A parameter is missing, or has a wrong value.", {"bad_parameter": "q is missing"}),
    429: (
        "Too many requests; Retry-After says when to come back.",
        {"too_many_requests": "too many requests from this address"},
    ),
    431: ("The request's headers are too large.", {"headers_too_large": "headers may have 16,384 bytes"}),
    500: (
        "The server failed.",
        {
            "engine_error": "the collection cannot be read just now; the log says more",
            "internal_error": "a fault of this server, not of what was asked; its log says more",
        },
    ),
    503: (
        "The server is busy, or this took too long; Retry-After says when to come back.",
        {
            "too_busy": "too many requests are on their way; please try again",
            "too_slow": "this took too long and was given up",
        },
    ),
}
# By reference: FastAPI would make a validator for each model of each route, which takes a third of a second.
_SCHEMA = {"$ref": "#/components/schemas/ErrorAnswer"}
DEFINED = {"model": ErrorAnswer}  # on one route, so that the reference leads somewhere
ALWAYS = (413, 414, 421, 429, 431, 500, 503)  # statuses with which any request may be answered


def responses(example: object, *statuses: int, kind: str = JSON, schema: object = None) -> Responses:
    """The answer of an endpoint, and its errors."""
    content: dict[str, Any] = {"example": example} | ({} if schema is None else {"schema": schema})
    told: Responses = {200: {"content": {kind: content}}}
    return told | {status: _error(status) for status in sorted({*statuses, *ALWAYS})}


def _error(status: int) -> dict[str, Any]:
    description, messages = ERRORS[status]
    examples = {code: {"value": _example(code, message)} for code, message in messages.items()}
    return {"description": description, "content": {JSON: {"schema": _SCHEMA, "examples": examples}}}


def _example(code: str, message: str) -> dict[str, Any]:
    where = {"position": 4} if code == "bad_query" else {}
    return {"error": {"code": code, "message": message, **where}}
