"""How much of an answer is worth asking for, by the media type that its head names?"""

from __future__ import annotations

GLANCE = 64 * 1024  # bytes kept of what nobody can read as text: enough to see what it is

_UNREAD_KINDS = ("image/", "audio/", "video/", "font/", "model/", "application/vnd.ms-")
_READ_ENDING = ".macroenabled.12"  # office documents that are read as those without programs in them
_UNREAD_TYPES = frozenset(
    {
        "application/zip",
        "application/x-tar",
        "application/x-bzip2",
        "application/x-xz",
        "application/zstd",
        "application/x-7z-compressed",
        "application/vnd.rar",
        "application/x-rar-compressed",
        "application/java-archive",
        "application/vnd.android.package-archive",
        "application/x-msdownload",
        "application/x-iso9660-image",
        "application/x-shockwave-flash",
        "application/ogg",
        "application/wasm",
        "application/font-woff",
        "application/msword",
    }
)


def worth_keeping(content_type: str, max_bytes: int) -> int:
    """Bytes of an answer to keep: all that may be kept, or little of pictures, films and archives.

    >>> worth_keeping("text/html; charset=utf-8", 1_000_000), worth_keeping("Image/PNG", 1_000_000)
    (1000000, 65536)
    """
    kind = content_type.partition(";")[0].strip().lower()
    is_unread = kind in _UNREAD_TYPES or (kind.startswith(_UNREAD_KINDS) and not kind.endswith(_READ_ENDING))
    return min(max_bytes, GLANCE) if is_unread else max_bytes
