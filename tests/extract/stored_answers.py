"""Readers for worker processes in tests. Workers import them by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from gossamer.model import DamagedFile, FetchResult
from gossamer.web.url import canonical

URL = canonical("http://cats.example/")


def read(job):
    """Play a page store; the job says what happens."""
    match job:
        case (what, mark):
            return once(what, Path(mark))
        case "for mybot":
            return answer('<title>x</title><meta name="MyBot" content="noindex">')
        case "die":
            os._exit(9)
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "nap" | "hang":
            time.sleep(60 if job == "hang" else 0.3)
        case "spin":
            while True:
                pass
        case "devour":
            bytearray(4 << 30)
        case "damaged":
            raise DamagedFile("pages/00001.warc.gz", "bad checksum")
        case "print":
            print("x" * 100_000)
        case "pid":
            return answer(f"<title>{os.getpid()}</title>")
        case "interrupt":
            os.kill(os.getpid(), signal.SIGINT)
    return answer(f"<title>{job}</title><p>text {job}")


def once(what, mark):
    """Misbehave at the first call, and answer the second."""
    if mark.exists():
        return answer("<title>at last</title>")
    mark.touch()
    return read(what)


def answer(html):
    return FetchResult(URL, 5.0, status=200, headers=(("Content-Type", "text/html"),), body=html.encode())
