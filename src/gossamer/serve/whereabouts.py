"""In which country is whoever asks? They may say so, or that it is nobody's business."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request

from gossamer.engine.serve_settings import ServeSettings
from gossamer.results.place_names import country_code
from gossamer.serve.address_database import AddressDatabase
from gossamer.serve.languages import region

NOWHERE = "none"  # what is said in the place of a country so that none counts
ANYWHERE = "auto"  # and so that it is found out again


class Whereabouts:
    """Finds it out: as it was named, else by the address, else by the languages of the browser."""

    def __init__(self, settings: ServeSettings) -> None:
        self._found_out = settings.locate
        path = settings.address_database
        self._database = AddressDatabase.read(Path(path)) if path and settings.locate else None

    def country(self, request: Request, named: str) -> str | None:
        """Its two letters; "" where it should not count, None where nothing tells."""
        if named == NOWHERE:
            return ""
        if named and named != ANYWHERE:
            return named.upper()
        if not self._found_out:
            return None
        address = request.client.host if request.client else ""
        known = self._database.country(address) if self._database else ""
        found = known or region(request.headers.get("accept-language", ""))
        return country_code(found) if found else None  # a browser may name what is no country
