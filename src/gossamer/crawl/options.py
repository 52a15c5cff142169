"""Options of one crawl, which override gossamer.toml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from gossamer.web.host import HostOverride
from gossamer.web.url_filter import UrlFilter

# Section and name of the setting that each option overrides.
_SETTINGS = {
    "max_pages": ("crawl", "max_pages"),
    "depth": ("crawl", "depth"),
    "stay": ("crawl", "stay_on_site"),
    "include": ("crawl", "include"),
    "exclude": ("crawl", "exclude"),
    "delay": ("frontier", "delay"),
    "resolve": ("fetch", "host_overrides"),
    "allow_private": ("fetch", "allow_private"),
    "user_agent": ("fetch", "user_agent"),
}
_LISTS = ("include", "exclude", "resolve")


@dataclass(frozen=True)
class CrawlOptions:
    """Options of one crawl: the arguments of `Engine.crawl`, which describes them.

    Each field overrides a setting; None keeps the setting. An invalid value raises `BadSetting` or another
    `UsageError` at construction.

    Example:
        >>> CrawlOptions(max_pages=100, delay=2, include="/en/").settings()
        {'crawl': {'max_pages': 100, 'include': ['/en/']}, 'frontier': {'delay': 2}}
    """

    max_pages: int | None = None
    depth: int | None = None
    stay: bool | None = None
    include: str | Sequence[str] | None = None
    exclude: str | Sequence[str] | None = None
    delay: float | None = None
    resolve: str | Sequence[str] | None = None
    allow_private: bool | None = None
    user_agent: str | None = None

    def __post_init__(self) -> None:
        UrlFilter(tuple(_listed(self.include)), tuple(_listed(self.exclude)))
        for text in _listed(self.resolve):
            HostOverride.parse(text)

    def settings(self) -> dict[str, dict[str, Any]]:
        """Return the given options as sections of settings, for `Config.changed`."""
        sections: dict[str, dict[str, Any]] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if value is not None:
                section, name = _SETTINGS[one.name]
                sections.setdefault(section, {})[name] = _listed(value) if one.name in _LISTS else value
        return sections


def _listed(value: str | Sequence[str] | None) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)
