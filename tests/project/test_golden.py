"""Does `scripts/golden` notice a difference, and nothing else?"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from golden_recording import rows, webs  # noqa: E402

HITS = [
    {"rank": 1, "url": "http://b.test/", "score": 2.0},
    {"rank": 2, "url": "http://a.test/", "score": 2.0},
    {"rank": 3, "url": "http://c.test/", "score": 1.0},
]


def golden(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, SCRIPTS / "golden.py", *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden") / "record"
    done = golden("record", folder, "--quick", "--queries", 10, "--only", "web,graph")
    assert done.returncode == 0, done.stderr
    return folder


def test_code_agrees_with_its_own_record(record):
    done = golden("compare", record, "--only", "graph")
    assert done.returncode == 0, done.stdout + done.stderr
    [line] = done.stdout.splitlines()
    assert line.startswith("graph: ")
    assert line.endswith(" equal")


def test_a_tampered_record_is_reported(record, tmp_path):
    copy = tmp_path / "record"
    shutil.copytree(record, copy)
    path = copy / f"web{rows.SUFFIX}"
    lines = {key: json.loads(line) for key, line in rows.read(path).items()}
    key = next(key for key in lines if key.startswith("page "))
    lines[key]["title"] = "Another title"
    del lines["log 0007"]
    rows.write(path, lines.items())
    done = golden("diff", copy, record)
    assert done.returncode == 1
    assert f"web: 2 of {len(lines) + 1:,} DIFFER" in done.stdout
    assert all(part in done.stdout for part in (key, "title", '"Another title"', "log 0007", rows.MISSING))


def test_what_is_missing_is_named(tmp_path):
    done = golden("compare", tmp_path)
    assert done.returncode == 1
    assert "golden.json is missing" in done.stderr
    assert "there is no kind nothing" in golden("record", tmp_path, "--only", "nothing").stderr
    assert "is no folder" in golden("record", tmp_path, "--large", tmp_path / "none").stderr
    (tmp_path / "file").touch()
    assert "is not empty" in golden("record", tmp_path).stderr


def test_differences_have_a_path():
    old = {"hits": [{"url": "a", "score": 1.5}], "text": "x" * 80 + "before" + "x" * 80}
    new = {"hits": [{"url": "a", "score": 1.25}, {"url": "b"}], "text": "x" * 80 + "after" + "x" * 80}
    found = {own.path: (own.before, own.after) for own in rows.differences(old, new)}
    assert found["hits[0].score"] == ("1.5", "1.25")
    assert found["hits[1]"][0] == json.dumps(rows.MISSING)
    assert "before" in found["text at character 80"][0]
    assert not list(rows.differences(old, old))


def test_numbers_and_ties_may_differ_only_when_asked():
    near = [{**HITS[1], "rank": 1, "score": 2.0000001}, {**HITS[0], "rank": 2}, HITS[2]]
    assert list(rows.differences(HITS, near))
    assert not list(rows.differences(HITS, near, 1e-6, ties=True))
    assert list(rows.differences(HITS, [HITS[0], HITS[2], HITS[1]], 1e-6, ties=True))
    assert not list(rows.differences("score 2.0\nb", "score 2.0000001\nb", 1e-6))
    assert list(rows.differences("score 2.0\nb", "score 2.1\nb", 1e-6))
    assert list(rows.differences(1, True, 1e-6))


def test_the_generated_web_is_the_same_each_time(tmp_path):
    one, other = (webs.generated_warc(tmp_path / name).read_bytes() for name in ("1.warc", "2.warc"))
    assert one == other
    assert one.count(b"WARC-Type: response") == webs.PAGES
