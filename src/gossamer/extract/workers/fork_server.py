"""Fork server that starts workers (`python -m`).

    python -m gossamer.extract.workers.fork_server

Standard input is a socket to the parent. The parent first sends a `WorkerSetup`; the reply is "" or an error.
Then each message carries a socket. The fork server forks a worker that serves this socket, and replies with
the number of its process and, where the system supports it, a process descriptor.

Loading Numba and the kernels takes most of a second, and half a minute the first time, when they are
compiled. The fork server does it once for all workers, and before their memory is limited.

When the parent closes its end, the fork server waits for its workers and exits. The parent has closed their
sockets too, so that they end.
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

from gossamer.extract.workers.messages import WorkerSetup, framed_text, received_value
from gossamer.extract.workers.worker import serve, warm_up
from gossamer.model import FetchResult

LOADING_LIMIT = 600.0  # seconds; nothing else would end a process that hangs while it loads


def main() -> None:
    """Serve the socket that is standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = socket.socket(fileno=0)
    signal.setitimer(signal.ITIMER_REAL, LOADING_LIMIT)
    with parent.makefile("rb") as stream:
        setup = received_value(stream)
    if not isinstance(setup, WorkerSetup):
        return
    try:
        sys.path[:] = setup.path
        read: Callable[[Any], FetchResult] = pickle.loads(setup.read)
        warm_up(setup.agent)
    except Exception as error:  # sent to the parent, which raises it
        parent.sendall(framed_text(f"{type(error).__name__}: {error}"))
        return
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    parent.sendall(framed_text(""))
    with suppress(BrokenPipeError, ConnectionResetError):  # the parent is gone
        _fork_workers(parent, setup, read)
    _reap(0)  # wait for all workers: their processor times are added to those of this process


def _fork_workers(parent: socket.socket, setup: WorkerSetup, read: Callable[[Any], FetchResult]) -> None:
    while True:
        message, descriptors, _, _ = socket.recv_fds(parent, 1, 1)
        _reap(os.WNOHANG)
        if not message or not descriptors:
            return
        child = os.fork()
        if not child:
            parent.close()
            _work(socket.socket(fileno=descriptors[0]), setup, read)
        os.close(descriptors[0])
        _report(parent, child)


def _work(connection: socket.socket, setup: WorkerSetup, read: Callable[[Any], FetchResult]) -> None:
    """Run a worker in a forked process; never returns."""
    code = 1
    try:
        gone = suppress(BrokenPipeError, ConnectionResetError)  # the parent is gone
        with gone, connection, connection.makefile("rb") as stream:
            serve(stream, connection.sendall, setup, read)
        code = 0
    finally:
        os._exit(code)


def _report(parent: socket.socket, child: int) -> None:
    """Send the number of a worker process, and a descriptor: numbers can be reused, descriptors cannot."""
    number = child.to_bytes(8, "little")
    if hasattr(os, "pidfd_open"):
        descriptor = os.pidfd_open(child)
        socket.send_fds(parent, [number], [descriptor])
        os.close(descriptor)
    else:
        parent.sendall(number)


def _reap(options: int) -> None:
    """Collect the exit status of workers: of all with options 0, of those that have ended with WNOHANG."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass


if __name__ == "__main__":
    main()
