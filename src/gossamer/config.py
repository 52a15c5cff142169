"""Config: all sections of gossamer.toml, with their checks."""

from __future__ import annotations

import difflib
import json
import math
import tomllib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from gossamer.answer.instant.settings import AnswerSettings
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.crawl.settings import CrawlSettings, FreshnessSettings, FrontierSettings, TrapSettings
from gossamer.duplicates.settings import QualitySettings
from gossamer.extract.settings import ExtractSettings
from gossamer.graph.settings import RankSettings, Topic
from gossamer.index.settings import IndexSettings, WeightingSettings
from gossamer.model import BadSetting, RenamedSetting, setting
from gossamer.search.settings import SearchSettings
from gossamer.storage.settings import StoreSettings
from gossamer.text.settings import TextSettings

# Settings of [serve]: limits, proxies, logging
# ---------------------------------------------


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """The `[serve]` section."""

    rate: float = setting(
        20.0,
        "Rate limit: the average number of requests per second from one IP address; 0 means no limit. "
        "Requests from this machine are not limited.",
        least=0,
    )
    burst: int = setting(
        100,
        "Number of requests that one IP address may make at once before `rate` limits it, at least 1.",
        least=1,
    )
    timeout: float = setting(
        10.0, "Seconds after which an unanswered request ends with an error, at least 0.01.", least=0.01
    )
    max_concurrent_requests: int = setting(
        200,
        "Largest number of requests that are handled at the same time, at least 1. Further requests get "
        "an error that asks to try again later.",
        least=1,
        formerly="concurrent",
    )
    hosts: list[str] = setting(
        [],
        "Host names of this server, without ports: search.example.org, or *.example.org for all names "
        "below it. Loopback names, IP addresses of this machine and the name given with --host need no "
        "entry. Behind a proxy, add the public name. * allows every name, and then any web page can read "
        "the collection (DNS rebinding): use it only behind a proxy that checks names.",
    )
    trusted_proxies: list[str] = setting(
        [],
        "IP addresses or networks of the proxies in front of this server, such as 127.0.0.1 or "
        "10.0.0.0/8. Their headers are trusted to name the visitor's IP address.",
    )
    cors: list[str] = setting(
        [],
        "Origins, such as https://example.org, whose pages may read the API in a visitor's browser; * "
        "allows all.",
    )
    geolocate_visitors: bool = setting(
        True,
        "Whether to find out a visitor's country from the address database or the browser's languages. "
        "Pages of that country get a small boost.",
        formerly="locate",
    )
    address_database: str = setting(
        "",
        "File in the MaxMind DB format (.mmdb) that maps IP addresses to countries. A relative path "
        "starts in the collection's folder.",
    )
    query_log: bool = setting(
        False,
        "Whether to count queries, without who asked them. The counts serve suggestions and the owner's "
        "pages.",
    )
    query_log_mb: int = setting(
        4,
        "Size of the query log in megabytes, 1 to 1000. Above it, the rarest queries are deleted.",
        least=1,
        most=1000,
    )
    owner: bool = setting(
        True, "Whether to serve the owner's pages under /owner. They need the token in the file owner/token."
    )
    submissions: bool = setting(
        False, "Whether visitors may submit sites. Submissions wait for the owner's decision."
    )
    reports: bool = setting(
        False, "Whether visitors may report results. Reports wait for the owner's decision."
    )


NAME = "gossamer.toml"


