"""Fork server that starts workers (`python -m`).

python -m gossamer.extract.nursery

Standard input is a socket. First comes an `Assignment`, answered by "" or by what is wrong with it. Then each
message carries a socket: a worker is forked that serves it, and its process comes back as a descriptor (or a
number, where the system knows no such descriptors). Loading Numba and the kernels takes most of a second, and
half a minute the first time, when they are compiled: here it happens once, not once a worker, and before
their memory is limited. When the parent's end is closed the nursery waits for its workers, whose own sockets
the parent has closed as well, and ends.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gossamer.extract.workers.messages import HEADER, Assignment, exactly, framed_text
from gossamer.extract.workers.worker import serve, warm_up
from gossamer.model import FetchResult

LOADING_LIMIT = 600.0  # seconds; nothing else would end a process that hangs while it loads


def main() -> None:
    """Serves the socket that is standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = socket.socket(fileno=0)
    signal.setitimer(signal.ITIMER_REAL, LOADING_LIMIT)
    assignment = _assignment(parent)
    if assignment is None:
        return
    try:
        sys.path[:] = assignment.path
        read: Callable[[Any], FetchResult] = pickle.loads(assignment.read)
        warm_up(assignment.agent)
    except Exception as error:  # told to the parent, which raises it
        parent.sendall(framed_text(f"{type(error).__name__}: {error}"))
        return
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    parent.sendall(framed_text(""))
    with suppress(BrokenPipeError, ConnectionResetError):  # the parent is gone
        _raise_workers(parent, assignment, read)
    _wait_for_all()


def _assignment(parent: socket.socket) -> Assignment | None:
    try:
        (length,) = HEADER.unpack(exactly(parent, HEADER.size))
        value = pickle.loads(exactly(parent, length))
    except EOFError:
        return None
    return value if isinstance(value, Assignment) else None


def _raise_workers(parent: socket.socket, assignment: Assignment, read: Callable[[Any], FetchResult]) -> None:
    while True:
        message, descriptors, _, _ = socket.recv_fds(parent, 1, 1)
        _bury_the_dead()
        if not message or not descriptors:
            return
        child = os.fork()
        if not child:
            parent.close()
            _work(socket.socket(fileno=descriptors[0]), assignment, read)
        os.close(descriptors[0])
        _report(parent, child)


def _work(connection: socket.socket, assignment: Assignment, read: Callable[[Any], FetchResult]) -> None:
    """The life of a worker; it never returns into the code of the nursery."""
    code = 1
    try:
        with connection, connection.makefile("rb") as stream:
            serve(stream, connection.sendall, assignment, read)
        code = 0
    except (BrokenPipeError, ConnectionResetError):
        code = 0  # the parent is gone
    finally:
        os._exit(code)


def _report(parent: socket.socket, child: int) -> None:
    """Tells which process it is: its number, and a descriptor that means no other process later."""
    number = child.to_bytes(8, "little")
    if hasattr(os, "pidfd_open"):
        descriptor = os.pidfd_open(child)
        socket.send_fds(parent, [number], [descriptor])
        os.close(descriptor)
    else:
        parent.sendall(number)


def _bury_the_dead() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _wait_for_all() -> None:
    """Their times are counted with ours: whoever measures the parent measures them too."""
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


if __name__ == "__main__":
    main()
