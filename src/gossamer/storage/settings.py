"""Settings of [store]: durability, WARC file size."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The `[store]` section."""

    durable: bool = setting(
        False,
        "Whether commits survive a power failure (fsync). If it is off, commits survive if the process is "
        "killed, but not always a power failure.",
    )
    max_file_mb: int = setting(
        1000, "Size in megabytes at which a new WARC file is begun, at least 1.", least=1
    )
