"""Endpoints of the API and their OpenAPI description.

openapi.json has the responses of each endpoint with examples, the errors, and the schemas of all responses.
The parameters are described where they are parsed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

DESCRIBED: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
ALWAYS = (413, 414, 421, 429, 431, 500, 503)  # statuses that any request may get


class DescribedApi(FastAPI):
    """A FastAPI application whose description includes the schemas of all responses."""

    def openapi(self) -> dict[str, Any]:
        return super().openapi() | {"components": {"schemas": DESCRIBED["schemas"]}}


def add_endpoint(
    router: APIRouter,
    path: str,
    handler: Callable[..., Any],
    *errors: int,
    parameters: type[BaseModel] | None = None,
    response_class: type[Response] = JSONResponse,
) -> None:
    """Add an endpoint for GET and HEAD. `parameters` are those that the handler parses itself.

    It needs two routes: one route with both methods would be described twice.
    """
    told: dict[int | str, dict[str, Any]] = {200: DESCRIBED["answers"][path]}
    told |= {status: DESCRIBED["errors"][str(status)] for status in sorted({*errors, *ALWAYS})}
    router.add_api_route(
        path,
        handler,
        response_class=response_class,
        responses=told,
        openapi_extra={"parameters": _described(parameters)} if parameters else None,
    )
    router.add_api_route(path, handler, methods=["HEAD"], include_in_schema=False)


def _described(parameters: type[BaseModel]) -> list[dict[str, Any]]:
    schema = parameters.model_json_schema()
    needed = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in needed, "schema": _plain(own)}
        | {"description": own["description"]}
        for name, own in schema["properties"].items()
    ]


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without a default of None."""
    return {name: value for name, value in schema.items() if name != "default" or value is not None}
