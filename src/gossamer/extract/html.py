"""What does an HTML document say, and where does it point? One pass over its bytes gives everything."""

from __future__ import annotations

from gossamer.extract.links import read_links
from gossamer.extract.metadata import meta_names, read_metadata
from gossamer.extract.resolving import Resolver
from gossamer.extract.robots import AGENT, SILENT, Robots
from gossamer.extract.scan import scan_html
from gossamer.model import Page, Url


def read_html(
    html: bytes,
    url: Url,
    fetched_at: float = 0.0,
    media_type: str = "text/html",
    from_headers: Robots = SILENT,
    agent: str = AGENT,
    resolver: Resolver | None = None,
) -> Page:
    """The page behind an HTML document in UTF-8; `from_headers` is what X-Robots-Tag said already.

    A `resolver` that lives longer than the page remembers where links lead.
    """
    resolver = resolver or Resolver()
    scan = scan_html(html, meta_names(agent))
    head = read_metadata(scan, url, fetched_at, agent, resolver)
    robots = head.robots.joined(from_headers)
    return Page(
        url=url,
        fetched_at=fetched_at,
        media_type=media_type,
        title=head.title or scan.first_heading or head.social_title,
        headings=scan.headings,
        text=scan.text,
        surroundings=scan.surroundings,
        description=head.description,
        language=head.language,
        published=head.published,
        links=read_links(scan, url, resolver.targets(head.base, scan.addresses), robots.nofollow),
        alternates=head.alternates,
        feeds=head.feeds,
        canonical=head.canonical,
        refresh=head.refresh,
        noindex=robots.noindex,
        nofollow=robots.nofollow,
    )
