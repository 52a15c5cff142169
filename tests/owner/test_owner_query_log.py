"""Queries counted for the owner: bounded, whole after a kill, without who asked."""

from __future__ import annotations

import stat
import threading

from gossamer.owner import query_log
from gossamer.owner.query_log import QueryLog


def log_in(folder, megabytes=1):
    return QueryLog(folder, megabytes)


def test_queries_are_counted(tmp_path):
    log = log_in(tmp_path)
    for query, found in (("Jaguar", True), ("jaguar ", True), ("jaguar", True), ("zzyzx", False), ("", True)):
        log.note(query, found)
    asked, empty = log_in(tmp_path).counts()
    assert asked == {"jaguar": 3, "zzyzx": 1}
    assert empty == {"zzyzx": 1}
    assert log.suggested() == {"jaguar": 3}


def test_operators_stay_what_they_are(tmp_path):
    log = log_in(tmp_path)
    for query in ("Lighthouse AND (Harbour OR Pier)", "lighthouse AND (harbour OR pier)", "Salt And Pepper"):
        log.note(query, True)
    assert log.counts()[0] == {"lighthouse AND (harbour OR pier)": 2, "salt and pepper": 1}


def test_what_was_asked_once_or_finds_nothing_is_not_offered(tmp_path):
    log = log_in(tmp_path)
    for _ in range(5):
        log.note("nothing here", False)
    log.note("my secret", True)
    assert log.suggested() == {}


def test_only_the_owner_may_read_it(tmp_path):
    log = log_in(tmp_path)
    log.note("jaguar", True)
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600


def test_pasted_texts_are_not_kept(tmp_path):
    log = log_in(tmp_path)
    log.note("a" * 300, True)
    assert not log.path.exists()
    assert log.counts() == ({}, {})


def test_a_line_that_was_cut_off_is_passed_over(tmp_path):
    log = log_in(tmp_path)
    log.note("jaguar", True)
    whole = log.path.read_bytes()
    log.path.write_bytes(whole + b'["half a li\n' + b"null\n[1,2,3]\n\xff\xfe\n" + whole)
    assert log.counts()[0] == {"jaguar": 2}


def test_the_file_stays_short_and_keeps_what_is_asked_often(tmp_path, monkeypatch):
    monkeypatch.setattr(query_log, "MEGABYTE", 2000)
    log = log_in(tmp_path)
    for number in range(300):
        log.note("jaguar", True)
        log.note(f"query number {number}", True)
        assert log.path.stat().st_size <= 2100
    asked, _ = log.counts()
    assert asked["jaguar"] > 10
    assert asked.most_common(1)[0][0] == "jaguar"
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600


def test_threads_and_processes_share_it(tmp_path):
    logs = [log_in(tmp_path), log_in(tmp_path)]  # two processes would each have one

    def ask(log):
        for _ in range(50):
            log.note("jaguar", True)

    threads = [threading.Thread(target=ask, args=(log,)) for log in logs for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert logs[0].counts()[0] == {"jaguar": 200}


def test_a_log_that_cannot_be_written_is_told_of_once(tmp_path, caplog):
    log = log_in(tmp_path / "nowhere")
    log.note("jaguar", True)
    log.note("jaguar", True)
    assert len(caplog.records) == 1
