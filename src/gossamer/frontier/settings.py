"""What the owner may decide about politeness."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class FrontierSettings:
    """How hosts are asked, and in which order."""

    delay: float = setting(1.0, "Seconds between two requests to a host; 0 asks without waiting.", least=0)
    max_crawl_delay: float = setting(
        60.0,
        "The longest Crawl-delay of a robots.txt that is followed, in seconds; longer ones count as this.",
        least=0,
    )
    response_time_factor: float = setting(
        5.0, "A host that took t seconds to answer is left alone for at least this many times t.", least=0
    )
    address_delay: float = setting(
        0.1,
        "Seconds between two requests to one address, however many hosts share it; not where delay is 0.",
        least=0,
    )
    unlimited_addresses: list[str] = setting(
        ["127.0.0.0/8", "::1"], "Addresses and networks that address_delay does not hold for."
    )
    breaker_failures: int = setting(
        5,
        "A host of which so many pages in a row fail (no connection, timeout, 429, 5xx) is left alone for a "
        "while.",
        least=1,
    )
    breaker_pause: float = setting(
        15.0,
        "Seconds for which it is left alone at first; each failure after that doubles them, up to an hour.",
        least=0,
    )
    breaker_openings: int = setting(
        4, "A host that fails after so many of these pauses is left for the next crawl.", least=0, most=50
    )
    order: str = setting(
        "opic",
        "What is fetched first: opic (what is linked from pages that are linked), breadth-first, depth-first "
        "or random.",
    )
    front_queues: int = setting(
        8,
        "Levels of priority; each is drawn twice as often as the one below, so that nothing waits for ever.",
        least=1,
        most=1000,
    )
