"""Any byte of any file may change: an answer is right or there is none, and check names the file."""

from __future__ import annotations

import random
import shutil

import pytest

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page
from gossamer.model import GossamerError
from gossamer.storage.files import read_arrays
from gossamer.storage.warc import iter_warc

SETTINGS = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
QUERIES = ["shared", "number3", '"body of"', "shared -number2"]
# What may be removed without loss: locks, and SQLite's own memory of a closed database.
# What runs beside, and what people write themselves.
HARMLESS = (
    "catalogue.sqlite-wal",
    "catalogue.sqlite-shm",
    "gossamer.toml",
    "synonyms.txt",
    "sites.txt",
    "live.json",
)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damage") / "c"
    routes = {f"/{i}": page(f"Title {i}", f"body of number{i} shared", [f"/{i + 1}"]) for i in range(12)}
    transport = ScriptedTransport(ScriptedWeb({"a.test": ScriptedHost(routes)}))
    with Engine.open(folder, create=True, settings=SETTINGS) as engine:
        engine.crawl(["http://a.test/0"], transport=transport)
        engine.rank()
    return folder


def answers(folder):
    """What every query gives, or the error in its place."""
    found = []
    for query in QUERIES:
        try:
            with Engine.open(folder) as engine:
                hits = engine.search(query).hits
                found.append([(hit.url, hit.title, hit.snippet.text, hit.score) for hit in hits])
        except GossamerError as error:
            found.append(error)
    return found


def damaged_copy(original, folder, chance):
    shutil.copytree(original, folder)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size]
    files = [path for path in files if path.name not in HARMLESS and path.suffix != ".jsonl"]
    files = [path for path in files if path.suffix != ".lock" and path.name != "lock"]
    path = chance.choice(files)
    data = bytearray(path.read_bytes())
    place = chance.randrange(len(data))
    if chance.random() < 0.7:
        data[place] ^= 1 << chance.randrange(8)
    else:
        del data[place:]
    path.write_bytes(data)
    return path


def check_one(original, folder, seed):
    path = damaged_copy(original, folder, random.Random(seed))
    right = answers(original)
    for query, expected, found in zip(QUERIES, right, answers(folder), strict=True):
        assert found == expected or isinstance(found, GossamerError), (path, query)
    said = named_by_check(folder)
    # Bytes that nothing reads (padding, free pages of the database) may change without harm.
    assert path.name in said or reads_the_same(original, folder, path)
    shutil.rmtree(folder)


def reads_the_same(original, folder, path):
    """Whether a changed file still says what it said."""
    if path.name.endswith(".arrays"):
        before, after = (read_arrays(where / path.relative_to(folder)) for where in (original, folder))
        return all(before[name].tobytes() == after[name].tobytes() for name in before)
    if path.name.endswith(".warc.gz"):  # no checksum covers the head of a gzip member, nor its last bits
        before, after = (list(iter_warc(where / path.relative_to(folder))) for where in (original, folder))
        return before == after
    # SQLite keeps no checksums: a changed bit inside a value looks like another value.
    return path.name == "catalogue.sqlite"


def named_by_check(folder):
    """Everything that check says, as one text; a collection that cannot be opened says it at once."""
    try:
        with Engine.open(folder, settings=SETTINGS) as engine:
            found = engine.check()
    except GossamerError as error:
        return str(error)
    return " ".join(f"{problem.path} {problem.what}" for problem in found.problems)


@pytest.mark.parametrize("seed", range(12))
def test_no_wrong_answer_from_a_damaged_collection(original, tmp_path, seed):
    check_one(original, tmp_path / "c", seed)


@pytest.mark.long
def test_hundreds_of_damaged_collections(original, tmp_path):
    for seed in range(100, 500):
        check_one(original, tmp_path / "c", seed)
