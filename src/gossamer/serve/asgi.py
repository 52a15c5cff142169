"""The ASGI application of a collection, for other servers and applications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fastapi import FastAPI

from gossamer.async_engine import AsyncEngine
from gossamer.config import ServeSettings
from gossamer.engine import Engine
from gossamer.model import UsageError
from gossamer.serve.app import create_app
from gossamer.serve.owner_pages.base import owned
from gossamer.serve.searchable import QueryCounting, SearchEngine


def asgi_app(
    engine: Engine | AsyncEngine, *, hosts: str | Sequence[str] = (), owner: bool = False
) -> FastAPI:
    """Make an ASGI application of the search page and the JSON API.

    Run it with any ASGI server, or mount it in a Starlette or FastAPI application at any path. The settings
    of section `[serve]` hold. The engine stays open until you close it.

    Args:
        engine: The engine that answers. Call `engine.warm_up()` first for a fast first query.
        hosts: Host names under which the application is requested, besides this machine and those of the
            setting `hosts`, such as `"search.example.org"` or `"*.example.org"`. `"*"` allows all: use it
            where a proxy or another application checks the header Host. Requests for other hosts get
            status 421, also those of a test client: give it `base_url="http://localhost"`, or set
            `hosts="*"`.
        owner: Add the owner's pages below /owner and the forms for visitors, as far as the settings allow.

    Returns:
        The application. Its paths, below the path where it is mounted: the search page `/` and
        `/search?q=...&page=2` (always ten results), JSON `/api/search?q=...&k=20`, suggestions
        `/suggest?q=...`, the feeds `/search.rss` and `/search.atom`, and a description of the API
        `/openapi.json`.

    Raises:
        UsageError: `engine` is not an engine, but the name of a folder, for example.
        BadSetting: A name in `hosts` is no host name.

    Example:
        >>> from starlette.applications import Starlette
        >>> from starlette.routing import Mount
        >>> app = Starlette(routes=[Mount("/search", asgi_app(engine, hosts="www.example.org"))])
    """
    reading = engine.engine if isinstance(engine, AsyncEngine) else engine
    if not isinstance(reading, Engine):
        raise UsageError(f"asgi_app needs an engine, not {engine!r}; open it with: Engine.open({engine!r})")
    answering, settings = served(reading)
    more = [hosts] if isinstance(hosts, str) else hosts
    settings = replace(settings, hosts=[*settings.hosts, *more])
    return create_app(answering, settings, owned(reading) if owner else None)


def served(engine: Engine) -> tuple[SearchEngine, ServeSettings]:
    """Return the engine that answers requests, and the settings of the server, as in gossamer.toml."""
    settings = engine.config.serve
    if settings.address_database:
        settings = replace(settings, address_database=str(engine.directory / settings.address_database))
    return QueryCounting(engine, engine.query_log) if settings.query_log else engine, settings
