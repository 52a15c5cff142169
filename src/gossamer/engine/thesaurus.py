"""Which synonyms has the owner of a collection written down? Read anew when the file has changed."""

from __future__ import annotations

from pathlib import Path

from gossamer.model import BadFile, BadSetting
from gossamer.text.synonyms import NO_SYNONYMS, Synonyms, read_synonyms

NAME = "synonyms.txt"


class Thesaurus:
    """The list of a collection; empty where there is no file. Threads may share it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: tuple[tuple[int, int], Synonyms] | None = None

    def synonyms(self) -> Synonyms:
        """The entries as they stand now; raises BadFile, which names the file and the line."""
        try:
            stat = self._path.stat()
            stamp = stat.st_mtime_ns, stat.st_size
            known = self._read
            if known is None or known[0] != stamp:
                known = stamp, read_synonyms(self._path.read_text(encoding="utf-8"), str(self._path))
                self._read = known
        except FileNotFoundError:
            return NO_SYNONYMS
        except UnicodeDecodeError as error:
            raise BadFile(f"{self._path}: it should be UTF-8 ({error.reason})") from None
        except OSError as error:
            raise BadFile(f"{self._path}: it cannot be read ({error.strerror})") from None
        except BadSetting as error:
            raise BadFile(str(error)) from None
        return known[1]