@dataclass(frozen=True, slots=True)
class Config:
    """All settings, by section. Each stage gets its own section only."""

    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    frontier: FrontierSettings = field(default_factory=FrontierSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    quality: QualitySettings = field(default_factory=QualitySettings)
    traps: TrapSettings = field(default_factory=TrapSettings)
    freshness: FreshnessSettings = field(default_factory=FreshnessSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    text: TextSettings = field(default_factory=TextSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    weighting: WeightingSettings = field(default_factory=WeightingSettings)
    rank: RankSettings = field(default_factory=RankSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    answers: AnswerSettings = field(default_factory=AnswerSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)

    @classmethod
    def load(cls, path: Path) -> Config:
        """Read a file of settings. Settings that the file does not name keep their defaults.

        A former name of a setting causes the warning RenamedSetting. Any other mistake raises BadSetting. Its
        text names the file, the section and the setting.
        """
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            again = "; put all settings of a section below one header" if "twice" in str(error) else ""
            raise BadSetting(f"{path}: {error}{again}") from error
        return cls().changed(content, str(path))

    def changed(self, sections: dict[str, Any], source: str = "settings") -> Config:
        """Return a copy with some settings changed: {"crawl": {"depth": 3}}. Errors name the `source`."""
        known = {one.name: getattr(self, one.name) for one in fields(self)}
        for name, values in sections.items():
            if name not in known and not isinstance(values, dict) and (hint := _place_of(name)):
                raise BadSetting(f"{source}: the setting {name!r} is in no section{hint}")
            if name not in known:
                raise BadSetting(f"{source}: there is no section [{name}]{_nearest(name, known)}")
            if not isinstance(values, dict):
                raise BadSetting(f"{source}: {name} is a section and needs settings: [{name}]")
            known[name] = _with(known[name], values, f"{source}: [{name}]")
            _check_section(name, known[name], f"{source}: [{name}]")
        return replace(self, **known)

    @staticmethod
    def template() -> str:
        """Return a gossamer.toml in which each setting is a comment, with its description and its default."""
        lines = [
            "# Settings of this collection. Every setting is optional; the values below are the defaults."
        ]
        for section, one in Config.settings():
            if f"[{section}]" not in lines:
                lines += ["", f"[{section}]"]
            lines += [f"# {one.metadata['sentence']}", f"# {one.name} = {json.dumps(default_of(one))}"]
        return "\n".join(lines) + "\n"

    @staticmethod
    def settings() -> Iterator[tuple[str, Field[Any]]]:
        """Iterate over all settings, each with the name of its section."""
        config = Config()
        for section in fields(config):
            for one in fields(getattr(config, section.name)):
                yield section.name, one


# Checks by other modules
# -----------------------
#
# Only values that differ from the default are checked. So a module is imported only if its setting is used,
# and not at each start. Each check raises BadSetting or ValueError.


def _check_patterns(patterns: list[str]) -> None:
    from gossamer.web.url_filter import UrlFilter

    UrlFilter(include=tuple(patterns))


def _check_networks(networks: list[str]) -> None:
    for text in networks:
        ip_network(text.strip(), strict=False)


def _check_overrides(overrides: list[str]) -> None:
    from gossamer.web.host import HostOverride

    for text in overrides:
        HostOverride.parse(text)


def _check_servers(servers: list[str]) -> None:
    from gossamer.crawl.fetch.dns import checked_server

    for server in servers:
        checked_server(server)


def _check_logins(logins: list[str]) -> None:
    from gossamer.crawl.fetch.site_logins import check_login

    for line in logins:
        check_login(line)


def _check_bands(bands: int) -> None:
    from gossamer.text.shingles import SKETCH_BYTES

    if SKETCH_BYTES % bands:
        raise BadSetting(f"{bands} is not a divisor of {SKETCH_BYTES}")


def _check_country(code: str) -> None:
    from gossamer.answer.gazetteer import valid_country

    valid_country(code)


def _check_rank(name: str) -> None:
    """Check the name of a rank. Whether the rank or topic is stored is known only when a query arrives."""
    from gossamer.graph.blend import AGAINST, AUTO, NONE, OF_A_QUERY, TOPIC
    from gossamer.graph.ranks.registry import RANKS

    known = [AUTO, *(rank for rank in RANKS if rank not in AGAINST), *OF_A_QUERY, NONE]
    if name not in known and not name.startswith(TOPIC):
        raise BadSetting(f"there is no rank {name!r}; choose from: {', '.join(known)}, {TOPIC}NAME")


def _check_topics(topics: list[Topic]) -> None:
    from gossamer.graph.ranks.registry import distinct

    distinct(topics)


def _check_time_zone(name: str) -> None:
    from gossamer.answer.instant.answer import time_zone

    time_zone(name)


def _check_kinds(kinds: list[str]) -> None:
    from gossamer.answer.instant.answer import known_kinds

    known_kinds(kinds)


_CHECKS: dict[tuple[str, str], Callable[[Any], object]] = {
    ("crawl", "include"): _check_patterns,
    ("crawl", "exclude"): _check_patterns,
    ("frontier", "unlimited_addresses"): _check_networks,
    ("fetch", "host_overrides"): _check_overrides,
    ("fetch", "name_servers"): _check_servers,
    ("fetch", "logins"): _check_logins,
    ("quality", "bands"): _check_bands,
    ("rank", "topics"): _check_topics,
    ("search", "country"): _check_country,
    ("search", "rank"): _check_rank,
    ("answers", "time_zone"): _check_time_zone,
    ("answers", "without"): _check_kinds,
}


def _check_section(name: str, section: Any, source: str) -> None:
    """Check the settings of a section that differ from their defaults."""
    for one in fields(section):
        check, value = _CHECKS.get((name, one.name)), getattr(section, one.name)
        if check is None or value == default_of(one):
            continue
        try:
            check(value)
        except (BadSetting, ValueError) as error:
            raise BadSetting(f"{source} {one.name}: {error}") from None


def default_of(one: Field[Any]) -> Any:
    """Return the default of a setting."""
    if one.default is not MISSING:
        return one.default
    assert one.default_factory is not MISSING
    return one.default_factory()


def _with(section: Any, values: dict[str, Any], source: str) -> Any:
    """Return a section with some settings changed. Former names are replaced by the new ones."""
    known = {one.name: one for one in fields(section)}
    renamed = {one.metadata["formerly"]: one.name for one in known.values() if one.metadata["formerly"]}
    checked = {}
    for written, value in values.items():
        name = renamed.get(written, written)
        if name not in known:
            hint = _place_of(name) or _nearest(name, known)
            raise BadSetting(f"{source}: there is no setting {name!r}{hint}")
        if name != written:
            if name in values:
                raise BadSetting(
                    f"{source} sets {name} twice: {written} is its former name; remove {written}"
                )
            _warn_of_rename(f"{source} {written} is now called {name}")
        checked[name] = _checked(value, known[name], f"{source} {name}")
    return replace(section, **checked)


def _warn_of_rename(renamed: str) -> None:
    warnings.warn(f"{renamed}; rename it (the old name is still read)", RenamedSetting, stacklevel=2)


def _checked(value: Any, one: Field[Any], source: str) -> Any:
    """Return the value, or raise BadSetting. It must have the type of the default; an int may be a float."""
    default = default_of(one)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(default):
        raise BadSetting(f"{source} must be {_kind(default)}, not {value!r}")
    if isinstance(value, list) and one.metadata["items"] is not None:
        return [_table(one.metadata["items"], table, f"{source} {n}") for n, table in enumerate(value, 1)]
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        raise BadSetting(f"{source} must be a list of strings")
    if isinstance(value, str) and value != default and not (value.strip() and value.isprintable()):
        raise BadSetting(f"{source} must be one line of text, not {value!r}")
    choices = one.metadata["choices"]
    if choices and value not in choices:
        raise BadSetting(f"{source} must be one of {', '.join(choices)}, not {value!r}")
    if isinstance(value, float) and math.isnan(value):
        raise BadSetting(f"{source} must be a number, not {value!r}")
    least, most = one.metadata["least"], one.metadata["most"]
    if least is not None and value < least:
        raise BadSetting(f"{source} must be at least {least}, not {value!r}")
    if most is not None and value > most:
        raise BadSetting(f"{source} must be at most {most}, not {value!r}")
    return value


def _table(kind: Any, values: Any, source: str) -> Any:
    """Return one table of a list of tables. It is checked like a section, and by its method `problem`."""
    if not isinstance(values, dict):
        raise BadSetting(f"{source} must be a table of settings, not {values!r}")
    table = _with(kind(), values, source)
    if problem := table.problem():
        raise BadSetting(f"{source}: {problem}")
    return table


def _kind(default: Any) -> str:
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a string", list: "a list"}
    return kinds[type(default)]


def _place_of(name: str) -> str:
    """Return a hint to the section of a setting, by its name or former name; "" for an unknown name."""
    there = {f"[{section}]": one.name for section, one in Config.settings() if one.name == name}
    if there:
        return f"; it belongs in {' or '.join(there)}"
    for section, one in Config.settings():
        if one.metadata["formerly"] == name:
            return f"; it belongs in [{section}] and is now called {one.name}"
    return ""


# Least similarity of a name in another section. With the default of difflib, 0.6, most words resemble one.
NEAR_ELSEWHERE = 0.8


def _nearest(name: str, known: dict[str, Any]) -> str:
    if near := difflib.get_close_matches(name, known, 1):
        return f"; did you mean {near[0]!r}?"
    if near := difflib.get_close_matches(name, [one.name for _, one in Config.settings()], 1, NEAR_ELSEWHERE):
        return f"; the nearest name is {near[0]!r}{_place_of(near[0])}"
    return f"; choose from: {', '.join(known)}"
