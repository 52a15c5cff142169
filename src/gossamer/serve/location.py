"""Country of a visitor.

search tree | 16 zero bytes | data | marker | metadata

A node of the tree has two records, for the next bit 0 and 1 of an address: the number of another node, the
number of nodes for "not known", or a place in the data. Data is written as control bytes (three bits of type,
five of size) and what they announce. Only what leads to a country is read, and nothing behind the file's end
is believed. Specification: https://maxmind.github.io/MaxMind-DB/ (version 2.0).
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request

from gossamer.answer.gazetteer import country_code
from gossamer.config import ServeSettings
from gossamer.model import BadSetting
from gossamer.serve.i18n import region

MARKER = b"\xab\xcd\xefMaxMind.com"
METADATA = 128 * 1024  # bytes at the end in which the marker stands
APART = 16  # bytes between tree and data
RECORD_BITS = (24, 28, 32)
DEEPEST = 32  # values within each other
POINTER, STRING, MAP, ARRAY, BOOLEAN = 1, 2, 7, 11, 14
NUMBERS = frozenset({5, 6, 8, 9, 10})  # unsigned and signed ones
SKIPPED = frozenset({3, 4, 15})  # double, bytes, float
EXTENDED = 0
Value = dict[str, "Value"] | list["Value"] | str | int | None


class AddressDatabase:
    """A database, read into memory. Threads may share it."""

    def __init__(self, data: bytes, name: str = "the file") -> None:
        start = data.rfind(MARKER, max(0, len(data) - METADATA))
        if start < 0:
            raise BadSetting(f"[serve] address_database: {name}: it is no file in the MaxMind DB format")
        try:
            about = _Data(data[start + len(MARKER) :]).value(0)[0]
            self._tree = _Tree.of(data[:start], about)
        except (ValueError, IndexError, RecursionError, UnicodeDecodeError) as error:
            raise BadSetting(f"[serve] address_database: {name}: {error}") from None

    @classmethod
    def read(cls, path: Path) -> AddressDatabase:
        """The database of a file; raises BadSetting where it is none."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BadSetting(f"[serve] address_database: {path}: {error.strerror or error}") from None
        return cls(data, str(path))

    def country(self, address: str) -> str:
        """The two letters of the country of an address; "" where it is not known."""
        try:
            known = ipaddress.ip_address(address.partition("%")[0])
            record = self._tree.record(_unmapped(known))
        except (ValueError, IndexError, RecursionError, UnicodeDecodeError):
            return ""  # what no network gave, or a place where the file is damaged
        for kind in ("country", "registered_country"):
            found = record.get(kind) if isinstance(record, dict) else None
            code = found.get("iso_code") if isinstance(found, dict) else None
            if isinstance(code, str):
                return code.upper()
        return ""


Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def _unmapped(address: Address) -> Address:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


