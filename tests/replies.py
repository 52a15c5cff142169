"""Replies of a scripted web that only tests need."""

from dataclasses import replace

from gossamer.demo.scripted_web import Reply


def slow(reply, delay):
    """Delay a reply, by seconds."""
    return replace(reply, delay=delay)


def huge(size):
    """Make an HTML page of `size` bytes."""
    start = b"<!doctype html><title>Huge</title><p>"
    return Reply(200, (start + b"word " * (size // 5 + 1))[:size], {"Content-Type": "text/html"})
