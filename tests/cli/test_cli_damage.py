"""A file of the index is cut short or has a bit changed: `check` names it, and no answer is wrong."""

from __future__ import annotations

import json
import random
import shutil

import pytest

from gossamer.cli.main import run
from gossamer.index.manifest import read_manifest
from gossamer.storage.files import read_arrays

STRUCTURES = ["terms", "entries", "documents", "impacts", "positions", "columns", "stored", "deleted-*"]
FILES = [*(f"segment-000001/{name}.arrays" for name in STRUCTURES), "MANIFEST"]
QUERIES = ["shared number17 delta", '"words of" -newer site:h1.test']
WORDS = "alpha beta gamma delta".split()


def corpus(path, numbers, text):
    """Pages of three hosts as JSON lines."""
    rows = [
        {"url": f"http://h{n % 3}.test/{n}", "title": f"Page {n}", "text": text.format(n, WORDS[n % 4])}
        for n in numbers
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    """Two segments; newer versions in the second have replaced documents of the first, and are as long."""
    folder = tmp_path_factory.mktemp("damage")
    (folder / "c").mkdir()
    (folder / "c" / "gossamer.toml").write_text("[extract]\nworkers = 0\n")
    older = corpus(folder / "older.jsonl", range(20), "older shared words of number{} {}")
    newer = corpus(folder / "newer.jsonl", range(16, 24), "newer shared words of number{} {}")
    for file in (older, newer):
        assert run(["-C", str(folder / "c"), "import", file]) == 0
    return folder / "c"


def file_of(collection, name):
    (path,) = collection.glob(f"partition-000/index/{name}")
    return path


def answers(command, collection):
    """What each query gives on standard output, without what the clock says; and what on standard error."""
    for query in QUERIES:
        ran = command("-C", collection, "search", query, "--json")
        found = json.loads(ran.out) if ran.out else {}
        found.pop("took_ms", None)
        yield ran.code, found, ran.err


def flipped(data, place, bit=0):
    changed = bytearray(data)
    changed[place] ^= 1 << bit
    return bytes(changed)


def few_damages(data):
    """Cut to nothing, in the middle and by a byte; bits changed in front, in the directory and within."""
    chance = random.Random(len(data))
    yield from (data[:size] for size in (0, len(data) // 2, len(data) - 1))
    yield from (flipped(data, place) for place in (0, -40))
    yield from (flipped(data, chance.randrange(len(data)), chance.randrange(8)) for _ in range(2))


def random_damage(data, chance):
    """A bit, a lost block, an end that is missing, or one too many."""
    place = chance.randrange(len(data))
    return chance.choice(
        [
            flipped(data, place, chance.randrange(8)),
            flipped(flipped(data, place, chance.randrange(8)), chance.randrange(len(data))),
            (data[:place] + bytes(64) + data[place + 64 :])[: len(data)],
            data[:place],
            data + data[place:],
        ]
    )


def content(path):
    """What is read from a file: padding between arrays is not."""
    if path.name == "MANIFEST":
        return read_manifest(path.parent)
    return {name: (array.dtype, array.tobytes()) for name, array in read_arrays(path).items()}


def assert_named(command, collection, path, damaged):
    """With this content in its place, `check` and every search name the file, or the file says the same."""
    good, said = path.read_bytes(), content(path)
    path.write_bytes(damaged)
    try:
        ran = command("-C", collection, "check")
        found = list(answers(command, collection))
        if ran.code == 0:
            assert content(path) == said, "a changed file was taken for a good one"
    finally:
        path.write_bytes(good)
    if ran.code == 0:
        assert found == list(answers(command, collection))
    else:
        assert str(path) in ran.out
        for code, hits, error in found:
            assert (code, hits) == (1, {})
            assert str(path) in error


@pytest.mark.parametrize("name", FILES)
def test_damage_is_named_and_never_believed(command, collection, name):
    path = file_of(collection, name)
    for damaged in few_damages(path.read_bytes()):
        assert_named(command, collection, path, damaged)


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_much_damage_is_named_and_never_believed(command, collection, name):
    path, chance = file_of(collection, name), random.Random(name)
    for _ in range(40):
        assert_named(command, collection, path, random_damage(path.read_bytes(), chance))


@pytest.mark.parametrize("name", FILES[-3:])
def test_damage_is_mended_from_the_stored_pages(command, collection, tmp_path, name):
    copy = tmp_path / "c"
    shutil.copytree(collection, copy)
    path = file_of(copy, name)
    path.write_bytes(flipped(path.read_bytes(), len(path.read_bytes()) // 3))
    assert command("-C", copy, "check", "--repair").code == 0
    assert command("-C", copy, "check").code == 0
    for (_, before, _), (_, after, _) in zip(
        *(answers(command, where) for where in (collection, copy)), strict=True
    ):
        assert before["hits"]
        assert {hit["url"] for hit in before["hits"]} == {hit["url"] for hit in after["hits"]}


def test_a_manifest_that_is_lost_is_named_and_made_anew(command, collection, tmp_path):
    copy = tmp_path / "c"
    shutil.copytree(collection, copy)
    path = file_of(copy, "MANIFEST")
    path.unlink()
    ran = command("-C", copy, "check")
    assert ran.code == 1
    assert f"{path}: it is missing" in ran.out
    for code, hits, error in answers(command, copy):
        assert (code, hits) == (1, {})
        assert str(path) in error
    assert command("-C", copy, "check", "--repair").code == 0
    assert [sorted(hits) for _, hits, _ in answers(command, copy)] == [
        sorted(hits) for _, hits, _ in answers(command, collection)
    ]
