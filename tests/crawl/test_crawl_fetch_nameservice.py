"""Resolution of names by hosts file, name servers and system, in this order."""

import asyncio
import socket
import struct
import threading

import pytest

from gossamer.crawl.fetch import dns as nameservice
from gossamer.crawl.fetch.dns import NameAnswer, SystemNames, is_local_name, read_hosts
from gossamer.model import BadSetting

A, CNAME, AAAA = 1, 5, 28
LOOPBACK = ("127.0.0.1", "::1")


def wire_name(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def record(kind, ttl, data):
    return b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, ttl, len(data)) + data


class NameServer(asyncio.DatagramProtocol):
    """A resolver with the records of (name, kind); None means silence, no records an unknown name."""

    def __init__(self, records):
        self.records = records
        self.asked = []

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, sender):
        end = data.index(b"\0", 12)
        labels, place = [], 12
        while place < end:
            labels.append(data[place + 1 : place + 1 + data[place]].decode())
            place += 1 + data[place]
        name, kind = ".".join(labels), int.from_bytes(data[end + 1 : end + 3], "big")
        self.asked.append((name, kind))
        records = self.records.get((name, kind), [])
        if records is None:
            return
        missing = all(key[0] != name for key in self.records)
        flags = 0x8180 | (3 if missing else 0)
        head = data[:2] + struct.pack("!HHHHH", flags, 1, len(records), 0, 0)
        self.transport.sendto(head + data[12 : end + 5] + b"".join(records), sender)


def look_up(records, *hosts, timeout=2.0):
    """Resolve hosts by a server with these records; return the answers and the queries."""

    async def run():
        loop = asyncio.get_running_loop()
        transport, server = await loop.create_datagram_endpoint(
            lambda: NameServer(records), local_addr=("127.0.0.1", 0)
        )
        port = transport.get_extra_info("sockname")[1]
        names = SystemNames([f"127.0.0.1:{port}"], timeout)
        try:
            return [await names.ask(host) for host in hosts], server.asked
        finally:
            await names.close()
            transport.close()

    return asyncio.run(run())


@pytest.fixture
def no_system(monkeypatch):
    monkeypatch.setattr(nameservice, "_system_addresses", lambda _host: [])


FOUR, SIX = socket.inet_aton("93.184.215.14"), socket.inet_pton(socket.AF_INET6, "2606:2800::1")


def test_both_kinds_of_addresses_and_the_shortest_life(no_system):
    records = {
        ("a.example", A): [record(A, 300, FOUR), record(A, 120, socket.inet_aton("93.184.215.15"))],
        ("a.example", AAAA): [record(AAAA, 3_600, SIX)],
    }
    (answer,), asked = look_up(records, "a.example")
    assert answer == NameAnswer(("93.184.215.14", "93.184.215.15", "2606:2800::1"), 120)
    assert sorted(asked) == [("a.example", A), ("a.example", AAAA)]


def test_a_name_that_is_another_name(no_system):
    chain = [record(CNAME, 30, wire_name("b.example")), record(A, 300, FOUR)]
    (answer,), _ = look_up({("a.example", A): chain, ("a.example", AAAA): chain[:1]}, "a.example")
    assert answer == NameAnswer(("93.184.215.14",), 30)


def test_a_server_that_is_silent_about_one_kind_holds_nobody_up(no_system):
    records = {("a.example", A): [record(A, 300, FOUR)], ("a.example", AAAA): None}
    (answer,), _ = look_up(records, "a.example")
    assert answer.addresses == ("93.184.215.14",)


def test_names_that_are_not_there(no_system):
    answers, asked = look_up({("other.example", A): []}, "gone.example", "other.example")
    assert answers == [NameAnswer(())] * 2
    assert {name for name, _ in asked} == {"gone.example", "other.example"}


def test_a_silent_server_is_not_waited_for(no_system):
    with pytest.raises(OSError, match="no name server"):
        look_up({("a.example", A): None, ("a.example", AAAA): None}, "a.example", timeout=0.2)


def test_the_system_may_know_what_servers_do_not(monkeypatch):
    monkeypatch.setattr(
        nameservice, "_system_addresses", lambda host: ["fe80::1", "192.168.1.7", "192.168.1.7"]
    )
    (answer,), asked = look_up({}, "printer.local")
    assert answer.addresses == ("192.168.1.7", "fe80::1")
    assert asked


def test_a_system_that_hangs_holds_up_nobody(monkeypatch):
    hanging = threading.Event()
    monkeypatch.setattr(nameservice, "_system_addresses", lambda _host: [str(hanging.wait(5))])
    monkeypatch.setattr(nameservice, "SYSTEM_THREADS", 2)
    started = []
    real = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda self: (started.append(self.name), real(self)))

    async def run():
        names = SystemNames(["127.0.0.1:9"], timeout=0.1)
        found = await asyncio.gather(*(names.ask(f"h{i}.example") for i in range(6)), return_exceptions=True)
        await names.close()
        return found

    found = asyncio.run(run())
    hanging.set()
    assert [type(one) for one in found] == [OSError] * 6
    assert len([name for name in started if name.startswith("look-up")]) == 2


@pytest.mark.parametrize("host", ["localhost", "x.localhost", "a.b.localhost"])
def test_local_names_mean_this_machine(host, tmp_path):
    answer = asyncio.run(SystemNames(hosts=tmp_path / "none").ask(host))
    assert answer.addresses == LOOPBACK
    assert is_local_name(host)
    assert not is_local_name(host + ".example")


@pytest.mark.parametrize(
    "host", ["a" * 64 + ".example", "a..example", "caf\u00e9.example", "a." * 127 + "toolong"]
)
def test_what_cannot_be_a_name_is_not_asked_for(host, tmp_path):
    assert asyncio.run(SystemNames(hosts=tmp_path / "none").ask(host)) == NameAnswer(())


def test_the_hosts_file(tmp_path):
    path = tmp_path / "hosts"
    path.write_text(
        "# all\n127.0.0.1 A.example b # c.example\n::1 a.example\nnonsense d\n\n10.0.0.1\n", "utf-8"
    )
    assert read_hosts(path) == {"a.example": ("127.0.0.1", "::1"), "b": ("127.0.0.1",)}
    assert read_hosts(tmp_path / "none") == {}
    assert asyncio.run(SystemNames(hosts=path).ask("a.example")).addresses == LOOPBACK


@pytest.mark.parametrize("server", ["", "ns.example", "1.2.3.4:x", "1.2.3.4:0", "1.2.3.4:70000", "[::1"])
def test_name_servers_are_addresses(server):
    with pytest.raises(BadSetting, match="name server"):
        SystemNames([server])


def test_name_servers_can_be_written_so():
    servers = ["1.1.1.1", "127.0.0.1:5353", "::1", "[::1]:5353"]
    assert len(SystemNames(servers)._servers) == len(servers)
