"""Does this page go into the index, and why not?"""

from __future__ import annotations

from collections.abc import Callable

from gossamer.model import Judgement, Page, Url, Verdict
from gossamer.web.host import registrable_domain

Known = Callable[[bytes], int | None]


def judge(page: Page, digest: bytes, known: Known) -> Verdict:
    """The verdict on a page; `known(digest)` is the fingerprint of the page kept with that content.

    Reasons: the page's own `problem`, "no-text", "robots", "same-content", "canonical".
    """
    if page.problem:
        return Verdict(Judgement.UNREADABLE, page.problem)
    if not page.text and not page.title:
        return Verdict(Judgement.UNREADABLE, "no-text")
    if page.noindex:
        return Verdict(Judgement.NOINDEX, "robots")
    owner = known(digest)
    if owner is not None and owner != page.url.fingerprint:
        return Verdict(Judgement.DUPLICATE, "same-content", owner)
    if page.canonical is not None and _speaks_for(page):
        return Verdict(Judgement.DUPLICATE, "canonical", page.canonical.fingerprint)
    return Verdict(Judgement.KEEP)


def is_better_address(one: Url, other: Url) -> bool:
    """Whether the first is the better address of two pages of one host that say the same.

    Without a query string rather than with one, then the shorter, then by the alphabet: `/` and not
    `/index.html`, whichever came first.
    """
    return _cost(one) < _cost(other)


def _cost(url: Url) -> tuple[bool, int, str]:
    return ("?" in url.path, len(url.text), url.text)


def _speaks_for(page: Page) -> bool:
    """Whether the canonical address is another one that this page's owner may name.

    One that points to another owner's domain is not believed: it would let any page take itself for a copy
    of a famous one, and lends nothing to readers.
    """
    named = page.canonical
    if named is None or named.fingerprint == page.url.fingerprint:
        return False
    return registrable_domain(named.host) == registrable_domain(page.url.host)
