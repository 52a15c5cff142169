"""A fork server whose first workers misbehave, or that misbehaves itself."""

from __future__ import annotations

import os
import socket
import sys
import time

import light_worker

from gossamer.extract.workers import fork_server, worker
from gossamer.extract.workers.messages import HEADER, framed_page, framed_text, received_value
from gossamer.model import Page, Url


def page(task):
    return framed_page(Page(Url.parsed(task.url), task.fetched_at, title=f"{task.job}"))


def answer(how, task):
    match how:
        case "garbles":
            return framed_text("no page at all")
        case "lies":
            return framed_page(Page(Url.parsed("http://bank.example/"), title="pay here"))
        case "doubles":
            return page(task) * 2
        case "boasts":
            return HEADER.pack(1 << 62)
        case "starves":
            return HEADER.pack(1000) + b"x"
        case "floods":
            return bytes(1 << 20)
    return page(task)


def misbehave(how, stream, send):
    if how == "leaves":
        return
    if how == "chatters":
        send(framed_text("nobody asked"))
        time.sleep(60)
    while task := received_value(stream):
        send(answer(how, task))


def refuse(how):
    """Play a fork server that never makes a worker."""
    connection = socket.socket(fileno=0)
    connection.recv(1 << 20)
    if how == "sleeps":
        time.sleep(60)
    connection.sendall(HEADER.pack(2) + b"\xff\xfe" if how == "refuses" else framed_text(""))


def main():
    how, rogues = sys.argv[1], int(sys.argv[2])
    if how in {"refuses", "sleeps", "quits"}:
        refuse(how)
        return
    forks, fork = 0, os.fork

    def counted():
        nonlocal forks
        forks += 1
        return fork()

    def serve(stream, send, setup, read):
        if forks > rogues:
            worker.serve(stream, send, setup, read)
        else:
            misbehave(how, stream, send)

    os.fork, fork_server.serve = counted, serve
    light_worker.main()


if __name__ == "__main__":
    main()
