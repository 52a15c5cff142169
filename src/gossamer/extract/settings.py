"""What the owner may decide about extraction."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.extract.rules import Rule
from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """The `[extract]` section."""

    workers: int = setting(
        2, "Processes that read documents; 0 reads them in the crawler's own process.", least=0, most=256
    )
    timeout: float = setting(
        20.0, "Seconds that one document may take before its worker is replaced.", least=0.1
    )
    memory_mb: int = setting(1000, "Megabytes of memory that one worker may use.", least=100)
    rules: list[Rule] = setting(
        [], "Tables that say where title, content and date of a site's pages stand.", items=Rule
    )
