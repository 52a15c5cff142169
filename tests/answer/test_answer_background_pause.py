"""Work in the background lets those who search go first, and ends in any case."""

from __future__ import annotations

import threading
import time

from gossamer.answer.completion import suggestions as courtesy
from gossamer.answer.completion.suggestions import BackgroundPause


def waiting(polite):
    """A thread that pauses once."""
    thread = threading.Thread(target=polite.pause, daemon=True)
    thread.start()
    return thread


def test_it_waits_while_somebody_searches_and_goes_on_afterwards(monkeypatch):
    monkeypatch.setattr(courtesy, "LONGEST", 600.0)
    polite = BackgroundPause()
    with polite:
        with polite:
            thread = waiting(polite)
        time.sleep(0.05)
        assert thread.is_alive()  # one of two is still searching
    thread.join(60)
    assert not thread.is_alive()


def test_nobody_is_kept_waiting_for_ever():
    polite = BackgroundPause()
    with polite:
        thread = waiting(polite)
        thread.join(60)
        assert not thread.is_alive()


def test_where_nobody_searches_it_goes_on_at_once(monkeypatch):
    monkeypatch.setattr(courtesy, "LONGEST", 600.0)
    thread = waiting(BackgroundPause())
    thread.join(60)
    assert not thread.is_alive()
