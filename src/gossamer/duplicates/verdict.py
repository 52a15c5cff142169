"""Decide whether a page is indexed, and which of several copies is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gossamer.collection.commit import Transaction
from gossamer.duplicates.near_duplicates import NearDuplicateIndex
from gossamer.duplicates.settings import QualitySettings
from gossamer.model import Judgement, Page, Url, Verdict
from gossamer.storage.seen_urls import SeenTable
from gossamer.web.host import registrable_domain


def judge(page: Page, canonical_is_kept: bool, duplicate_verdict: Verdict | None) -> Verdict:
    """Return the verdict on a page.

    `canonical_is_kept` says whether the canonical URL of the page is in the index; if not, it is only a hint.
    `duplicate_verdict` is given if a kept page has the same content, or nearly the same. Reasons: the page's
    `problem`, "sitemap", "no-text", "robots", "canonical", and the reason of `duplicate_verdict`.
    """
    if page.problem:
        return Verdict(Judgement.UNREADABLE, page.problem)
    if page.kind == "sitemap":
        return Verdict(Judgement.NOINDEX, page.kind)
    if not page.text and not page.title:
        return Verdict(Judgement.UNREADABLE, "no-text")
    if page.noindex:
        return Verdict(Judgement.NOINDEX, "robots")
    claimed = canonical_claim(page)
    if claimed is not None and canonical_is_kept:
        return Verdict(Judgement.DUPLICATE, "canonical", claimed.fingerprint)
    return duplicate_verdict or Verdict(Judgement.KEEP)


def canonical_claim(page: Page) -> Url | None:
    """Return the canonical URL of a page, if it is another URL of the same registrable domain.

    A canonical URL in another domain is ignored: otherwise any page could claim to be a copy of a famous one.
    """
    named = page.canonical
    if named is None or named.fingerprint == page.url.fingerprint:
        return None
    same_owner = registrable_domain(named.host) == registrable_domain(page.url.host)
    return named if same_owner else None


def is_better_address(one: Url, other: Url) -> bool:
    """Return whether the first of two URLs of one page, on one host, is its better address.

    https is better than http, and no query is better than a query. Then the shorter URL is better. Of two
    URLs of equal length, the first in the alphabet is better. So `/` is better than `/index.html`, whichever
    was fetched first.
    """
    return _cost(one) < _cost(other)


def _cost(url: Url) -> tuple[bool, bool, int, str]:
    return (url.scheme != "https", "?" in url.path, len(url.text), url.text)


# Which copy is kept, across partitions
# -------------------------------------
#
# There are three kinds of copies: pages with the same content, pages with nearly the same content, and
# pages with another canonical URL. A kept page is demoted when a better copy of it arrives later.

SAME = "same-content"
NEARLY = "near-duplicate"


@dataclass(frozen=True, slots=True)
class Resolution:
    """The verdict on a page, and the pages that it replaces."""

    verdict: Verdict
    copy_of: Url | None = None  # the kept page with the same content, or nearly the same
    demoted: tuple[tuple[Url, Verdict], ...] = ()


class Duplicates:
    """Judges pages against all kept pages."""

    def __init__(
        self,
        transactions: Sequence[Transaction],
        route: Callable[[str], int],
        host_depth: Callable[[Url], int],
        settings: QualitySettings,
    ) -> None:
        self._transactions = transactions
        self._route = route
        self._host_depth = host_depth
        self._sketches = NearDuplicateIndex(settings)
        # Most pages are new, and no page names them as canonical. These tables show that without a query.
        self._contents = SeenTable()
        self._targets = SeenTable()
        for transaction in transactions:
            catalogue = transaction.partition.catalogue
            self._sketches.load(*catalogue.sketches())
            self._contents.add_many(catalogue.contents())
            self._targets.add_many(catalogue.targets())
        self._demoted: set[int] = set()  # in this run; the catalogue may still list them as kept

    def resolve(self, page: Page) -> Resolution:
        """Judge a page, and add the decision to the next commit."""
        named = canonical_claim(page)
        if named is not None:
            self._targets.add(named.fingerprint)
        owner, kind = self._copied(page)
        duplicate_verdict = None if owner is None else Verdict(Judgement.DUPLICATE, kind, owner.fingerprint)
        verdict = judge(page, named is not None and self._is_kept(named), duplicate_verdict)
        lesser: list[tuple[Url, Verdict]] = []
        if owner is not None and verdict == duplicate_verdict and self._outranks(page.url, owner):
            verdict = Verdict(Judgement.KEEP)
            lesser.append((owner, Verdict(Judgement.DUPLICATE, kind, page.url.fingerprint)))
        if verdict.keep:
            as_copy = Verdict(Judgement.DUPLICATE, "canonical", page.url.fingerprint)
            lesser += [(url, as_copy) for url in self._claimants(page.url) if url != owner]
            self._keep(page, named)
        elif not page.problem:
            self._unkeep(page.url)
        for url, copy in lesser:
            self._demote(url, copy)
        return Resolution(verdict, owner if verdict == duplicate_verdict else None, tuple(lesser))

    def _copied(self, page: Page) -> tuple[Url | None, str]:
        """Return the kept page with the same or nearly the same content, and the kind of copy."""
        if page.problem or not page.digest:
            return None, ""
        owner = self._owner(page.digest)
        if owner is not None and owner != page.url:
            return owner, SAME
        near = self._sketches.find(page.sketch, page.words, page.url.fingerprint)
        return (self._kept_url(near[0]), NEARLY) if near else (None, "")

    def _kept_url(self, fingerprint: int) -> Url | None:
        for transaction in self._transactions:
            if (url := transaction.pending.kept.get(fingerprint)) is not None:
                return url
            if (row := transaction.partition.catalogue.url(fingerprint)) is not None:
                return row.url
        return None

    def _keep(self, page: Page, named: Url | None) -> None:
        transaction = self._transaction(page.url)
        transaction.pending.kept[page.url.fingerprint] = page.url
        transaction.pending.digests[page.digest] = page.url
        self._contents.add(_beginning(page.digest))
        if self._sketches.wants(page.words):
            self._sketches.add(page.url.fingerprint, page.sketch)
            transaction.on_commit(
                lambda catalogue: catalogue.set_sketch(page.url.fingerprint, page.sketch), page.url
            )
        self._demoted.discard(page.url.fingerprint)
        if named is not None:
            self._transaction(named).pending.claims.setdefault(named.fingerprint, []).append(page.url)

    def leave(self, url: Url) -> None:
        """Remove a page from the kept pages; pages that it replaced stay demoted."""
        transaction = self._transaction(url)
        transaction.pending.kept.pop(url.fingerprint, None)
        transaction.pending.digests = {
            digest: kept for digest, kept in transaction.pending.digests.items() if kept != url
        }
        self._demoted.add(url.fingerprint)
        self._unkeep(url)

    def retract(self, url: Url) -> None:
        """Do the same as `leave`, and reinstate the pages that this one replaced."""
        self.leave(url)
        for transaction in self._transactions:
            transaction.on_commit(lambda catalogue: catalogue.reinstate_copies(url.fingerprint))

    def _demote(self, url: Url, copy: Verdict) -> None:
        self.leave(url)
        self._transaction(url).on_commit(lambda catalogue: catalogue.demote(url.fingerprint, copy), url)

    def _unkeep(self, url: Url) -> None:
        """Remove the sketch of a page, so that no later page is a near duplicate of it."""
        if self._sketches.remove(url.fingerprint):
            self._transaction(url).on_commit(lambda catalogue: catalogue.drop_sketch(url.fingerprint), url)

    def _transaction(self, url: Url) -> Transaction:
        return self._transactions[self._route(url.host)]

    def _is_kept(self, url: Url) -> bool:
        transaction = self._transaction(url)
        if url.fingerprint in transaction.pending.kept:
            return True
        row = transaction.partition.catalogue.url(url.fingerprint)
        kept = row is not None and row.verdict is not None and row.verdict.keep
        return kept and url.fingerprint not in self._demoted

    def _owner(self, digest: bytes) -> Url | None:
        """Return the kept page with this content. Pending decisions are newer than the catalogues."""
        for transaction in self._transactions:
            if (url := transaction.pending.digests.get(digest)) is not None:
                return url
        if _beginning(digest) not in self._contents:
            return None
        for transaction in self._transactions:
            catalogue = transaction.partition.catalogue
            owner = catalogue.digest_owner(digest)
            if owner and owner not in self._demoted and (row := catalogue.url(owner)):
                return row.url
        return None

    def _claimants(self, url: Url) -> Iterator[Url]:
        """Yield the kept pages whose canonical URL is this one."""
        if url.fingerprint not in self._targets:
            return
        waiting = self._transaction(url).pending.claims.get(url.fingerprint, [])
        stored = (
            row.url
            for other in self._transactions
            for row in other.partition.catalogue.claimants(url.fingerprint)
        )
        for claimant in dict.fromkeys([*waiting, *stored]):
            if claimant.fingerprint not in self._demoted and claimant != url:
                yield claimant

    def _outranks(self, url: Url, owner: Url) -> bool:
        """Return whether a page should replace the kept page with the same content.

        The canonical URL of the other page wins. Of two hosts, the one nearer to the seeds wins, because
        originals usually are nearer, then the one with the shorter name. Within a host, the better address
        wins (`is_better_address`).
        """
        if owner in self._claimants(url):
            return True
        if url.authority != owner.authority:
            return self._remoteness(url) < self._remoteness(owner)
        return is_better_address(url, owner)

    def _remoteness(self, url: Url) -> tuple[int, int, str]:
        return (self._host_depth(url), len(url.authority), url.authority)


def _beginning(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "little")
