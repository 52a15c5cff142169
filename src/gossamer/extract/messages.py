"""What passes between the pool and its worker processes."""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import Any

from gossamer.model import Url

HEADER = struct.Struct("<Q")  # the length of the pickle that follows


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a worker is for."""

    path: tuple[str, ...]  # sys.path of the parent, so that `read` can be found
    read: bytes  # pickled: job -> FetchResult
    timeout: float
    memory_mb: int
    agent: str  # the name by which authors speak to this crawler


@dataclass(frozen=True, slots=True)
class Task:
    """One document to read."""

    job: Any
    url: Url
    fetched_at: float


def framed(value: object) -> bytes:
    """A value as it travels: its length, then its pickle."""
    payload = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return HEADER.pack(len(payload)) + payload
