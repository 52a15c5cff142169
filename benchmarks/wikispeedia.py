"""Are ranks by links sensible to a reader? The 4,604 articles of Wikispeedia, ranked.

    python benchmarks/wikispeedia.py FOLDER [--collection DIR]

FOLDER has the data as it is published: articles.tsv, links.tsv and categories.tsv; and articles.jsonl.xz, a
line {"title", "text"} for each article. The articles are crawled from memory, and printed as Markdown are the
best 20 by PageRank, the best by the PageRank of three topics, which are categories, and who gains most by it,
the best authorities and hubs of five queries, and what is related to three articles.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import tempfile
from collections import defaultdict
from html import escape
from pathlib import Path
from urllib.parse import quote, unquote

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html, text

HOST = "articles.test"
QUERIES = ("football", "volcano", "composer", "evolution", "ancient egypt")
TOPICS = {
    "physics": "subject.Science.Physics",
    "musicians": "subject.Music",
    "railways": "subject.Design_and_Technology.Railway_transport",
}
RELATED = ("Wolfgang_Amadeus_Mozart", "Lion", "Isaac_Newton")
SHOWN = 20
FEWER = 10
ALL = 10_000  # more than there are


def rows(path):
    lines = path.read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def url_of(name):
    return f"http://{HOST}/{quote(unquote(name))}"


def pages(folder):
    """Every article as a page: its text, and its links as a list below."""
    links = defaultdict(list)
    for source, target in rows(folder / "links.tsv"):
        links[source].append(target)
    texts = {}
    with lzma.open(folder / "articles.jsonl.xz", "rt", encoding="utf-8") as file:
        for line in file:
            article = json.loads(line)
            texts[article["title"]] = article["text"]
    for (name,) in rows(folder / "articles.tsv"):
        yield name, page(name, texts.get(unquote(name), ""), links[name])


def page(name, body, links):
    title = escape(unquote(name).replace("_", " "))
    paragraphs = "".join(f"<p>{escape(part)}</p>" for part in body.split("\n\n") if part.strip())
    listed = "".join(f'<li><a href="{url_of(one)}">{escape(title_of(one))}</a></li>' for one in links)
    return html(f"<title>{title}</title><article><h1>{title}</h1>{paragraphs}</article><nav>{listed}</nav>")


def title_of(name):
    return unquote(name).replace("_", " ")


def collected(directory, folder, settings):
    named = dict(pages(folder))
    replies = {url_of(name).removeprefix(f"http://{HOST}"): reply for name, reply in named.items()}
    web = ScriptedWeb({HOST: ScriptedHost({**replies, "/robots.txt": text("")})})
    with Engine.open(directory, create=True, settings=settings) as engine:
        engine.crawl([url_of(name) for name in named], transport=ScriptedTransport(web))


def settings_of(folder):
    members = defaultdict(list)
    for name, category in rows(folder / "categories.tsv"):
        for topic, wanted in TOPICS.items():
            if category == wanted or category.startswith(f"{wanted}."):
                members[topic].append(url_of(name))
    return {
        "frontier": {"delay": 0.0},
        "extract": {"workers": 0},
        "crawl": {"sitemaps": False},
        "rank": {"topics": [{"name": topic, "pages": own} for topic, own in members.items()]},
    }


def listed(titles):
    return ", ".join(titles)


def gaining(engine, topic):
    """The articles whose PageRank is most above the common one for somebody who cares for a topic."""
    common = {page.title: page.value for page in engine.top(ALL)}
    own = {page.title: page.value - common[page.title] for page in engine.top(ALL, f"topic:{topic}")}
    return sorted(own, key=lambda title: -own[title])[:SHOWN]


def show(engine):
    print(f"## PageRank\n\n{listed(page.title for page in engine.top(SHOWN))}\n")
    print("## Topics\n\n| topic | best by its PageRank |\n|---|---|")
    for topic in TOPICS:
        print(f"| {topic} | {listed(page.title for page in engine.top(SHOWN, f'topic:{topic}'))} |")
    print("\n| topic | largest gain |\n|---|---|")
    for topic in TOPICS:
        print(f"| {topic} | {listed(gaining(engine, topic))} |")
    for rank, heading in (("hits", "Authorities"), ("hubs", "Hubs")):
        print(f"\n## {heading}\n\n| query | best |\n|---|---|")
        for query in QUERIES:
            found = engine.search(query, SHOWN if rank == "hits" else FEWER, everything=True, rank=rank)
            print(f"| {query} | {listed(hit.title for hit in found.hits)} |")
    print("\n## Related\n\n| article | linked together with it |\n|---|---|")
    for name in RELATED:
        found = engine.search(f"related:{url_of(name)}", FEWER, everything=True)
        print(f"| {title_of(name)} | {listed(hit.title for hit in found.hits)} |")


def main():
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--collection", type=Path, help="where the collection is kept for another run")
    chosen = options.parse_args()
    settings = settings_of(chosen.folder)
    with tempfile.TemporaryDirectory() as temporary:
        directory = chosen.collection or Path(temporary) / "c"
        if not (directory / "collection.json").exists():
            collected(directory, chosen.folder, settings)
        with Engine.open(directory, settings=settings) as engine:
            done = engine.rank()
            print(f"{done.pages:,} articles, {done.links:,} links\n")
            show(engine)
    return 0


if __name__ == "__main__":
    sys.exit(main())
