"""Settings of [crawl], [frontier], [traps], [freshness]: delay, retries, max_redirects, commit_seconds."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """The `[crawl]` section."""

    connections: int = setting(64, "How many hosts are asked at the same time.", least=1, most=10000)
    max_pages: int = setting(0, "A crawl stops after this many pages; 0 means no limit.", least=0)
    depth: int = setting(-1, "How many links away from a seed a page may be; -1 means any number.", least=-1)
    host_depth: int = setting(
        64,
        "How many links farther from the seeds than the nearest page of its host a page may be, unless "
        "another host links to it; 0 means any number.",
        least=0,
    )
    include: list[str] = setting([], "Regular expressions: only URLs in which one is found are fetched.")
    exclude: list[str] = setting([], "Regular expressions: URLs in which one is found are not fetched.")
    max_pages_per_host: int = setting(
        0, "How many pages of one host are fetched at most; 0 means any number.", least=0
    )
    hosts: list[str] = setting([], "Patterns such as *.example.org: only hosts like these are asked.")
    exclude_hosts: list[str] = setting([], "Patterns such as ads.*: hosts like these are not asked.")
    exclude_endings: list[str] = setting(
        [],
        "Endings such as php or docx: URLs that end so are not fetched, nor pictures and the like.",
    )
    schemes: list[str] = setting(["http", "https"], "URLs of other schemes are not fetched.")
    sitemaps: bool = setting(
        True, "Whether the sitemaps that a robots.txt names are read; not where `depth` limits the crawl."
    )
    stay_on_site: bool = setting(False, "Whether to keep to the sites (registrable domains) of the seeds.")
    retries: int = setting(
        2, "How often a page is tried again after a failure that may pass.", least=0, most=20
    )
    retry_delay: float = setting(
        2.0, "Seconds before the first new try; each further try waits twice as long.", least=0
    )
    max_redirects: int = setting(10, "How many redirects in a row are followed.", least=0, most=100)
    commit_seconds: float = setting(
        1.0, "Seconds between commits: what a sudden death may cost.", least=0, most=3600
    )
    log_mb: int = setting(
        100, "Size in megabytes at which a new file of the log is begun; 0 writes no log.", least=0
    )
    log_files: int = setting(5, "How many files of the log are kept; the oldest go first.", least=1)


# Settings of [freshness]
# -----------------------

HOUR = 3600.0
DAY = 24 * HOUR


@dataclass(frozen=True, slots=True)
class FreshnessSettings:
    """How often known pages are asked for again, and when a page that is missing leaves the index."""

    least_interval_hours: float = setting(
        1.0, "Hours that pass at least between two visits to a page, however often it changes.", least=0.01
    )
    most_interval_days: float = setting(
        90.0, "Days after which a page is visited again, even if it never changes.", least=0.01
    )
    recrawl_share: float = setting(
        0.5,
        "The share of what politeness allows that goes to known pages; the rest finds new ones.",
        least=0.01,
        most=1,
    )
    gone_after: int = setting(
        2, "How many times in a row a page must be missing (404 or 410) to leave the index.", least=1
    )
    gone_days: float = setting(
        3.0, "Days that lie at least between the first and the last of these times.", least=0
    )

    @property
    def least_interval(self) -> float:
        """In seconds."""
        return self.least_interval_hours * HOUR

    @property
    def most_interval(self) -> float:
        """In seconds; never below the least."""
        return max(self.most_interval_days * DAY, self.least_interval)


# Politeness, ordering and circuit-breaker settings
# -------------------------------------------------


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
    url_order: str = setting(
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


# Settings of [traps]
# -------------------


@dataclass(frozen=True, slots=True)
class TrapSettings:
    """When an address, or a whole shape of addresses, is taken for a trap."""

    repeats: int = setting(
        3, "A path in which a group of segments comes this many times in a row is refused.", least=2
    )
    max_segments: int = setting(20, "A path with more segments is refused.", least=1)
    max_same_segments: int = setting(
        8, "Links that keep adding segments of one kind (numbers, dates) are followed this far.", least=1
    )
    max_parameters: int = setting(12, "An address with more query parameters is refused.", least=0)
    window: int = setting(
        30,
        "How many of the last pages of one shape of addresses decide whether the shape is asleep.",
        least=4,
    )
    copy_share: float = setting(
        0.9,
        "The share of them that must be copies, empty or missing for it to fall asleep.",
        least=0.5,
        most=1,
    )
    empty_words: int = setting(5, "A page with fewer words is empty.", least=0)
    probe_every: int = setting(
        1_000, "Of the addresses refused because their shape is asleep, one in so many is tried.", least=1
    )
    max_facets: int = setting(
        32,
        "A path asked with more different sets of parameters is refused further ones if pages repeat.",
        least=1,
    )
    calendar_years_ahead: int = setting(
        2,
        "How far a calendar without entries is followed beyond today and its last entry, in years.",
        least=0,
    )
    calendar_years_back: int = setting(
        10,
        "How far a calendar without entries is followed before today and its first entry, in years.",
        least=0,
    )
