"""Write small files in the MaxMind DB format for tests."""

from __future__ import annotations

import ipaddress

MARKER = b"\xab\xcd\xefMaxMind.com"
STRING, UINT16, UINT32, MAP = 2, 5, 6, 7
ARRAY = b"\x00\x04"  # an empty one: an extended type


def encoded(value):
    """A value as its control byte and what that announces."""
    if isinstance(value, dict):
        return control(MAP, len(value)) + b"".join(encoded(key) + encoded(own) for key, own in value.items())
    if isinstance(value, str):
        raw = value.encode()
        return control(STRING, len(raw)) + raw
    if value == []:
        return ARRAY
    raw = value.to_bytes((value.bit_length() + 7) // 8)
    return control(UINT32, len(raw)) + raw


def control(kind, size):
    if size < 29:
        return bytes([kind << 5 | size])
    return bytes([kind << 5 | 29, size - 29])


def pointer(place):
    return bytes([1 << 5 | place >> 8, place & 255])


def database(networks, bits=24, version=6, pointed=False):
    """`networks` has the country of each; with `pointed`, records point to countries written once."""
    tree = [[None, None]]
    data, places = b"", {}
    for country in dict.fromkeys(networks.values()):
        if pointed:
            start = len(data)
            data += encoded({"iso_code": country, "names": {"en": "x" * 40}})
            places[country] = len(data)
            data += control(MAP, 1) + encoded("country") + pointer(start)
        else:
            places[country] = len(data)
            data += encoded({"continent": {"code": "XX"}, "country": {"iso_code": country}})
    for network, country in networks.items():
        insert(tree, ipaddress.ip_network(network), places[country], version)
    nodes = len(tree)
    records = [number(record, nodes) for node in tree for record in node]
    whole = b"".join(packed(records[at], records[at + 1], bits) for at in range(0, len(records), 2))
    about = {
        "binary_format_major_version": 2,
        "binary_format_minor_version": 0,
        "build_epoch": 1_700_000_000,
        "database_type": "Test",
        "description": {"en": "Networks of a test"},
        "ip_version": version,
        "languages": [],
        "node_count": nodes,
        "record_size": bits,
    }
    return whole + bytes(16) + data + MARKER + encoded(about)


def insert(tree, network, place, version):
    value, length = int(network.network_address), network.prefixlen
    width = network.max_prefixlen
    if network.version == 4 and version == 6:
        width, length = 128, length + 96
    node = 0
    for bit in range(length):
        side = value >> (width - 1 - bit) & 1
        if bit == length - 1:
            tree[node][side] = ("data", place)
        else:
            if not isinstance(tree[node][side], int):
                tree.append([None, None])
                tree[node][side] = len(tree) - 1
            node = tree[node][side]


def number(record, nodes):
    if record is None:
        return nodes
    return nodes + 16 + record[1] if isinstance(record, tuple) else record


def packed(left, right, bits):
    if bits == 28:
        middle = (left >> 24) << 4 | right >> 24
        return (left & 0xFFFFFF).to_bytes(3) + bytes([middle]) + (right & 0xFFFFFF).to_bytes(3)
    return left.to_bytes(bits // 8) + right.to_bytes(bits // 8)
