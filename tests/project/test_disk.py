"""Files that survive, and what is said when they cannot be written."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pages import page

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import GossamerError, Link, LinkFlag, Links
from gossamer.storage.files import disk_errors, new_file, sync_folder, write_atomically
from gossamer.storage.link_log import LinkLog, LinkRecord, LoggedLink
from gossamer.web.url import canonical

NOTHING = np.empty(0, np.uint64)
PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))


def full(*_):
    raise OSError(28, "No space left on device")


def writer_of(*urls, text="some words"):
    writer = SegmentWriter("xx")
    for url in urls:
        writer.add(page(url, text))
    return writer


def urls(index):
    return {
        view.segment.stored.document(int(doc)).url
        for view in index.snapshot().views
        for doc in view.alive().nonzero()[0]
    }


def test_errors_name_the_file_and_the_reason(tmp_path):
    said = r"cannot write .*/x: No space left on device; make room"
    with pytest.raises(GossamerError, match=said), disk_errors(tmp_path / "x"):
        full()
    with pytest.raises(GossamerError, match="12 requested and 3 written"), disk_errors(tmp_path / "x"):
        raise OSError("12 requested and 3 written")
    with pytest.raises(KeyError), disk_errors(tmp_path / "x"):
        raise KeyError


def test_a_new_file_is_there_whole_or_not_at_all(tmp_path):
    path = tmp_path / "new"
    with new_file(path) as out:
        out.write(b"whole")
    assert path.read_bytes() == b"whole"
    with pytest.raises(TypeError), new_file(path) as out:
        out.writelines([b"half", None])
    assert not path.exists()
    with pytest.raises(GossamerError, match="absent/x: No such file"), new_file(tmp_path / "absent" / "x"):
        pass


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_file_is_replaced_in_one_step(tmp_path, monkeypatch, call):
    path = tmp_path / "file"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    monkeypatch.setattr(os, call, full)
    with pytest.raises(GossamerError, match="No space left"):
        write_atomically(path, b"newer")
    monkeypatch.undo()
    assert path.read_bytes() == b"new"


def test_folders_can_be_synced(tmp_path):
    sync_folder(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync_folder(tmp_path / "absent")


LIMITED = """
import resource, signal, sys
sys.path.append(sys.argv[1])
from pathlib import Path
from test_disk import NOTHING, PIVOTS, GossamerError, Index, Link, LinkLog, Links, canonical, writer_of

folder = Path(sys.argv[2])
words = " ".join(f"word{n}" for n in range(20_000))
index, log = Index(folder / "index"), LinkLog(folder / "links.log")
writer_of("http://a/large", text=words).content(PIVOTS)  # compiled code is kept in files, too
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
def write_links():
    log.append(9, 1.0, Links.of(Link(canonical(f"http://a/{n}"), "a" * 100) for n in range(5_000)))
    log.sync(durable=False)
for write in (
    lambda: index.commit(writer_of("http://a/large", text=words), NOTHING, PIVOTS),
    write_links,
):
    try:
        write()
    except GossamerError as error:
        print(error)
log.append(2, 1.0, Links())
log.sync(durable=False)
log.close()
"""


def test_a_file_that_may_not_grow_leaves_what_was_committed(tmp_path):
    Index(tmp_path / "index").commit(writer_of("http://a/small"), NOTHING, PIVOTS)
    log = LinkLog(tmp_path / "links.log")
    target = canonical("http://a/large")
    log.append(1, 1.0, Links.of([Link(target, "anchor")]))
    log.sync(durable=False)
    log.close()
    tests = Path(__file__).parent
    script = f"import sys; sys.path.append({str(tests.parent)!r})\n{LIMITED}"
    command = [sys.executable, "-c", script, str(tests), str(tmp_path)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(said) == 2
    assert all("File too large" in line for line in said)
    assert "index/segment-000002/" in said[0]
    assert "links.log" in said[1]
    index = Index(tmp_path / "index")
    assert urls(index) == {"http://a/small"}
    assert [path.name for path in index.directory.glob("segment-*")] == ["segment-000001"]
    first = LinkRecord(1, 1.0, (LoggedLink(target.fingerprint, LinkFlag.ORDINARY, "anchor"),))
    assert list(LinkLog(tmp_path / "links.log").records()) == [first, LinkRecord(2, 1.0, ())]
