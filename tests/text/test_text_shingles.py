"""Digests and sketches against a plain implementation, and the estimate against the true resemblance."""

import random
import unicodedata
from hashlib import blake2b
from math import sqrt

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.text import shingles
from gossamer.text.shingles import (
    LEAVE_OFF,
    NOTHING,
    ContentSketch,
    content_sketch,
    filled_place,
    mixed,
    read_words,
    resemblance,
    sketch_words,
)

MASK = 2**64 - 1
BASE = 0xD1342543DE82EF95
letters = st.sampled_from("aBz09 .,-'\nÀé«ßſЖж·京都。，กขặ\u0301\u1100𠀀🙂\u2014\u00a0")
texts = st.text(letters | st.characters())
hostile = st.binary(max_size=60) | st.lists(
    st.sampled_from([b"a", b" ", b"\xe4\xba\xac", b"\xc3\xa9", b"\xf0", b"\xe4", b"\xc3", b"\x80"])
).map(b"".join)


def plain_mixed(x):
    """The twin of `mixed`."""
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD & MASK
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return x ^ x >> 33


def stands_alone(point):
    inside = any(first <= point < end for first, end in shingles._UNSPACED)
    return inside or point >= 0x10000


def plain_letter(character):
    """A character as it stands in a word, or "" where it parts words."""
    point = ord(character)
    if point < 0x80:
        return character.lower() if character.isalnum() else ""
    if point < 0x800:
        small = character.casefold()
        folded = small if len(small) == 1 and 0x80 <= ord(small) < 0x800 else character
        return folded if character.isalnum() or unicodedata.category(character)[0] == "M" else ""
    return "" if 0x2000 <= point < 0x2C00 or 0x3000 <= point < 0x3040 else character


def plain_words(text):
    """The twin of `read_words`, on characters."""
    found = [""]
    for character in text:
        letter = plain_letter(character)
        if letter and not stands_alone(ord(letter)):
            found[-1] += letter
        else:
            found += [letter, ""]
    return [word for word in found if word]


def plain_hash(word):
    hashed = 0
    for byte in word:
        weight = int.from_bytes(blake2b(bytes([byte]), digest_size=8).digest(), "little")
        hashed = (hashed << 9 | hashed >> 55) & MASK ^ weight
    return hashed


def plain_shingles(hashes):
    """The mixed hashes of all runs of eight words, or of the one that there is."""
    found = set()
    for i in range(max(1, len(hashes) - 7) if hashes else 0):
        total = 0
        for hashed in hashes[i : i + 8]:
            total = (total * BASE + plain_mixed(hashed)) & MASK
        found.add(plain_mixed(total))
    return found


def plain_sketch(found):
    """The twin of `sketch_words`, on a set of shingles."""
    minima = [
        min((s & 0xFFFFFFFF for s in found if (s >> 32) * 84 >> 32 == place), default=None)
        for place in range(84)
    ]
    if not found:
        return bytes(84)
    sketch = bytearray()
    for k in range(84):
        draw, place = k << 32, k
        while minima[place] is None:
            draw += 1
            place = (plain_mixed(draw) >> 32) * 84 >> 32
        sketch.append(minima[place] & 0xFF)
    return bytes(sketch)


def must_be_folded(character):
    ranges = ((0x300, 0x370), *shingles._MUST_BE_FOLDED)
    return any(first <= ord(character) < end for first, end in ranges)


def plain_print(title, text):
    """The twin of `content_sketch`."""
    parts = [title, text]
    if any(map(must_be_folded, title + text)):
        parts = [unicodedata.normalize("NFC", unicodedata.normalize("NFC", p).casefold()) for p in parts]
    first, second = ([word.encode("utf-8", "surrogatepass") for word in plain_words(p)] for p in parts)
    written = b"".join(word + b"\0" for word in first) + b"\n" + b"".join(word + b"\0" for word in second)
    sketch = plain_sketch(plain_shingles([plain_hash(word) for word in first + second]))
    return ContentSketch(blake2b(written, digest_size=16).digest(), sketch, len(first) + len(second))


@given(texts, texts)
@example("", "")
@example("", "a")
@example("Ǆ", "x" * 200)
def test_prints_are_those_of_the_twin(title, text):
    assert content_sketch(title, text) == plain_print(title, text)


@given(st.integers(0, MASK))
def test_mixing(x):
    assert mixed(np.uint64(x)) == plain_mixed(x)


@given(st.lists(st.sampled_from("abcdefgh"), max_size=300))
def test_sketches_of_long_texts_are_those_of_the_twin(words):
    hashes = [plain_hash(word.encode()) for word in words]
    sketch = np.empty(84, np.uint8)
    sketch_words(np.array(hashes, np.uint64), sketch)
    assert sketch.tobytes() == plain_sketch(plain_shingles(hashes))


