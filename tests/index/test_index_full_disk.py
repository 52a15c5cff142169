"""A disk that fills up at any step of a commit, a merge or a rebuild: the file is named, nothing is lost."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from disk_steps import Disk, watched
from history import COMMITS, WORK, after, assert_serves, commit, leftovers, made_index, served, state

from gossamer.index.index import Index
from gossamer.index.manifest import NAME
from gossamer.model import GossamerError

STRUCTURES = ("terms", "entries", "documents", "impacts", "positions", "columns", "stored")
FREEING = ("unlink", "rmdir")
FOLDER = "index"


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return made_index(tmp_path_factory.mktemp("base") / FOLDER).directory


def needs_room(step):
    """Files can be removed when there is none, and a folder that is there need not be made."""
    return step.what not in FREEING and (step.what, step.path.name) != ("mkdir", FOLDER)


def steps_of(base, folder, work):
    """What it asks of a disk that has room."""
    shutil.copytree(base, folder)
    disk = Disk()
    with watched(disk):
        WORK[work](Index(folder), COMMITS)
    assert_serves(Index(folder), after(work))
    shutil.rmtree(folder)
    return disk.steps


def refusing(first, for_good):
    """Refuses a step that needs room, or all from there on."""

    def meet(number, step):
        if needs_room(step) and (number >= first if for_good else number == first):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return Disk(meet)


def fills_at(base, folder, work, step, for_good):
    shutil.copytree(base, folder)
    index = Index(folder)
    before = index.snapshot()
    disk = refusing(step, for_good)
    with watched(disk), pytest.raises(GossamerError, match=r"cannot write .*: No space left") as error:
        WORK[work](index, COMMITS)
    refused = {str(one.path) for one in disk.steps[step:] if needs_room(one)}
    assert any(path in str(error.value) for path in refused)
    swapped = disk.steps[step - 1].what == "replace"  # only the name of the new state is not safe yet
    number = assert_serves(Index(folder), after(work) if swapped else COMMITS)
    assert (index.snapshot() is before) != swapped
    commit(index, number + 1)
    assert leftovers(index) == set()
    assert served(index) == state(number + 1)
    assert_serves(Index(folder), number + 1)
    shutil.rmtree(folder)


def filled_at_steps(base, folder, work, for_good, apart=1):
    steps = steps_of(base, folder, work)
    needing = [number for number, step in enumerate(steps) if needs_room(step)]
    last = needing.pop()
    chosen = [*needing[::apart], last]
    for number in chosen:
        fills_at(base, folder, work, number, for_good)
    return len(chosen)


@pytest.mark.parametrize("work", WORK)
def test_a_disk_that_fills_up_costs_nothing_committed(base, tmp_path, work):
    assert filled_at_steps(base, tmp_path / FOLDER, work, for_good=True, apart=5) > 1


@pytest.mark.long
@pytest.mark.parametrize("for_good", [True, False], ids=["for good", "once"])
@pytest.mark.parametrize("work", WORK)
def test_a_disk_that_fills_up_at_any_step(base, tmp_path, work, for_good):
    assert filled_at_steps(base, tmp_path / FOLDER, work, for_good) > 5


@pytest.mark.parametrize("work", WORK)
def test_what_cannot_be_removed_goes_with_the_next_commit(base, tmp_path, work):
    index = Index(shutil.copytree(base, tmp_path / FOLDER))

    def meet(_, step):
        if step.what in FREEING:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    with (
        watched(Disk(meet)),
        pytest.raises(GossamerError, match=f"{index.directory}: {os.strerror(errno.EIO)}"),
    ):
        WORK[work](index, COMMITS)
    assert leftovers(index)
    number = assert_serves(Index(index.directory), after(work))
    commit(index, number + 1)
    assert leftovers(index) == set()
    assert_serves(Index(index.directory), number + 1)


@pytest.mark.parametrize("work", WORK)
def test_every_file_is_among_the_steps(base, tmp_path, work):
    """So that the other tests leave none out."""
    steps = steps_of(base, tmp_path / FOLDER, work)
    for what in ("open", "write", "fsync"):
        names = [step.path.name for step in steps if step.what == what]
        assert {*(f"{name}.arrays" for name in STRUCTURES), f"{NAME}.new"} <= set(names)
        assert sum(name.startswith("deleted-") for name in names) == (2 if work == "commit" else 0)
    assert [step.path.name for step in steps if step.what == "replace"] == [NAME]
    assert any(step.what == "mkdir" for step in steps)


SMALL_DISK = """
import sys
from pathlib import Path
from history import COMMITS, assert_serves, commit, leftovers, made_index, merge
from gossamer.index.index import Index
from gossamer.model import GossamerError

folder = Path(sys.argv[1])
index = made_index(folder / "index")
number, failures = COMMITS, 0
for room in range(0, 100_000, 8192):
    ballast = folder / "ballast"
    try:
        with ballast.open("wb", 0) as out:
            while out.write(bytes(4096)):
                pass
    except OSError:
        pass
    with ballast.open("r+b") as out:
        out.truncate(max(0, ballast.stat().st_size - room))
    try:
        commit(index, number + 1)
        merge(index, number + 1)
    except GossamerError as error:
        assert "No space left" in str(error), error
        failures += 1
    ballast.unlink()
    number = assert_serves(Index(folder / "index"), number, number + 1)
    commit(index, number + 1)
    assert leftovers(index) == set()
    number = assert_serves(Index(folder / "index"), number + 1)
print(failures)
"""
MOUNT = 'mount -t tmpfs -o size=2m none "$0" && exec "$@"'


def test_a_disk_that_is_really_full(tmp_path):
    """On a small disk of its own, where the system lets anyone have one."""
    alone = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", MOUNT, str(tmp_path)]
    if (
        not shutil.which("unshare")
        or subprocess.run([*alone, "true"], check=False, stderr=subprocess.DEVNULL).returncode
    ):
        pytest.skip("needs user namespaces")
    here = Path(__file__).parent
    paths = os.pathsep.join([str(here), str(here.parent), *sys.path])
    ran = subprocess.run(
        [*alone, sys.executable, "-c", SMALL_DISK, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": paths},
        check=True,
        capture_output=True,
        text=True,
    )
    assert int(ran.stdout) >= 4
