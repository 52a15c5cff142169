"""Country of a visitor: as chosen by the user, else by the IP address, else by the browser's languages.

IP addresses are looked up in a file of the MaxMind DB format (https://maxmind.github.io/MaxMind-DB/), which
the owner downloads. The package that reads it is the extra `location`.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from starlette.requests import Request

from gossamer.answer.gazetteer import country_code
from gossamer.config import ServeSettings
from gossamer.model import BadSetting
from gossamer.model.errors import require_extra
from gossamer.serve.i18n import region
from gossamer.serve.middleware import ip_address_of

SETTING = "[serve] address_database"
MARKER = b"\xab\xcd\xefMaxMind.com"  # before the metadata at the end of each such file
# Exceptions of the reader for a damaged file. The keys and types of the metadata come from the file
# too.
DAMAGE = (ValueError, TypeError, IndexError, RuntimeError)


class AddressDatabase:
    """Look up the country of an IP address. The file is kept in memory. Threads may share it."""

    def __init__(self, data: bytes, name: str = "the file") -> None:
        require_extra(SETTING, "location", "maxminddb")
        from maxminddb import MODE_FD, Reader

        if MARKER not in data:
            raise BadSetting(f"{SETTING}: {name}: it is not a file in the MaxMind DB format")
        try:
            # Not the reader in C, which might crash on damaged bytes.
            self._reader = Reader(BytesIO(data), MODE_FD)
        except DAMAGE as error:
            raise BadSetting(f"{SETTING}: {name}: it is damaged; download it again ({error})") from None

    @classmethod
    def read(cls, path: Path) -> AddressDatabase:
        """Read a file; raise BadSetting if it is missing or not in this format."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BadSetting(f"{SETTING}: {path}: {error.strerror or error}") from None
        return cls(data, str(path))

    def country(self, address: str) -> str:
        """Return the two-letter country code of an IP address; "" if unknown."""
        known = ip_address_of(address)
        try:
            record = self._reader.get(known) if known else None
        except DAMAGE:
            return ""  # an IPv6 address with an IPv4 database, or a damaged part of the file
        for kind in ("country", "registered_country"):
            found = record.get(kind) if isinstance(record, dict) else None
            code = found.get("iso_code") if isinstance(found, dict) else None
            if isinstance(code, str):
                return code.upper()
        return ""


NOWHERE = "none"  # value of the parameter `country` for no country
ANYWHERE = "auto"  # and for the country of the IP address or the browser


class VisitorLocation:
    """Find the country of a visitor."""

    def __init__(self, settings: ServeSettings) -> None:
        self._found_out = settings.geolocate_visitors
        path = settings.address_database
        self._database = AddressDatabase.read(Path(path)) if path and settings.geolocate_visitors else None

    def country(self, request: Request, named: str) -> str | None:
        """Return the two-letter country code; "" if the user chose none, None if unknown."""
        if named == NOWHERE:
            return ""
        if named and named != ANYWHERE:
            return named.upper()
        if not self._found_out:
            return None
        address = request.client.host if request.client else ""
        known = self._database.country(address) if self._database else ""
        found = known or region(request.headers.get("accept-language", ""))
        return country_code(found) if found else None  # a browser may name an invalid country
