"""Filter URLs by the owner's include and exclude settings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from gossamer.model import BadSetting, Url

# Endings of binary files without readable text. PDF, plain text, XML and feeds are not among them.
_ENDINGS = """
    7z aac apk avi avif bmp bz2 class css deb dll dmg eot exe flac flv gif gz ico iso jar jpeg jpg js m4a m4v
    map mid mjs mkv mov mp3 mp4 mpeg mpg msi ogg ogv opus otf png psd rar rpm svg swf tar tgz tif tiff ttf
    wasm wav webm webp wma wmv woff woff2 xz zip zst
"""
BINARY_EXTENSIONS = frozenset(_ENDINGS.split())


@dataclass(frozen=True, slots=True)
class UrlFilter:
    """Decides which URLs are not crawled: by patterns, depth, site, file ending and scheme."""

    include: tuple[str, ...] = ()  # regular expressions; one must be found in the URL, if there are any
    exclude: tuple[str, ...] = ()  # regular expressions; none may be found in the URL
    max_depth: int | None = None
    domains: frozenset[str] | None = None  # only these hosts and their subdomains
    hosts: tuple[str, ...] = ()  # patterns; one must match the host, if there are any
    exclude_hosts: tuple[str, ...] = ()  # patterns; none may match the host
    endings: frozenset[str] = frozenset()  # endings of paths to exclude, besides those of binary files
    schemes: frozenset[str] = frozenset({"http", "https"})
    _include: re.Pattern[str] | None = field(init=False, repr=False, compare=False)
    _exclude: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_include", _any_of(self.include))
        object.__setattr__(self, "_exclude", _any_of(self.exclude))

    def admitting(self, domain: str) -> UrlFilter:
        """Return a filter that also admits one more site; the same filter if sites are not restricted."""
        is_in = self.domains is None or domain in self.domains
        return self if is_in else replace(self, domains=(self.domains or frozenset()) | {domain})

    def refusal(self, url: Url, depth: int) -> str:
        """Return why a URL is excluded, or "" if it is not.

        Reasons: scheme, depth, media-type, other-site, other-host, excluded, not-included.
        """
        if url.scheme not in self.schemes:
            return "scheme"
        if self.max_depth is not None and depth > self.max_depth:
            return "depth"
        ending = extension(url)
        if ending in BINARY_EXTENSIONS or ending in self.endings:
            return "media-type"
        if self._is_other_host(url.host):
            return "other-host"
        if self.domains is not None and not _is_within(url.host, self.domains):
            return "other-site"
        if self._exclude is not None and self._exclude.search(url.text):
            return "excluded"
        if self._include is not None and not self._include.search(url.text):
            return "not-included"
        return ""

    def refuses_place(self, url: Url) -> bool:
        """Return whether the scheme or the host of a URL is excluded, for any path."""
        return url.scheme not in self.schemes or self._is_other_host(url.host)

    def _is_other_host(self, host: str) -> bool:
        if self.hosts and not any(fnmatchcase(host, pattern) for pattern in self.hosts):
            return True
        return any(fnmatchcase(host, pattern) for pattern in self.exclude_hosts)


def extension(url: Url) -> str:
    """Return the file extension of the path in lower case, without its dot, or ""."""
    name = url.path.partition("?")[0].rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise BadSetting(f"not a regular expression: {pattern!r} ({error})") from error
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else None


def _is_within(host: str, domains: frozenset[str]) -> bool:
    while host not in domains:
        host = host.partition(".")[2]
        if not host:
            return False
    return True
