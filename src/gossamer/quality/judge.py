"""Does this page go into the index, and why not?"""

from __future__ import annotations

from gossamer.model import Judgement, Page, Url, Verdict
from gossamer.web.host import registrable_domain


def judge(page: Page, canonical_is_kept: bool, copy_of: Verdict | None) -> Verdict:
    """The verdict on a page.

    `canonical_is_kept` says whether the address that the page names as canonical is in the index: until then
    the name is only a hint. `copy_of` is the verdict on a page that says the same as one that is kept.
    Reasons: the page's own `problem`, "sitemap", "no-text", "robots", "canonical", and that of `copy_of`.
    """
    if page.problem:
        return Verdict(Judgement.UNREADABLE, page.problem)
    if page.kind == "sitemap":
        return Verdict(Judgement.NOINDEX, page.kind)
    if not page.text and not page.title:
        return Verdict(Judgement.UNREADABLE, "no-text")
    if page.noindex:
        return Verdict(Judgement.NOINDEX, "robots")
    claimed = claim(page)
    if claimed is not None and canonical_is_kept:
        return Verdict(Judgement.DUPLICATE, "canonical", claimed.fingerprint)
    return copy_of or Verdict(Judgement.KEEP)


def claim(page: Page) -> Url | None:
    """The other address that the page names as canonical, if its owner may speak for that one.

    One that points to another owner's domain is not believed: it would let any page take itself for a copy
    of a famous one, and lends nothing to readers.
    """
    named = page.canonical
    if named is None or named.fingerprint == page.url.fingerprint:
        return None
    same_owner = registrable_domain(named.host) == registrable_domain(page.url.host)
    return named if same_owner else None


def is_better_address(one: Url, other: Url) -> bool:
    """Whether the first is the better address of two pages of one host that say the same.

    https rather than http, without a query string rather than with one, then the shorter, then by the
    alphabet: `/` and not `/index.html`, whichever came first.
    """
    return _cost(one) < _cost(other)


def _cost(url: Url) -> tuple[bool, bool, int, str]:
    return (url.scheme != "https", "?" in url.path, len(url.text), url.text)
