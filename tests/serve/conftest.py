"""A client over a fake engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from fake_engine import FakeEngine

from gossamer.serve.app import create_app

with warnings.catch_warnings():
    # Starlette wants a successor of httpx that is not in general use.
    warnings.filterwarnings("ignore", message="Using `httpx` with `starlette.testclient`")
    from starlette.testclient import TestClient


@pytest.fixture
def client_of() -> Callable[[FakeEngine], Any]:
    """Clients that answer what the server would, also when a handler fails."""
    return lambda engine: TestClient(create_app(engine), raise_server_exceptions=False)
