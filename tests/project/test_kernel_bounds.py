"""Kernels that read bytes from outside check every index; a few check once for a whole run of bytes."""

from __future__ import annotations

import ast
import re

import numpy as np
import pytest

from gossamer.extract.html.link_scanner import address_hash, clean_address, same_bytes
from gossamer.extract.html.link_targets import fingerprint
from gossamer.extract.html.main_text import hints_of
from gossamer.extract.html.scan import scanner_table
from gossamer.extract.html.tags import MODE, SPANS, copy_bytes, find_byte, plain_end, read_tag
from gossamer.extract.html.text_writer import STATE, Writer, words_end, write
from gossamer.kernels.kernel import PACKAGE, kernel, unchecked_kernel

# Unchecked kernels that are given bytes: what these mean was computed here, and lies in files with checksums.
OWN_BYTES = {
    "anchor_text.retrieve": "postings",
    "anchor_text.score": "postings",
    "answer.diversify": "sketches",
    "duplicates.near_duplicates": "sketches",
    "graph.ranks.centrality": "registers of counters",
    "index.cursor": "postings",
    "index.merge": "impacts and encoded positions",
    "index.postings": "fields, impacts and encoded positions",
    "index.reweigh": "impacts and encoded positions",
    "scoring.evidence": "impacts and encoded positions",
    "scoring.feedback": "impacts",
    "search.match.cooccurrence": "encoded positions",
    "search.match.phrases": "encoded positions",
    "search.match.restriction": "postings",
    "search.retrieve.blockmax": "impacts",
    "search.retrieve.choose": "impacts; its words go to find_terms, which checks",
    "search.retrieve.conjunction": "impacts and encoded positions",
    "search.retrieve.textbook": "impacts",
    "search.retrieve.top_k": "postings",
    "search.weighting": "impacts",
    "storage.seen_urls": "states of URLs",
}
# Functions of outside bytes that check their bounds once, before the loop.
CHECKED_ONCE = {
    "address_hash",
    "clean_address",
    "copy_bytes",
    "find_byte",
    "fingerprint",
    "hints_of",
    "plain_end",
    "read_tag",
    "same_bytes",
    "words_end",
    "write",
}


def definitions():
    """The module and each definition of the files that hold kernels."""
    for path in sorted(PACKAGE.rglob("*.py")):
        module, source = ".".join(path.relative_to(PACKAGE).with_suffix("").parts), path.read_text()
        if "gossamer.kernels" in source:
            yield from ((module, found) for found in ast.parse(source).body)


def holders_of_bytes():
    """A pattern for annotations: arrays of bytes, and named tuples that hold some or hold such a tuple."""
    tuples = {
        found.name: ast.unparse(found.body)
        for _, found in definitions()
        if isinstance(found, ast.ClassDef) and "NamedTuple" in map(ast.unparse, found.bases)
    }
    names = {"uint8"}
    while True:
        pattern = re.compile(rf"\b({'|'.join(sorted(names))})\b")
        more = {name for name, body in tuples.items() if pattern.search(body)} - names
        if not more:
            return pattern
        names |= more


def unchecked():
    """The module and name of each kernel, or part of one, that is given bytes and does not check indexes."""
    given_bytes = holders_of_bytes()
    for module, found in definitions():
        if isinstance(found, ast.FunctionDef):
            given = " ".join(ast.unparse(one.annotation) for one in found.args.args if one.annotation)
            decorators = {ast.unparse(decorator) for decorator in found.decorator_list}
            if given_bytes.search(given) and decorators & {"unchecked_kernel", "unchecked_part"}:
                yield module, found.name


def test_only_kernels_of_own_bytes_go_unchecked():
    assert {name for module, name in unchecked() if module not in OWN_BYTES} == CHECKED_ONCE
    assert {module for module, name in unchecked() if name not in CHECKED_ONCE} == set(OWN_BYTES)


def test_an_index_out_of_bounds_is_an_error_in_a_kernel_and_not_looked_at_in_an_unchecked_one():
    def at(values, index):
        return values[index]

    assert (kernel(at).is_checked, unchecked_kernel(at).is_checked) == (True, False)
    with pytest.raises(IndexError):
        kernel(at)(np.zeros(3, np.uint8), 3)


BYTES = np.frombuffer(b"some words in a row", np.uint8)
TABLE = scanner_table(())


@kernel
def copied(source, start, end, out, place):
    return copy_bytes(source, start, end, out, place)


@kernel
def found(source, start, end, byte):
    return find_byte(source, start, end, byte)


@kernel
def compared(source, start, end, other, other_end):
    return same_bytes(source, start, end, other, other_end)


@kernel
def ended(source, start, end, table):
    return words_end(source, start, end, table)


@kernel
def plain(source, start, end):
    return plain_end(source, start, end)


