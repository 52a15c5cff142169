"""How is HTTP read? By httptools, in C; what comes before the body of a request may be only so large.

The parser itself knows no such limit: whoever never ends a header would fill the memory. It also passes over
the host that an absolute request target names (`GET http://example.org/ HTTP/1.1`); here it is noted for
`Hosts` to compare.
"""

from __future__ import annotations

import re

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from gossamer.serve.hosts import AUTHORITY

LARGEST_HEAD = 65_536  # bytes: more than an address and headers may have together
_ABSOLUTE = re.compile(rb"[^/?#]*://([^/?#]*)")


class Bounded(HttpToolsProtocol):
    """Refuses a request whose head, or what follows its body, does not end."""

    _in_head = True
    _unfinished = 0  # bytes received of a head
    _trailing = 0  # bytes of headers in a request

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._unfinished += len(data)
        super().data_received(data)
        if self._in_head and self._unfinished > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The head of this request is too large.")

    def on_message_begin(self) -> None:
        self._in_head, self._trailing = True, 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._trailing += len(name) + len(value)
        if self._trailing > LARGEST_HEAD:
            raise ValueError  # which the parser takes for a request that cannot be read
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head, self._unfinished = False, 0
        if absolute := _ABSOLUTE.match(self.url):
            self.scope[AUTHORITY] = absolute[1]  # type: ignore[literal-required]
        super().on_headers_complete()

    def _unsupported_upgrade_warning(self) -> None:
        """Answer an upgrade to another protocol as a plain request, and leave it out of the log.

        Uvicorn would advise to install a library; and anybody could fill the log with that.
        """
