"""What is the name of what went wrong?"""

from __future__ import annotations

import ssl

from gossamer.model import Failure, Url
from gossamer.web.coding import BadEncoding


class Trouble(Exception):
    """An exchange came to nothing; becomes a value before it leaves this package."""

    def __init__(self, failure: Failure, why: str) -> None:
        super().__init__(why)
        self.failure = failure
        self.why = why


class Stale(Trouble):
    """A kept connection was closed by the server before it answered anything: not its last word."""

    def __init__(self) -> None:
        super().__init__(Failure.DISCONNECTED, "the connection was closed before an answer came")


def not_http(why: str) -> Trouble:
    """What came is not HTTP."""
    return Trouble(Failure.PROTOCOL, why)


def explained(error: Exception, url: Url) -> tuple[Failure, str]:
    """The name of a failure, and a few words for people."""
    match error:
        case Trouble(failure=Failure.DNS | Failure.PRIVATE_ADDRESS):
            return error.failure, f"{url.host} {error.why}"
        case Trouble(failure=Failure.PROTOCOL):
            return error.failure, f"what {url.authority} sent is not HTTP ({error.why})"
        case Trouble(failure=Failure.DISCONNECTED):
            return error.failure, f"{url.authority} hung up ({error.why})"
        case Trouble():
            return error.failure, f"{url.authority} {error.why}"
        case ssl.SSLError():
            return Failure.TLS, f"no secure connection to {url.authority} ({brief(error)})"
        case BadEncoding():
            return Failure.DECODING, str(error)
        case OSError():
            return Failure.CONNECT, f"no connection to {url.authority} ({brief(error)})"
        case _:
            return Failure.PROTOCOL, f"asking {url.authority} failed: {type(error).__name__} ({brief(error)})"


def brief(error: BaseException) -> str:
    """The first line of an error, short enough for a table."""
    text = str(error) or type(error).__name__
    return text.splitlines()[0][:120]