@kernel
def hinted(source, start, end, table):
    return hints_of(source, start, end, 9, table)


@kernel
def hashed(source, start, end):
    return address_hash(source, start, end)


@kernel
def cleaned(source, start, end):
    return clean_address(source, start, end)


@kernel
def printed(source, start, end, words, chain):
    return fingerprint(source, start, end, words, chain)


@kernel
def tagged(source, start, end, spans, table):
    return read_tag(source, start, end, spans, table)


@kernel
def written(source, start, end, states, text, table):
    return write(Writer(source, table, states[0], text, text), start, end, MODE.raw)


@pytest.mark.parametrize(
    ("start", "end", "place"), [(0, 20, 0), (-1, 3, 0), (5, 4, 0), (0, 9, 0), (0, 4, 5), (0, 1, -1)]
)
def test_a_copy_stays_in_its_buffers(start, end, place):
    with pytest.raises(IndexError):
        copied(BYTES, start, end, np.zeros(8, np.uint8), place)


@pytest.mark.parametrize(("start", "end"), [(0, 20), (-1, 3), (0, -1)])
def test_a_search_for_a_byte_stays_in_the_document(start, end):
    with pytest.raises(IndexError):
        found(BYTES, start, end, 0)
    with pytest.raises(IndexError):
        plain(BYTES, start, end)


@pytest.mark.parametrize("places", [(0, 20, 0, 20), (-1, 3, 0, 4), (0, 4, 18, 22), (5, 4, 5, 4)])
def test_a_comparison_stays_in_the_buffer(places):
    with pytest.raises(IndexError):
        compared(BYTES, *places)


@pytest.mark.parametrize(("start", "end"), [(0, 20), (-1, 3), (3, 3)])
def test_words_end_in_the_document(start, end):
    with pytest.raises(IndexError):
        ended(BYTES, start, end, TABLE)


@pytest.mark.parametrize(("start", "end"), [(0, 20), (-1, 3)])
def test_names_and_values_stay_in_the_document(start, end):
    for read, more in ((hinted, (TABLE,)), (tagged, (np.zeros(SPANS, np.int64), TABLE))):
        with pytest.raises(IndexError):
            read(BYTES, start, end, *more)


@pytest.mark.parametrize(("start", "end"), [(0, 20), (-1, 3), (5, 4)])
def test_addresses_stay_in_their_buffer(start, end):
    rooms = np.zeros(16, np.uint64), np.zeros(8, np.uint64)
    for read, more in ((hashed, ()), (cleaned, ()), (printed, rooms)):
        with pytest.raises(IndexError):
            read(BYTES.copy(), start, end, *more)


def test_what_they_write_into_is_large_enough():
    states, text = np.zeros(1, STATE), np.zeros(32, np.uint8)
    for call, arguments in (
        (tagged, (BYTES, 0, 19, np.zeros(SPANS - 1, np.int64), TABLE)),
        (printed, (BYTES, 0, 19, np.zeros(15, np.uint64), np.zeros(8, np.uint64))),
        (printed, (BYTES, 0, 19, np.zeros(16, np.uint64), np.zeros(7, np.uint64))),
        (written, (BYTES, 0, 20, states, text, TABLE)),
        (written, (BYTES, -1, 19, states, text, TABLE)),
        (written, (BYTES, 0, 19, states, text, TABLE[:255])),
        (written, (BYTES, 0, 19, states, text[:18], TABLE)),
    ):
        with pytest.raises(IndexError):
            call(*arguments)


def test_a_state_without_the_fields_of_the_scanner_is_refused_before_anything_is_written():
    other = np.zeros(1, [("pos", "i8"), ("line", "i8")])
    with pytest.raises(KeyError, match="context"):
        written(BYTES, 0, 19, other, np.zeros(32, np.uint8), TABLE)


def test_within_their_bounds_they_do_their_work():
    out = np.zeros(8, np.uint8)
    assert (copied(BYTES, 5, 10, out, 2), out.tobytes()) == (7, b"\0\0words\0")
    assert (found(BYTES, 0, 19, ord("w")), found(BYTES, 0, 4, ord("w"))) == (5, 4)
    assert (found(BYTES, 7, 4, ord("w")), plain(BYTES, 0, 19), plain(BYTES, 7, 4)) == (7, 19, 7)
    assert (compared(BYTES, 1, 2, 6, 7), compared(BYTES, 1, 3, 6, 8), compared(BYTES, 0, 1, 0, 2)) == (
        True,
        False,
        False,
    )
    assert ended(BYTES, 5, 19, TABLE) == (19, 14)
    states, text = np.zeros(1, STATE), np.zeros(19, np.uint8)
    assert (written(BYTES, 0, 19, states, text, TABLE), text.tobytes()) == (19, BYTES.tobytes())
