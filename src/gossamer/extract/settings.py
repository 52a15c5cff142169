"""Settings of [extract]; extraction rules per site."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from gossamer.model import Url, setting

# Owner's extraction rules per site
# ---------------------------------
#
# A rule names a host, perhaps a path, and expressions: CSS selectors, or XPath where they begin with
# `/`, `(`, `./` or `..`, with which no selector begins. Expressions are tried when the configuration
# is read, so that a wrong one is told there and not on the first page.

_XPATH = ("/", "(", "./", "..")
EXPRESSIONS = ("title", "content", "date", "author", "remove")
NEEDED = "rules need lxml and cssselect: pip install 'gossamer-search[rules]'"


@dataclass(frozen=True, slots=True)
class ExtractionRule:
    """How the pages of a site are read: one table `[[extract.rules]]`."""

    host: str = setting(
        "", "Host name, or a pattern such as *.example.org, of the pages to which the rule applies."
    )
    path: str = setting(
        "",
        "Regular expression that must be found in the path of the URL. Without one, the rule applies to "
        "every path.",
    )
    title: str = setting("", "Expression for the title.")
    content: str = setting(
        "", "Expression for the main text. All matching elements are read, in their order."
    )
    date: str = setting("", "Expression for the date of publication.")
    author: str = setting("", "Expression for the authors.")
    remove: str = setting("", "Expression for elements that are not read at all.")

    def applies(self, url: Url) -> bool:
        """Whether the page of that address is read so."""
        return fnmatchcase(url.host, self.host) and re.search(self.path, url.path) is not None

    def problem(self) -> str:
        """What is wrong with the rule, "" when nothing is."""
        if not self.host:
            return 'a rule needs a host, such as host = "news.example.org"'
        try:
            re.compile(self.path)
        except re.error as error:
            return f"path {self.path!r} is no regular expression: {error}"
        written = {name: getattr(self, name) for name in EXPRESSIONS if getattr(self, name)}
        if not written:
            return f"a rule needs one of {', '.join(EXPRESSIONS)}"
        faults = (_fault(name, expression) for name, expression in written.items())
        return next((fault for fault in faults if fault), "")


def _fault(name: str, expression: str) -> str:
    kind = "XPath" if expression.startswith(_XPATH) else "CSS selector"
    try:
        from lxml import etree

        # Unknown functions and prefixes are noticed only where an expression is used.
        compiled(expression)(etree.fromstring("<html/>"))
    except ImportError:
        return NEEDED
    except (etree.XPathError, SyntaxError, ValueError, RuntimeError) as error:
        return f"{name} {expression!r} is no {kind}: {error}"
    return ""


@lru_cache(maxsize=1_000)
def compiled(expression: str) -> Any:
    """What finds the matches of an expression in a tree; it is called with one."""
    from lxml import etree
    from lxml.cssselect import CSSSelector

    return (
        etree.XPath(expression)
        if expression.startswith(_XPATH)
        else CSSSelector(expression, translator="html")
    )


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """The `[extract]` section."""

    workers: int = setting(
        2,
        "Number of processes that read documents, 0 to 256; 0 reads them in the crawler's own process. "
        "Raise it on a machine with many cores.",
        least=0,
        most=256,
    )
    timeout: float = setting(
        20.0,
        "Seconds that one document may take, at least 0.1. After this time its worker process is replaced.",
        least=0.1,
    )
    memory_mb: int = setting(
        1000, "Memory that one worker process may use, in megabytes; at least 100.", least=100
    )
    rules: list[ExtractionRule] = setting(
        [],
        "Tables that name, for a site, the elements of a page that hold its title, content and date.",
        items=ExtractionRule,
    )