@dataclass(frozen=True, slots=True)
class _Tree:
    nodes: int
    bits: int  # of a record
    version: int  # 6 holds IPv4 below ::/96
    tree: bytes
    data: _Data

    @classmethod
    def of(cls, whole: bytes, about: Value) -> _Tree:
        wanted = ("node_count", "record_size", "ip_version")
        found = [about.get(key) for key in wanted] if isinstance(about, dict) else []
        numbers = [one for one in found if isinstance(one, int)]
        if len(numbers) < len(wanted):
            raise ValueError("its metadata is damaged")
        nodes, bits, version = numbers
        size = nodes * bits // 4
        if bits not in RECORD_BITS or version not in (4, 6) or size + APART > len(whole):
            raise ValueError("its search tree is damaged")
        return cls(nodes, bits, version, whole[:size], _Data(whole[size + APART :]))

    def record(self, address: Address) -> Value:
        """What is written down for an address; None where nothing is."""
        if address.version > self.version:
            return None
        packed = address.packed if address.version == self.version else bytes(12) + address.packed
        node = 0
        for bit in range(8 * len(packed)):
            node = self._next(node, packed[bit // 8] >> (7 - bit % 8) & 1)
            if node >= self.nodes:
                break
        return self.data.value(node - self.nodes - APART)[0] if node > self.nodes else None

    def _next(self, node: int, bit: int) -> int:
        if self.bits == 28:  # the middle byte holds four bits of each
            start = node * 7
            middle = self.tree[start + 3]
            high = middle & 0x0F if bit else middle >> 4
            own = self.tree[start + 4 : start + 7] if bit else self.tree[start : start + 3]
            return high << 24 | int.from_bytes(own)
        size = self.bits // 8
        start = (2 * node + bit) * size
        return int.from_bytes(self.tree[start : start + size])


@dataclass(frozen=True, slots=True)
class _Data:
    data: bytes

    def value(self, place: int, depth: int = 0) -> tuple[Value, int]:
        """The value at a place, and where the next one begins."""
        if depth > DEEPEST or not 0 <= place < len(self.data):
            raise ValueError("its data is damaged")
        kind, place = self.data[place] >> 5, place + 1
        if kind == POINTER:
            target, place = self._pointer(place)
            return self.value(target, depth + 1)[0], place
        control = self.data[place - 1]
        if kind == EXTENDED:
            kind, place = self.data[place] + 7, place + 1
        size, place = self._size(control & 31, place)
        if kind in {MAP, ARRAY}:
            return self._several(kind, size, place, depth)
        if kind == BOOLEAN:
            return size, place
        raw = self.data[place : place + size]
        if len(raw) < size or kind not in NUMBERS | SKIPPED | {STRING}:
            raise ValueError("its data is damaged")
        if kind == STRING:
            return raw.decode(), place + size
        return int.from_bytes(raw) if kind in NUMBERS else None, place + size

    def _several(self, kind: int, size: int, place: int, depth: int) -> tuple[Value, int]:
        if size > len(self.data):
            raise ValueError("its data is damaged")
        if kind == ARRAY:
            values: list[Value] = []
            for _ in range(size):
                value, place = self.value(place, depth + 1)
                values.append(value)
            return values, place
        found: dict[str, Value] = {}
        for _ in range(size):
            key, place = self.value(place, depth + 1)
            found[str(key)], place = self.value(place, depth + 1)
        return found, place

    def _size(self, size: int, place: int) -> tuple[int, int]:
        """A size above 28 stands in the bytes behind."""
        if size < 29:
            return size, place
        more = size - 28
        return (29, 285, 65_821)[more - 1] + int.from_bytes(self.data[place : place + more]), place + more

    def _pointer(self, place: int) -> tuple[int, int]:
        control = self.data[place - 1]
        more = (control >> 3 & 3) + 1
        high = control & 7 if more < 4 else 0
        target = high << 8 * more | int.from_bytes(self.data[place : place + more])
        return target + (0, 2048, 526_336, 0)[more - 1], place + more


# Country of a visitor
# --------------------

NOWHERE = "none"  # what is said in the place of a country so that none counts
ANYWHERE = "auto"  # and so that it is found out again


class Whereabouts:
    """Finds it out: as it was named, else by the address, else by the languages of the browser."""

    def __init__(self, settings: ServeSettings) -> None:
        self._found_out = settings.locate
        path = settings.address_database
        self._database = AddressDatabase.read(Path(path)) if path and settings.locate else None

    def country(self, request: Request, named: str) -> str | None:
        """Its two letters; "" where it should not count, None where nothing tells."""
        if named == NOWHERE:
            return ""
        if named and named != ANYWHERE:
            return named.upper()
        if not self._found_out:
            return None
        address = request.client.host if request.client else ""
        known = self._database.country(address) if self._database else ""
        found = known or region(request.headers.get("accept-language", ""))
        return country_code(found) if found else None  # a browser may name what is no country
