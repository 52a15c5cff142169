"""What does an HTML document say, and where does it point? One parse gives everything."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from gossamer.extract.links import read_links
from gossamer.extract.metadata import read_metadata
from gossamer.extract.reading import divide
from gossamer.extract.robots import AGENT, SILENT, Robots
from gossamer.extract.walk import read_lines
from gossamer.model import Page, Url


def read_html(
    html: str,
    url: Url,
    fetched_at: float = 0.0,
    media_type: str = "text/html",
    from_headers: Robots = SILENT,
    agent: str = AGENT,
) -> Page:
    """The page behind a decoded HTML document; `from_headers` is what X-Robots-Tag said already."""
    tree = LexborHTMLParser(html)
    head = read_metadata(tree, url, fetched_at, agent)
    reading = divide(read_lines(tree))
    robots = head.robots.joined(from_headers)
    return Page(
        url=url,
        fetched_at=fetched_at,
        media_type=media_type,
        title=head.title or reading.first_heading or head.social_title,
        headings=reading.headings,
        text=reading.text,
        surroundings=reading.surroundings,
        description=head.description,
        language=head.language,
        published=head.published,
        links=read_links(tree, url, head.base, robots.nofollow),
        canonical=head.canonical,
        refresh=head.refresh,
        noindex=robots.noindex,
        nofollow=robots.nofollow,
    )
