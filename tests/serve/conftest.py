"""A client over a fake engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from fake_engine import FakeEngine

from gossamer.config import ServeSettings
from gossamer.serve.app import create_app
from gossamer.serve.owner_pages.base import OwnerState

with warnings.catch_warnings():
    # Starlette wants a successor of httpx that is not in general use.
    warnings.filterwarnings("ignore", message="Using `httpx` with `starlette.testclient`")
    from starlette.testclient import TestClient


@pytest.fixture(scope="session")
def client_of() -> Callable[..., Any]:
    """Clients that answer what the server would, also when a handler fails; settings are those of [serve]."""

    def client(
        engine: FakeEngine,
        visitor: str = "testclient",
        root: str = "",
        owned: OwnerState | None = None,
        **settings: Any,
    ) -> Any:
        # Tests ask more often than a person would, and by the name that the client gives the server.
        chosen = {"rate": 0.0, "hosts": ["testserver"]} | settings
        app = create_app(engine, ServeSettings(**chosen), owned)
        return TestClient(app, raise_server_exceptions=False, root_path=root, client=(visitor, 50000))

    return client
