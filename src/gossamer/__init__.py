"""Gossamer: a whole web search engine that one person can own.

from gossamer import Engine

with Engine.open("my-search", create=True) as engine:
    engine.crawl(["https://example.org/"])
    for hit in engine.search("a question"):
        print(hit.url, hit.title)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.async_engine import AsyncEngine
    from gossamer.config import Config
    from gossamer.engine import Engine

__all__ = ["AsyncEngine", "Config", "Engine", "__version__"]
__version__ = "0.1.0.dev0"


def __getattr__(name: str) -> object:
    """The heavy parts are imported when they are first named, so that `gossamer --help` stays quick."""
    if name == "Engine":
        from gossamer.engine import Engine

        return Engine
    if name == "AsyncEngine":
        from gossamer.async_engine import AsyncEngine

        return AsyncEngine
    if name == "Config":
        from gossamer.config import Config

        return Config
    raise AttributeError(f"module 'gossamer' has no attribute {name!r}")
