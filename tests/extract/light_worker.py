"""A fork server with simple workers, so that it starts at once: used by tests of supervision."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

from gossamer.extract.workers import fork_server
from gossamer.model import Page


def popen(theirs):
    """Start one; replaces `_popen` of `gossamer.extract.workers.pool`."""
    return start(theirs, __file__)


def start(theirs, *command):
    return subprocess.Popen(
        [sys.executable, *command],
        stdin=theirs.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def title_only(result, agent, rules=()):
    title = result.body.decode().partition("<title>")[2].partition("</title>")[0]
    return Page(result.url, result.fetched_at, title=title)


def main():
    document = ModuleType("gossamer.extract.document")
    document.extract = title_only
    sys.modules[document.__name__] = document
    fork_server.main()


if __name__ == "__main__":
    main()
