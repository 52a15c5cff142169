"""Config: all sections of gossamer.toml, gathered and checked."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from gossamer.answer.instant.settings import AnswerSettings
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.crawl.settings import CrawlSettings, FreshnessSettings, FrontierSettings, TrapSettings
from gossamer.duplicates.settings import QualitySettings
from gossamer.extract.settings import ExtractSettings
from gossamer.graph.settings import RankSettings
from gossamer.index.settings import IndexSettings, WeightingSettings
from gossamer.model import BadSetting, setting
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
        "Requests a second that one address may make in the long run; 0 for any number. Addresses of this "
        "machine are not counted.",
        least=0,
    )
    burst: int = setting(100, "Requests that an address may make at once before its rate counts.", least=1)
    timeout: float = setting(
        10.0, "Seconds after which a request that is not answered is given up with an error.", least=0.01
    )
    max_concurrent_requests: int = setting(
        200, "Requests that may be on their way at once; further ones are asked to come back.", least=1
    )
    hosts: list[str] = setting(
        [],
        "Names by which this server may be asked, without ports: search.example.org, or *.example.org for "
        "all names below. Names of loopback, IP addresses of this machine and the name of --host need no "
        "entry. List the public name behind a proxy. * allows any name, by which a page on the web can read "
        "the collection (DNS rebinding): use it only where something in front checks names.",
    )
    trusted_proxies: list[str] = setting(
        [],
        "Addresses or networks of proxies before this server, such as 127.0.0.1 or 10.0.0.0/8: what they say "
        "of a visitor's address is believed.",
    )
    cors: list[str] = setting(
        [],
        "Origins such as https://example.org whose pages may read the API in a visitor's browser; * for all.",
    )
    geolocate_visitors: bool = setting(
        True,
        "Whether the country of a visitor is found out, by the address database or the browser's languages, "
        "so that pages of that country count a little more for them.",
    )
    address_database: str = setting(
        "",
        "A file in the MaxMind DB format (.mmdb) that knows the countries of addresses; from the "
        "collection's folder, where it is no whole path.",
    )
    query_log: bool = setting(
        False,
        "Whether queries are counted, without who asked them: for suggestions, and for you.",
    )
    query_log_mb: int = setting(
        4, "Size in megabytes beyond which the rarest queries are forgotten.", least=1, most=1000
    )
    owner: bool = setting(
        True, "Whether there are pages for you below /owner, behind the token in the file owner/token."
    )
    submissions: bool = setting(False, "Whether visitors may submit sites, which then wait for you.")
    reports: bool = setting(False, "Whether visitors may report results, which then wait for you.")


NAME = "gossamer.toml"


@dataclass(frozen=True, slots=True)
class Config:
    """A section for each stage; a stage is given its own section, never the whole."""

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
        """The settings of a file; defaults where it says nothing, a telling error where it is wrong."""
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            again = "; put all settings of a section below one header" if "twice" in str(error) else ""
            raise BadSetting(f"{path}: {error}{again}") from error
        return cls().changed(content, str(path))

    def changed(self, sections: dict[str, Any], source: str = "settings") -> Config:
        """This configuration with some settings changed: {"crawl": {"depth": 3}}."""
        known = {one.name: getattr(self, one.name) for one in fields(self)}
        for name, values in sections.items():
            if name not in known:
                raise BadSetting(f"{source}: there is no section [{name}]{_nearest(name, known)}")
            if not isinstance(values, dict):
                raise BadSetting(f"{source}: {name} is a section and needs settings: [{name}]")
            known[name] = _with(known[name], values, f"{source}: [{name}]")
        return replace(self, **known)

    @staticmethod
    def template() -> str:
        """A gossamer.toml that says of every setting what it does, all at their defaults."""
        lines = ["# What this collection does. Every setting is optional; these are the defaults.", ""]
        for section, one in Config.settings():
            if f"[{section}]" not in lines:
                lines += ["" if lines[-1] else None, f"[{section}]"]  # type: ignore[list-item]
            lines += [f"# {one.metadata['sentence']}", f"# {one.name} = {_toml(default_of(one))}"]
        return "\n".join(line for line in lines if line is not None) + "\n"

    @staticmethod
    def settings() -> Iterator[tuple[str, Field[Any]]]:
        """Every setting there is, with its section."""
        config = Config()
        for section in fields(config):
            for one in fields(getattr(config, section.name)):
                yield section.name, one


def default_of(one: Field[Any]) -> Any:
    if one.default is not MISSING:
        return one.default
    assert one.default_factory is not MISSING
    return one.default_factory()


def _with(section: Any, values: dict[str, Any], source: str) -> Any:
    known = {one.name: one for one in fields(section)}
    checked = {}
    for name, value in values.items():
        if name not in known:
            raise BadSetting(f"{source}: there is no setting {name!r}{_nearest(name, known)}")
        checked[name] = _checked(value, known[name], f"{source} {name}")
    return replace(section, **checked)


def _checked(value: Any, one: Field[Any], source: str) -> Any:
    """The value, if it is of the default's kind and in range; whole numbers will do for fractions."""
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
    if isinstance(value, float) and math.isnan(value):
        raise BadSetting(f"{source} must be a number, not {value!r}")
    least, most = one.metadata["least"], one.metadata["most"]
    if least is not None and value < least:
        raise BadSetting(f"{source} must be at least {least}, not {value!r}")
    if most is not None and value > most:
        raise BadSetting(f"{source} must be at most {most}, not {value!r}")
    return value


def _table(kind: Any, values: Any, source: str) -> Any:
    """One table of a list of them, checked as a section is, and by its own rules."""
    if not isinstance(values, dict):
        raise BadSetting(f"{source} must be a table of settings, not {values!r}")
    table = _with(kind(), values, source)
    if problem := table.problem():
        raise BadSetting(f"{source}: {problem}")
    return table


def _kind(default: Any) -> str:
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a string", list: "a list"}
    return kinds[type(default)]


def _nearest(name: str, known: dict[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else f"; there are: {', '.join(known)}"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return repr(value)
