"""Settings of the sections [crawl], [frontier], [traps] and [freshness]."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.model import setting


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """The `[crawl]` section."""

    connections: int = setting(
        64,
        "Number of hosts that are fetched from at the same time, 1 to 10000. Raise it for a crawl of many "
        "hosts; lower it on a slow network.",
        least=1,
        most=10000,
    )
    max_pages: int = setting(0, "Number of pages after which a crawl stops; 0 means no limit.", least=0)
    depth: int = setting(
        -1,
        "Largest number of links between a seed and a page; -1 means no limit. With 0, only the seeds are "
        "fetched.",
        least=-1,
    )
    host_depth: int = setting(
        64,
        "Largest difference in depth (links from a seed) between a page and the page of its host that is "
        "nearest to a seed; 0 means no limit. A page that another host links to is exempt.",
        least=0,
    )
    include: list[str] = setting(
        [],
        "Regular expressions, searched in the whole URL. Only URLs that match one of them are fetched; an "
        "empty list allows all.",
    )
    exclude: list[str] = setting(
        [], "Regular expressions, searched in the whole URL. URLs that match one of them are not fetched."
    )
    max_pages_per_host: int = setting(
        0,
        "Largest number of pages that are fetched from one host; 0 means no limit. Set it to keep large "
        "sites from filling the collection.",
        least=0,
        formerly="pages_a_host",
    )
    hosts: list[str] = setting(
        [],
        "Patterns of host names, such as *.example.org. Only hosts that match one of them are crawled; an "
        "empty list allows all.",
    )
    exclude_hosts: list[str] = setting(
        [], "Patterns of host names, such as ads.*. Hosts that match one of them are not crawled."
    )
    exclude_endings: list[str] = setting(
        [],
        "Endings of file names, such as php or docx. URLs with one of these endings are not fetched; "
        "images and other binary files never are.",
    )
    schemes: list[str] = setting(
        ["http", "https"],
        "URL schemes that are fetched. A scheme other than http and https needs a plug-in that fetches it.",
    )
    sitemaps: bool = setting(
        True,
        "Whether to read the sitemaps that a robots.txt names. They are not read when `depth` limits the "
        "crawl.",
    )
    stay_on_site: bool = setting(
        False,
        "Whether to fetch only from the sites of the seeds. A site is a registrable domain with all its "
        "hosts.",
        formerly="stay",
    )
    retries: int = setting(
        2, "Number of times that a page is tried again after a temporary failure, 0 to 20.", least=0, most=20
    )
    retry_delay: float = setting(
        2.0, "Seconds before the first retry. Each further retry waits twice as long.", least=0
    )
    max_redirects: int = setting(
        10, "Largest number of redirects in a row that are followed, 0 to 100.", least=0, most=100
    )
    commit_seconds: float = setting(
        1.0,
        "Seconds between two commits to disk, 0 to 3600. A crawl that is killed loses at most the work of "
        "this time.",
        least=0,
        most=3600,
    )
    log_mb: int = setting(
        100, "Size in megabytes at which a new crawl log file is begun. 0 turns the log off.", least=0
    )
    log_files: int = setting(
        5, "Number of crawl log files that are kept, at least 1. The oldest are deleted first.", least=1
    )


# Settings of [freshness]
# -----------------------

HOUR = 3600.0
DAY = 24 * HOUR


@dataclass(frozen=True, slots=True)
class FreshnessSettings:
    """The `[freshness]` section: how often pages are revisited, and when a missing page leaves the index."""

    least_interval_hours: float = setting(
        1.0,
        "Shortest time between two visits to a page, in hours. It applies to pages that change often.",
        least=0.01,
    )
    most_interval_days: float = setting(
        90.0,
        "Longest time between two visits to a page, in days. It applies to pages that rarely change.",
        least=0.01,
    )
    recrawl_share: float = setting(
        0.5,
        "Share of requests that go to known pages, 0.01 to 1; the rest go to new pages. Raise it when "
        "cached pages become stale.",
        least=0.01,
        most=1,
    )
    gone_after: int = setting(
        2,
        "Number of visits in a row that must find a page missing (status 404 or 410) before it leaves the "
        "index, at least 1.",
        least=1,
    )
    gone_days: float = setting(
        3.0,
        "Number of days that a page must be missing before it leaves the index: from the first visit that "
        "found it missing to the last. Ignored if `gone_after` is 1.",
        least=0,
    )

    @property
    def least_interval(self) -> float:
        """The shortest time between two visits, in seconds."""
        return self.least_interval_hours * HOUR

    @property
    def most_interval(self) -> float:
        """The longest time between two visits, in seconds; never below `least_interval`."""
        return max(self.most_interval_days * DAY, self.least_interval)


# Politeness, ordering and circuit-breaker settings
# -------------------------------------------------


@dataclass(frozen=True, slots=True)
class FrontierSettings:
    """The `[frontier]` section: politeness to hosts, and the order of URLs."""

    delay: float = setting(
        1.0,
        "Seconds between two requests to a host; 0 means no pause. Use 0 only for your own hosts.",
        least=0,
    )
    max_crawl_delay: float = setting(
        60.0,
        "Longest Crawl-delay of a robots.txt that is obeyed, in seconds. A longer one counts as this value.",
        least=0,
    )
    response_time_factor: float = setting(
        5.0,
        "Shortest pause after a response, as a multiple of the host's response time. With 5, a host that "
        "took 2 seconds is not asked again for 10 seconds.",
        least=0,
    )
    address_delay: float = setting(
        0.1,
        "Seconds between two requests to one IP address, even if many hosts share it. It does not apply "
        "when `delay` is 0.",
        least=0,
    )
    unlimited_addresses: list[str] = setting(
        ["127.0.0.0/8", "::1"],
        "IP addresses and networks to which `address_delay` does not apply, such as 10.0.0.0/8.",
    )
    breaker_failures: int = setting(
        5,
        "Number of failures in a row (no connection, timeout, status 429 or 5xx) after which a host is "
        "paused, at least 1.",
        least=1,
    )
    breaker_pause: float = setting(
        15.0,
        "Length of a failing host's first pause, in seconds. Each further failure doubles the pause, up "
        "to an hour.",
        least=0,
    )
    breaker_openings: int = setting(
        4,
        "Number of pauses, 0 to 50, after which a host that still fails is left for the next crawl.",
        least=0,
        most=50,
    )
    url_order: str = setting(
        "opic",
        "Order in which URLs are fetched: opic, breadth-first, depth-first or random. opic prefers pages "
        "that many important pages link to.",
        formerly="order",
        choices=("opic", "breadth-first", "depth-first", "random"),
    )
    front_queues: int = setting(
        8,
        "Number of priority levels of the frontier, 1 to 1000. Each level is chosen twice as often as the "
        "level below it, so low priorities are fetched too.",
        least=1,
        most=1000,
    )


# Settings of [traps]
# -------------------


@dataclass(frozen=True, slots=True)
class TrapSettings:
    """The `[traps]` section: when a URL, or a whole URL pattern, counts as a crawler trap."""

    repeats: int = setting(
        3,
        "Number of times in a row that a group of path segments must repeat for the URL to be refused, at "
        "least 2. With 3, /a/b/a/b/a/b is refused.",
        least=2,
    )
    max_segments: int = setting(
        20, "Largest number of segments in the path of a URL. URLs with more are refused.", least=1
    )
    max_same_segments: int = setting(
        8,
        "Largest number of consecutive path segments of one kind, such as numbers or dates, in a path that "
        "becomes longer with each link. URLs with more are refused.",
        least=1,
    )
    max_parameters: int = setting(
        12, "Largest number of query parameters in a URL. URLs with more are refused.", least=0
    )
    window: int = setting(
        30,
        "Number of recent pages of one URL pattern that decide whether it is a trap, at least 4.",
        least=4,
    )
    copy_share: float = setting(
        0.9,
        "Share of the last `window` pages of a URL pattern that must be copies, empty or missing for "
        "the pattern to be refused, 0.5 to 1.",
        least=0.5,
        most=1,
        formerly="share",
    )
    empty_words: int = setting(5, "Number of words below which a page counts as empty.", least=0)
    probe_every: int = setting(
        1_000,
        "One in this many URLs of a refused pattern is fetched, to notice when it has new content. "
        "At least 1.",
        least=1,
    )
    max_facets: int = setting(
        32,
        "Largest number of different sets of query parameters for one path, at least 1. Further sets are "
        "refused if the pages of this path are mostly copies of each other.",
        least=1,
    )
    calendar_years_ahead: int = setting(
        2,
        "Number of years for which an empty calendar is followed into the future, after today and after the "
        "last date with entries.",
        least=0,
    )
    calendar_years_back: int = setting(
        10,
        "Number of years for which an empty calendar is followed into the past, before today and before the "
        "first date with entries.",
        least=0,
    )
