"""Host overrides."""

import pytest

from gossamer.model import BadSetting
from gossamer.web.host import HostOverride


@pytest.mark.parametrize(
    ("text", "address", "port"),
    [
        ("*.localhost=127.0.0.1:8808", "127.0.0.1", 8808),
        ("example.com=10.0.0.1", "10.0.0.1", None),
        ("*=[::1]:80", "::1", 80),
        (" a.b=[2001:db8::1] ", "2001:db8::1", None),
    ],
)
def test_parse(text, address, port):
    override = HostOverride.parse(text)
    assert (override.address, override.port) == (address, port)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=",
        "a.com",
        "a.com=",
        "=127.0.0.1",
        "a.com=localhost",
        "a.com=::1",
        "a.com=127.0.0.1:",
        "a.com=127.0.0.1:http",
        "a.com=127.0.0.1:70000",
        "a.com=127.0.0.1:0",
        "a.com=[::1",
        "a.com=[::1]8080",
        "a.com=[::1]:",
    ],
)
def test_nonsense_is_named(text):
    with pytest.raises(BadSetting, match="host override"):
        HostOverride.parse(text)


@pytest.mark.parametrize(
    ("pattern", "host", "matches"),
    [
        ("*.localhost", "wildcats.localhost", True),
        ("*.LocalHost", "wildcats.localhost", True),
        ("*.localhost", "localhost", False),
        ("shop?.test", "shop7.test", True),
        ("*", "example.com", True),
        ("*", "169.254.169.254", False),
        ("*", "[::1]", False),
    ],
)
def test_matches_names_only(pattern, host, matches):
    assert HostOverride.parse(f"{pattern}=127.0.0.1").matches(host) is matches
