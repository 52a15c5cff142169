"""A real server on a real port."""

from __future__ import annotations

import json
import signal
import socket
import threading
import urllib.request

import pytest
from fake_engine import FakeEngine, hits

from gossamer.model import GossamerError
from gossamer.serve.server import bind, run


def test_serves_until_interrupted():
    """The visitor asks once it is told the address, then presses Ctrl-C."""
    seen: dict[str, object] = {}

    def visit(address: str) -> None:
        try:
            asked = urllib.request.Request(f"{address}api/status", method="HEAD")
            with urllib.request.urlopen(asked, timeout=60) as answer:
                seen["head"] = (answer.status, answer.read())
            with urllib.request.urlopen(f"{address}api/search?q=cat", timeout=60) as answer:
                seen["answer"] = json.load(answer)
                seen["server"] = answer.headers.get("server")
        finally:
            signal.raise_signal(signal.SIGINT)

    def ready(address: str) -> None:
        seen["address"] = address
        threading.Thread(target=visit, args=(address,)).start()

    run(FakeEngine(hits(2)), "127.0.0.1", 0, ready)
    assert str(seen["address"]).startswith("http://127.0.0.1:")
    assert seen["answer"]["total"] == 2
    assert seen["server"] is None
    assert seen["head"] == (200, b"")


def test_a_port_in_use_is_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        expected = f"port {port} on 127.0.0.1 is in use; choose another port with --port"
        with pytest.raises(GossamerError, match=f"^{expected}$"):
            run(FakeEngine(), "127.0.0.1", port)


def test_other_refusals_say_what_to_change():
    with pytest.raises(GossamerError, match=r"there is no port 70000.*--port"):
        bind("127.0.0.1", 70000)
    with pytest.raises(GossamerError, match=r"cannot listen on 192\.0\.2\.1: .*--host"):
        bind("192.0.2.1", 0)
