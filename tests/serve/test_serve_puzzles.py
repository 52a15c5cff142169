"""The proof of work: accepted once, in time, for one form; in a terminal as in a browser."""

from __future__ import annotations

import hashlib
import subprocess
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.serve import public_forms as module
from gossamer.serve.public_forms import LASTS, PLACES, ProofOfWork, in_a_terminal, zero_bits

EASY = 4  # bits


def solve(challenge: str, bits: int = EASY) -> str:
    return ",".join(
        str(next(number for number in count() if zero_bits(f"{challenge}:{place}:{number}") >= bits))
        for place in range(PLACES)
    )


def test_work_that_was_done_counts_once():
    puzzles = ProofOfWork(EASY)
    challenge = puzzles.challenge("site")
    solution = solve(challenge)
    assert puzzles.solved("site", challenge, solution)
    assert not puzzles.solved("site", challenge, solution)


def test_work_is_for_one_form_and_one_server():
    puzzles = ProofOfWork(EASY)
    challenge = puzzles.challenge("site")
    solution = solve(challenge)
    assert not puzzles.solved("report", challenge, solution)
    assert not ProofOfWork(EASY).solved("site", challenge, solution)
    assert puzzles.solved("site", challenge, solution)


def test_work_must_come_in_time():
    now = [1000.0]
    puzzles = ProofOfWork(EASY, lambda: now[0])
    late, early = puzzles.challenge("site"), puzzles.challenge("site")
    now[0] += LASTS - 1
    assert puzzles.solved("site", early, solve(early))
    now[0] += 1
    assert not puzzles.solved("site", late, solve(late))


@pytest.mark.parametrize(
    "change",
    [
        lambda expires, name, mac: f"{int(expires) + 10}.{name}.{mac}",
        lambda expires, name, mac: f"{expires}.{name}x.{mac}",
        lambda expires, name, mac: f"{expires}.{name}.{'0' * len(mac)}",
        lambda expires, name, mac: f"{expires}.{name}",
        lambda expires, name, mac: "",
        lambda expires, name, mac: "é" * 300,
    ],
)
def test_challenges_that_are_not_ours_are_worth_nothing(change):
    puzzles = ProofOfWork(EASY)
    forged = change(*puzzles.challenge("site").split("."))
    assert not puzzles.solved("site", forged, solve(forged))


@given(st.text(max_size=60))
def test_wrong_solutions_are_rejected(text):
    puzzles = ProofOfWork(64)  # nobody finds that by chance
    assert not puzzles.solved("site", puzzles.challenge("site"), text)


def test_too_few_zero_bits_are_rejected():
    puzzles = ProofOfWork(EASY)
    challenge = puzzles.challenge("site")
    *most, _ = solve(challenge).split(",")
    idle = next(number for number in count() if zero_bits(f"{challenge}:{PLACES - 1}:{number}") < EASY)
    for numbers in (most, [*most, str(idle)], [*most, "0", "0"], [f"-{most[0]}", *most[1:], "1"]):
        assert not puzzles.solved("site", challenge, ",".join(numbers))
    assert not puzzles.solved("site", challenge, solve(challenge).translate(ARABIC))
    assert puzzles.solved("site", challenge, solve(challenge))


ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def test_expired_challenges_are_forgotten(monkeypatch):
    monkeypatch.setattr(module, "MOST_SPENT", 2)
    now = [1000.0]
    puzzles = ProofOfWork(EASY, lambda: now[0])
    for expected in (True, True, False):  # no room: nothing could be told from what came before
        challenge = puzzles.challenge("site")
        assert puzzles.solved("site", challenge, solve(challenge)) is expected
    now[0] += LASTS
    challenge = puzzles.challenge("site")
    assert puzzles.solved("site", challenge, solve(challenge))


def test_the_first_block_is_the_same_for_all_tries():
    """So that a script has one block to hash for each; see `static/work.js`."""
    assert len(ProofOfWork().challenge("site")) + len(":0:") >= 64


def test_a_terminal_does_the_same():
    puzzles = ProofOfWork(8)
    challenge = puzzles.challenge("site")
    command = in_a_terminal(challenge, 8)
    ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == solve(challenge, 8)
    assert puzzles.solved("site", challenge, ran.stdout.strip())


@given(st.binary(max_size=40))
def test_zero_bits_are_those_of_the_hash(data):
    text = data.hex()
    bits = "".join(f"{byte:08b}" for byte in hashlib.sha256(text.encode()).digest())
    assert zero_bits(text) == len(bits) - len(bits.lstrip("0"))
