"""Read one HTML document into a Page."""

from __future__ import annotations

from gossamer.extract.html.link_targets import Resolver, read_links
from gossamer.extract.html.metadata import meta_names, read_metadata
from gossamer.extract.html.scan import scan_html
from gossamer.extract.http_headers import AGENT, NOTHING, SILENT, HeaderLinks, Robots
from gossamer.extract.media_type import XHTML
from gossamer.model import LinkFlag, Page, Url
from gossamer.text.language_id import page_language, passages
from gossamer.text.shingles import content_sketch


def read_html(
    html: bytes,
    url: Url,
    fetched_at: float = 0.0,
    media_type: str = "text/html",
    from_headers: Robots = SILENT,
    agent: str = AGENT,
    resolver: Resolver | None = None,
    pointed: HeaderLinks = NOTHING,
    language: str = "",
) -> Page:
    """Return the page of an HTML document in UTF-8.

    The HTTP headers give `from_headers` (X-Robots-Tag), `pointed` (Link) and `language` (Content-Language). A
    `resolver` that is shared by several pages remembers resolved links.
    """
    resolver = resolver or Resolver()
    scan = scan_html(html, meta_names(agent), is_xml=media_type == XHTML)
    head = read_metadata(scan, url, fetched_at, agent, resolver)
    robots = head.robots.joined(from_headers)
    content = content_sketch(head.title, scan.text)
    links = read_links(scan, url, head.base, resolver, robots.nofollow)
    if head.later is not None and head.later.text not in links.texts():
        links = links.plus(head.later, LinkFlag.NOFOLLOW if robots.nofollow else LinkFlag.ORDINARY)
    spoken = page_language(scan.text, head.language or language, (head.title, scan.surroundings))
    return Page(
        url=url,
        fetched_at=fetched_at,
        media_type=media_type,
        title=head.title,
        headings=scan.headings,
        emphasised=scan.emphasised,
        text=scan.text,
        surroundings=scan.surroundings,
        description=head.description,
        author=head.author,
        language=spoken,
        passages=passages(scan.text, spoken),
        published=head.published,
        links=links,
        alternates=head.alternates or pointed.alternates,
        feeds=head.feeds,
        canonical=head.canonical or pointed.canonical,
        refresh=head.refresh,
        noindex=robots.noindex,
        nofollow=robots.nofollow,
        digest=content.digest,
        sketch=content.sketch,
        words=content.words,
    )