@given(hostile)
@example(b"a\xe4\xba\xac" * 9)
@example(b"a b c d e")
def test_no_bytes_lead_out_of_bounds(data):
    size, words = len(data), (len(data) + 1) // 2
    for tables in (shingles._tables(folded=True), shingles._tables(folded=False)):
        written, hashes = np.full(size + words + 9, 7, np.uint8), np.full(words + 9, 7, np.uint64)
        count, length = read_words(np.frombuffer(data, np.uint8), *tables, written, hashes)
        assert (written[size + words + 1 :] == 7).all()
        assert (hashes[words + 1 :] == 7).all()
        assert count == LEAVE_OFF or written[:length].tobytes().count(b"\0") == count
    assert len(content_sketch(data, data).digest) == 16


def test_every_place_reaches_every_other():
    """So that borrowing ends, whatever a text leaves empty."""
    for filled in range(84):
        minima = np.full(84, NOTHING, np.uint64)
        minima[filled] = 5
        assert {int(filled_place(minima, np.int64(place))) for place in range(84)} == {filled}


def test_differences_that_do_not_matter():
    one = content_sketch("The Jaguar", "It is a cat; of the genus Panthera.")
    assert one == content_sketch("the  jaguar!", "IT IS A CAT (of the genus\nPanthera)")
    assert one == content_sketch("the\u00a0jaguar", "“It” is — a cat… of the genus « Panthera ».")
    assert one == content_sketch(b"The Jaguar", b"It is a cat; of the genus Panthera.")
    assert one.words == 10


def test_differences_that_matter():
    one = content_sketch("a", "b c")
    assert one.digest != content_sketch("a b", "c").digest, "title and text are apart"
    assert one.sketch == content_sketch("a b", "c").sketch
    assert one.digest != content_sketch("a", "c b").digest
    assert one.digest != content_sketch("a", "bc").digest
    assert content_sketch("", "Straße").digest != content_sketch("", "Strase").digest


def test_unicode_spelling_does_not_count():
    assert content_sketch("É", "Жёлтый") == content_sketch("e\u0301", "ЖЁЛТЫЙ")
    assert content_sketch("", "CÀ PHÊ SỮA") == content_sketch("", unicodedata.normalize("NFD", "cà phê sữa"))
    assert content_sketch("", "한국어") == content_sketch("", unicodedata.normalize("NFD", "한국어"))


def test_characters_are_words_where_nobody_writes_spaces():
    assert content_sketch("", "京都は日本の都市である。").words == 11
    assert content_sketch("", "ภาษา").words == 4
    assert content_sketch("", "café 東京 coffee").words == 4


def text_of(words):
    return " ".join(f"w{word}" for word in words)


def changed_pair(draw, size, fresh):
    """The sketches of two texts whose last words differ, and how much they truly resemble each other."""
    words = [draw.randrange(10**9) for _ in range(size)]
    other = words[: size - fresh] + [draw.randrange(10**9) for _ in range(fresh)]
    sets = [{tuple(text[i : i + 8]) for i in range(size - 7)} for text in (words, other)]
    sketches = [content_sketch("", text_of(text)).sketch for text in (words, other)]
    return *sketches, len(sets[0] & sets[1]) / len(sets[0] | sets[1])


@pytest.mark.parametrize("size", [30, 120, 800])
@pytest.mark.parametrize("percent", [0, 2, 5, 20, 90])
def test_the_estimate_is_unbiased(size, percent):
    """The mean of 200 estimates lies within four of its standard errors of the truth."""
    draw = random.Random(size + percent)
    pairs = [changed_pair(draw, size, size * percent // 100) for _ in range(200)]
    true = pairs[0][2]
    errors = [resemblance(one, other) - true for one, other, _ in pairs]
    # Minima that were borrowed repeat one another: a short text has fewer than 84 draws.
    draws = min(84, size / 2)
    allowed = 4 * sqrt((true * (1 - true) + 1 / 256) / draws / len(pairs))
    # Estimates below nothing are cut off, which lifts the mean where texts have nothing in common.
    assert abs(np.mean(errors)) < allowed + 0.002


def test_the_error_of_long_texts_is_that_of_84_draws():
    draw = random.Random(3)
    errors = [
        resemblance(*pair[:2]) - pair[2] for pair in (changed_pair(draw, 1500, 450) for _ in range(200))
    ]
    assert np.std(errors) < 1.2 * sqrt(0.25 / 84) < 1.2 / sqrt(84)


def test_resemblance():
    assert resemblance(bytes(84), bytes(84)) == 1
    assert resemblance(bytes(84), bytes([1]) * 84) == 0
    assert resemblance(bytes(84), bytes([1]) + bytes(83)) == pytest.approx((83 / 84 - 1 / 256) / (255 / 256))
    with pytest.raises(ValueError, match="84 bytes"):
        resemblance(b"", bytes(84))
