"""Gossamer: a whole web search engine that one person can own.

from gossamer import Engine

with Engine.open("my-search", create=True) as engine:
    engine.crawl(["https://example.org/"])
    for hit in engine.search("a question"):
        print(hit.url, hit.title)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.async_engine import AsyncEngine
    from gossamer.config import Config
    from gossamer.engine import Engine

__all__ = ["AsyncEngine", "Config", "Engine", "__version__"]
__version__ = "0.1.0.dev0"


_MODULES = {"AsyncEngine": "async_engine", "Config": "config", "Engine": "engine"}


def __getattr__(name: str) -> object:
    """Import the heavy parts when they are first named, so that `gossamer --help` stays quick."""
    if name in _MODULES:
        return getattr(import_module(f"gossamer.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'gossamer' has no attribute {name!r}")
