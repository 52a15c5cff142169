"""The stored known-URL table: it is read as it was committed or, if its files are damaged, not at all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import GossamerError
from gossamer.storage import seen_urls as seen
from gossamer.storage.seen_urls import RECORD, DamagedTable, SeenEntries, SeenStore

rows = st.lists(
    st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 255), st.floats(allow_nan=False, width=32)),
    max_size=12,
)


def columns(content):
    numbers, states, scores = zip(*content, strict=True) if content else ((), (), ())
    return SeenEntries(np.array(numbers, np.uint64), np.array(states, np.uint8), np.array(scores, np.float32))


def row(number):
    return number, number % 3 + 1, number / 4


def found(store, number, length):
    """Return all rows in order. Raises DamagedTable if they cannot be read."""
    return [
        values
        for piece in store.read(number, length)
        for values in zip(*(column.tolist() for column in piece), strict=True)
    ]


def written(folder, snapshot, batches):
    """Write a snapshot and a log; return the number and the length of the log after each batch."""
    store = SeenStore(folder)
    number = store.renew([columns(snapshot)])
    lengths = [store.sync(durable=False)]
    for batch in batches:
        store.append(columns(batch))
        lengths.append(store.sync(durable=False))
    store.close()
    return number, lengths


@pytest.fixture
def three(tmp_path):
    """A snapshot of three rows and two batches: the folder, its number, lengths and content."""
    snapshot, batches = [row(n) for n in (1, 2, 3)], [[row(4)], [row(5), row(1)]]
    number, lengths = written(tmp_path, snapshot, batches)
    return tmp_path, number, lengths, [*snapshot, *batches[0], *batches[1]]


@given(rows, st.lists(rows, max_size=4))
def test_round_trip(tmp_path_factory, snapshot, batches):
    folder = tmp_path_factory.mktemp("seen")
    number, lengths = written(folder, snapshot, batches)
    content = list(snapshot)
    for batch, length in zip([[], *batches], lengths, strict=True):
        content += batch
        assert SeenStore(folder).expected(number, length) >= len(content)
    assert found(SeenStore(folder), number, lengths[-1]) == content


def test_columns_can_be_given_to_kernels(three):
    """Kernels would be compiled again for read-only arrays. A piece may also be a single row."""
    folder, number, lengths, _ = three
    for piece in SeenStore(folder).read(number, lengths[1]):
        assert [column.dtype for column in piece] == [np.uint64, np.uint8, np.float32]
        assert all(column.flags.writeable and column.flags.c_contiguous for column in piece)


def test_many_rows_come_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(seen, "PIECE", 4)
    snapshot, batches = [row(n) for n in range(10)], [[row(n)] * 3 for n in range(5)]
    number, lengths = written(tmp_path, snapshot, batches)
    pieces = list(SeenStore(tmp_path).read(number, lengths[-1]))
    assert [len(piece.states) for piece in pieces] == [4, 4, 2, 6, 6, 3]
    assert found(SeenStore(tmp_path), number, lengths[-1]) == snapshot + [one for b in batches for one in b]


def test_a_killed_process_leaves_a_tail_that_is_cut(three):
    """For every committed length, and any amount of data after it."""
    folder, number, lengths, content = three
    log = folder / f"{number:06d}.log"
    whole = log.read_bytes()
    for length, count in zip(lengths, (3, 4, 6), strict=True):
        for end in range(length, len(whole) + 1):
            log.write_bytes(whole[:end])
            store = SeenStore(folder)
            assert found(store, number, length) == content[:count]
            assert log.stat().st_size == length
            store.append(columns([row(9)]))
            assert found(SeenStore(folder), number, store.sync(durable=False)) == [*content[:count], row(9)]
            store.close()


def test_a_log_with_missing_bytes_stays_damaged(three):
    """For every prefix that is too short. Data that is appended later does not hide the gap."""
    folder, number, lengths, _ = three
    log, table = folder / f"{number:06d}.log", folder / f"{number:06d}.table"
    whole, snapshot = log.read_bytes(), table.read_bytes()
    for length in lengths[1:]:
        for end in range(length):
            table.write_bytes(snapshot)
            log.write_bytes(whole[:end])
            store = SeenStore(folder)
            with pytest.raises(DamagedTable, match=r"\.log"):
                found(store, number, length)
            store.append(columns([row(9)]))
            later = store.sync(durable=False)
            store.close()
            with pytest.raises(DamagedTable):
                found(SeenStore(folder), number, later)


def test_every_changed_byte_is_noticed(three):
    folder, number, lengths, _ = three
    for kind in ("table", "log"):
        path = folder / f"{number:06d}.{kind}"
        whole = path.read_bytes()
        snapshot = (folder / f"{number:06d}.table").read_bytes()
        for place in range(len(whole)):
            for bits in (1, 0x80, 0xFF):
                (folder / f"{number:06d}.table").write_bytes(snapshot)
                changed = bytearray(whole)
                changed[place] ^= bits
                path.write_bytes(changed)
                with pytest.raises(DamagedTable, match=kind):
                    found(SeenStore(folder), number, lengths[-1])
        path.write_bytes(whole)


def test_a_snapshot_that_was_cut_is_noticed(three):
    folder, number, lengths, _ = three
    table = folder / f"{number:06d}.table"
    whole = table.read_bytes()
    for end in range(len(whole)):
        table.write_bytes(whole[:end])
        with pytest.raises(DamagedTable):
            found(SeenStore(folder), number, lengths[-1])
        assert SeenStore(folder).expected(number, 0) <= 5


@pytest.mark.parametrize("zeros", [8, 16, 21, 26, 1000])
def test_unwritten_zeros_are_noticed(three, zeros):
    folder, number, lengths, _ = three
    with (folder / f"{number:06d}.log").open("ab") as log:
        log.write(bytes(zeros))
    with pytest.raises(DamagedTable):
        found(SeenStore(folder), number, lengths[-1] + zeros)


def test_missing_files(three, tmp_path):
    folder, number, lengths, content = three
    (folder / f"{number:06d}.log").unlink()
    assert found(SeenStore(folder), number, 0) == content[:3], "of an empty log nothing is missing"
    with pytest.raises(DamagedTable, match=r"\.log"):
        found(SeenStore(folder), number, lengths[-1])
    with pytest.raises(DamagedTable, match=r"\.table"):
        found(SeenStore(folder), number, 0)
    with pytest.raises(DamagedTable):
        found(SeenStore(tmp_path / "nowhere"), 1, 0)
    assert SeenStore(tmp_path / "nowhere").expected(1, 100) == 0


def test_folders_in_the_place_of_files(tmp_path):
    (tmp_path / "000001.table").mkdir()
    with pytest.raises(DamagedTable):
        found(SeenStore(tmp_path), 1, 0)


def test_another_file_in_the_place_of_the_table(three):
    folder, number, _, _ = three
    (folder / f"{number:06d}.table").write_bytes(b"something else " * 100)
    with pytest.raises(DamagedTable, match="not a snapshot"):
        found(SeenStore(folder), number, 0)


def test_a_log_without_a_snapshot_is_never_read(tmp_path):
    """The first run writes a snapshot at its end; until then, the catalogue is read."""
    store = SeenStore(tmp_path)
    store.append(columns([row(1)]))
    length = store.sync(durable=True)
    assert length == (tmp_path / "000000.log").stat().st_size == 8 + RECORD.itemsize
    store.close()
    with pytest.raises(DamagedTable):
        found(SeenStore(tmp_path), 0, length)


def test_a_new_snapshot_takes_over_with_the_commit(three):
    folder, number, lengths, content = three
    store = SeenStore(folder)
    assert found(store, number, lengths[-1]) == content
    later = store.renew([columns(content), columns([row(7)])])
    assert (later, store.number) == (number + 1, number + 1)
    assert store.sync(durable=True) == 0
    # killed before the commit: the old snapshot is there, and the new one is written again
    assert found(SeenStore(folder), number, lengths[-1]) == content
    store.append(columns([row(8)]))
    store.close()
    again = SeenStore(folder)
    found(again, number, lengths[-1])
    assert again.renew([columns(content)]) == later
    assert again.sync(durable=False) == 0
    assert found(SeenStore(folder), later, 0) == content
    again.tidy()
    assert sorted(path.name for path in folder.iterdir()) == [f"{later:06d}.log", f"{later:06d}.table"]
    again.close()


def test_an_empty_append_writes_nothing(tmp_path):
    store = SeenStore(tmp_path)
    store.append(columns([]))
    assert store.sync(durable=False) == 0
    store.close()


def test_a_snapshot_that_cannot_be_written_leaves_the_old_one(three):
    folder, number, lengths, content = three
    store = SeenStore(folder)
    found(store, number, lengths[-1])

    def broken():
        yield columns([row(1)])
        raise OSError(28, "No space left on device")

    with pytest.raises(GossamerError, match="No space left"):
        store.renew(broken())
    assert found(SeenStore(folder), number, lengths[-1]) == content
    assert not list(folder.glob("*.new"))
