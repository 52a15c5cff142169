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
# A rule has a host, an optional path, and expressions. An expression is XPath if it begins with `/`,
# `(`, `./` or `..`, else a CSS selector. Expressions are tried when the configuration is loaded, so
# that errors are reported there and not on the first page.

_XPATH = ("/", "(", "./", "..")
EXPRESSIONS = ("title", "content", "date", "author", "remove")
NEEDED = "rules need lxml and cssselect: pip install 'gossamer-search[rules]'"


@dataclass(frozen=True, slots=True)
class ExtractionRule:
    """Extraction rule for the pages of a site: one table `[[extract.rules]]`."""

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
        """Whether the rule applies to a URL."""
        return fnmatchcase(url.host, self.host) and re.search(self.path, url.path) is not None

    def problem(self) -> str:
        """Return the error in the rule, or ""."""
        if not self.host:
            return 'a rule needs a host, such as host = "news.example.org"'
        try:
            re.compile(self.path)
        except re.error as error:
            return f"path {self.path!r} is not a regular expression: {error}"
        written = {name: getattr(self, name) for name in EXPRESSIONS if getattr(self, name)}
        if not written:
            return f"a rule needs one of {', '.join(EXPRESSIONS)}"
        faults = (_fault(name, expression) for name, expression in written.items())
        return next((fault for fault in faults if fault), "")


def _fault(name: str, expression: str) -> str:
    kind = "XPath" if expression.startswith(_XPATH) else "CSS selector"
    try:
        from lxml import etree

        # lxml reports unknown functions and prefixes only when an expression is evaluated.
        compiled(expression)(etree.fromstring("<html/>"))
    except ImportError:
        return NEEDED
    except (etree.XPathError, SyntaxError, ValueError, RuntimeError) as error:
        return f"{name} {expression!r} is not a valid {kind}: {error}"
    return ""


@lru_cache(maxsize=1_000)
def compiled(expression: str) -> Any:
    """Compile an expression to a function from a tree to its matches."""
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
        "Tables that say in which elements the pages of a site have their title, content and date.",
        items=ExtractionRule,
    )
