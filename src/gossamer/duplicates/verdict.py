"""Index verdict of a page; which copy is kept."""

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
    """The verdict on a page.

    `canonical_is_kept` says whether the address that the page names as canonical is in the index: until then
    the name is only a hint. `duplicate_verdict` is the verdict on a page with the same content as a kept one,
    or nearly the same. Reasons: the page's own `problem`, "sitemap", "no-text", "robots", "canonical", and
    that of `duplicate_verdict`.
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


# Which copy is kept, across partitions
# -------------------------------------
#
# Three kinds of copies meet here: pages with the same content, pages with nearly the same, and pages
# that name another address as their canonical one. A page that is kept may be demoted later, when the
# page that should stand for it arrives.

SAME = "same-content"
NEARLY = "near-duplicate"


@dataclass(frozen=True, slots=True)
class Resolution:
    """The verdict on a page, and the pages that it takes the place of."""

    verdict: Verdict
    copy_of: Url | None = None  # the kept page that says the same, or nearly
    demoted: tuple[tuple[Url, Verdict], ...] = ()


class Duplicates:
    """Judges pages against everything that is kept."""

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
        # Most pages are new and named by nobody: that is known without asking the catalogues.
        self._contents = SeenTable()
        self._targets = SeenTable()
        for transaction in transactions:
            catalogue = transaction.partition.catalogue
            self._sketches.load(*catalogue.sketches())
            self._contents.add_many(catalogue.contents())
            self._targets.add_many(catalogue.targets())
        self._demoted: set[int] = set()  # in this run: what the catalogue says of them may be old

    def resolve(self, page: Page) -> Resolution:
        """Decides, and notes the decision for the next commit."""
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
        """The page that is kept with the same content, or nearly the same, and which of the two."""
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
        """A page that was kept is kept no more; pages that made room for it stay demoted."""
        transaction = self._transaction(url)
        transaction.pending.kept.pop(url.fingerprint, None)
        transaction.pending.digests = {
            digest: kept for digest, kept in transaction.pending.digests.items() if kept != url
        }
        self._demoted.add(url.fingerprint)
        self._unkeep(url)

    def retract(self, url: Url) -> None:
        """As `leave`, and pages that made room for this one are kept again."""
        self.leave(url)
        for transaction in self._transactions:
            transaction.on_commit(lambda catalogue: catalogue.reinstate_copies(url.fingerprint))

    def _demote(self, url: Url, copy: Verdict) -> None:
        self.leave(url)
        self._transaction(url).on_commit(lambda catalogue: catalogue.demote(url.fingerprint, copy), url)

    def _unkeep(self, url: Url) -> None:
        """Removes its sketch: no later page is a near duplicate of it."""
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
        """The page kept with this content; what waits for a commit is newer than any catalogue."""
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
        """The kept pages that name this one as their canonical address."""
        if url.fingerprint not in self._targets:
            return
        transaction = self._transaction(url)
        waiting = transaction.pending.claims.get(url.fingerprint, [])
        stored = (
            row.url
            for other in self._transactions
            for row in other.partition.catalogue.claimants(url.fingerprint)
        )
        for claimant in dict.fromkeys([*waiting, *stored]):
            if claimant.fingerprint not in self._demoted and claimant != url:
                yield claimant

    def _outranks(self, url: Url, owner: Url) -> bool:
        """Whether a page with the same content as a kept one should take its place.

        The address that the other names as canonical; of two hosts the one nearer to the seeds, as originals
        are, then the one with the shorter name; within a host the better address.
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
