"""How much does a crawled page cost, beside Scrapy? And is the crawler polite, obedient and complete?

    .venv/bin/python benchmarks/crawl.py [--pages 10000] [--repeat 3] [--workers 1,2] [--breakdown] [--json]
    .venv/bin/python benchmarks/crawl.py --web docweb --docweb DIR [--pages 10000]
    .venv/bin/python benchmarks/crawl.py --web synthetic [--urls 1000000 --hosts 20000] [--no-traps]

The first two let Scrapy and `gossamer crawl` fetch the same hosts from a server on loopback: robots.txt is
obeyed, links are followed once, title and links extracted. Gossamer also stores, compares and indexes every
page. Counted is the user and system time of the whole process tree, for Gossamer until its index is
committed; what each asked for is checked against a walk over the plan of the site. The third computes a large
web on the fly and audits a crawl of Gossamer from the server's log. More in benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from sites.audit import Audit
from sites.comparing import Judge, compared, contenders
from sites.contenders import Gossamer, Task, require_scrapy
from sites.folder import FolderWeb
from sites.generated import GeneratedSite
from sites.report import audit_json, audit_text, breakdown_text, comparison_json, comparison_text, say
from sites.serving import serving
from sites.synthetic import SyntheticWeb
from sites.web import Kind, walk


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--web", choices=["site", "docweb", "synthetic"], default="site")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    beside = parser.add_argument_group("beside Scrapy (--web site, --web docweb)")
    beside.add_argument(
        "--pages", type=int, default=10_000, help="pages of the site, or of the folder's hosts"
    )
    beside.add_argument("--repeat", type=int, default=3, help="rounds; all crawlers take turns in each")
    beside.add_argument(
        "--workers", type=numbers, default=[1, 2], help="extraction workers of Gossamer, one run for each"
    )
    beside.add_argument("--docweb", type=Path, metavar="DIR", help="a folder with sites/HOST/...")
    beside.add_argument(
        "--scrapy-python", default=sys.executable, metavar="PATH", help="a Python with Scrapy"
    )
    beside.add_argument("--no-scrapy", action="store_true", help="Gossamer alone")
    beside.add_argument("--breakdown", action="store_true", help="also the cost of a page by stage")
    large = parser.add_argument_group("audited (--web synthetic)")
    large.add_argument("--urls", type=int, default=1_000_000)
    large.add_argument("--hosts", type=int, default=20_000)
    large.add_argument("--no-traps", action="store_true", help="leave pages without end out")
    large.add_argument("--trap-limit", type=int, default=200, help="pages of a host's trap that are no fault")
    large.add_argument("--delay", type=float, default=0.5, help="seconds, as given to the crawler")
    large.add_argument("--connections", type=int, default=500, help="hosts asked at the same time")
    large.add_argument("--time-limit", type=float, default=0.0, help="seconds until the crawl is interrupted")
    chosen = parser.parse_args()
    if chosen.web == "docweb" and chosen.docweb is None:
        parser.error("--web docweb needs --docweb DIR")
    return chosen


def main() -> None:
    chosen = options()
    with tempfile.TemporaryDirectory() as scratch:
        if chosen.web == "synthetic":
            sys.exit(audited(chosen, Path(scratch)))
        sys.exit(beside(chosen, Path(scratch)))


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def beside(chosen: argparse.Namespace, scratch: Path) -> int:
    """Gossamer and Scrapy on the same web, taking turns; 0 when all of them fetched what they should."""
    scrapy = "" if chosen.no_scrapy else require_scrapy(chosen.scrapy_python)
    walked = chosen.web == "site"
    web = GeneratedSite(chosen.pages) if walked else FolderWeb(chosen.docweb, chosen.pages)
    say("the server is preparing its pages ...")
    with serving(web, scratch / "requests.log") as server:
        seeds = [f"http://{host}:{server.port}{path}" for host, path in web.seeds()]
        within = "" if walked else rf"^http://[a-z-]+\.test:{server.port}/"
        comparison = compared(
            contenders(chosen.workers, "" if chosen.no_scrapy else chosen.scrapy_python),
            Task(seeds, web.pattern, server.port, within),
            Judge(web, server, walk(web) if walked else None),
            chosen.repeat,
            scratch,
        )
        parts = broken_down(scratch, server.port, web.pattern) if chosen.breakdown else {}
    if chosen.json:
        print(json.dumps(comparison_json(comparison, scrapy, parts), indent=2))
    else:
        print(comparison_text(comparison, scrapy))
        print(breakdown_text(parts) if parts else "", end="")
    return 0 if comparison.complete else 1


def broken_down(scratch: Path, port: int, hosts: str) -> dict[str, float]:
    """The cost of a page by stage, over what the last crawl has stored."""
    from sites.breakdown import stages  # the only part that knows the inside of Gossamer

    return stages(scratch / "collection", port, hosts)


def audited(chosen: argparse.Namespace, scratch: Path) -> int:
    """A crawl of the synthetic web, judged from the server's log; 0 when there is nothing to complain of."""
    web = SyntheticWeb(chosen.urls, chosen.hosts, not chosen.no_traps)
    settings = f"[crawl]\nconnections = {chosen.connections}\n"
    crawler = Gossamer("Gossamer", settings, chosen.delay, chosen.time_limit)
    say("walking over the plan of the web ...")
    expected = walk(web)
    pages = sum(kind is Kind.PAGE for kind in expected.values())
    say(f"crawling {pages:,} pages on {chosen.hosts:,} hosts ...")
    with serving(web, scratch / "requests.log") as server:
        seeds = [f"http://{host}{path}" for host, path in web.seeds()]
        cost = crawler.crawl(Task(seeds, web.pattern, server.port), scratch)
        say("reading the log ...")
        audit = Audit(web, expected, chosen.delay, chosen.trap_limit)
        audit.hear(server.requests())
    verdict = audit.verdict()
    if chosen.json:
        print(json.dumps(audit_json(verdict, cost), indent=2))
    else:
        print(audit_text(verdict, cost))
    return 0 if verdict.clean and not cost.cut else 1  # a crawl that had to be stopped may be in a trap


if __name__ == "__main__":
    main()
