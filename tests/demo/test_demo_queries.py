"""The judged queries over the bundled web: are they well formed, and does each judgement name a real page?"""

import json
import re
import tomllib
from collections import Counter, defaultdict
from urllib.parse import urlsplit

import pytest

from gossamer.demo.bundled_web import FOLDER, PORT, SCRIPT, demo_web
from gossamer.web import robots
from gossamer.web.url import canonical

QUERIES = FOLDER.parent / "queries.jsonl"
QRELS = FOLDER.parent / "qrels.tsv"
KEYS = {"_id", "text", "language", "intent", "about"}
INTENTS = {"informational", "navigational", "transactional"}
PAGES = {".html", ".pdf", ".txt"}
NOINDEX = re.compile(rb"<meta[^>]+robots[^>]+noindex", re.IGNORECASE)
WORTHLESS_HOSTS = re.compile(r"best-cheap-lanterns|lantern-farm-\d\d|jaguar-deals|old-maya-kings")
DUPLICATES = {
    f"http://wildcats.localhost:{PORT}/print/jaguar.html",
    f"http://lantern-goods.localhost:{PORT}/tip-today.html",
}


@pytest.fixture(scope="module")
def queries():
    return [json.loads(line) for line in QUERIES.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def judgements():
    """(query, URL, score) of every line below the header."""
    rows = (line.split("\t") for line in QRELS.read_text("utf-8").splitlines()[1:])
    return [(query, url, int(score)) for query, url, score in rows]


@pytest.fixture(scope="module")
def relevant(judgements):
    return sorted({url for _, url, score in judgements if score > 0})


@pytest.fixture(scope="module")
def web():
    return demo_web()


def script_of(host):
    path = FOLDER / host / SCRIPT
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def file_of(url):
    """The file behind a URL as it is crawled: for a folder its index.html, for a mirror its original's."""
    parts = urlsplit(url)
    site = FOLDER / script_of(parts.hostname).get("mirror_of", parts.hostname)
    return site / (parts.path.removeprefix("/") + ("index.html" if parts.path.endswith("/") else ""))


def allowed(url):
    """Whether the host's robots.txt lets a crawler in that has no group of its own."""
    path = FOLDER / urlsplit(url).hostname / "robots.txt"
    return not path.exists() or robots.parse(path.read_bytes()).allows(canonical(url), "gossamer")


def test_queries_have_the_five_keys_and_ids_of_their_own(queries):
    assert all(set(query) == KEYS for query in queries)
    assert all(all(query[key].strip() == query[key] != "" for key in KEYS) for query in queries)
    assert len({query["_id"] for query in queries}) == len(queries)
    assert len({query["text"] for query in queries}) == len(queries)
    assert {query["intent"] for query in queries} == INTENTS


def test_there_are_queries_enough_and_languages_enough(queries):
    languages = Counter(query["language"] for query in queries)
    assert len(queries) >= 60
    assert len(languages) >= 10
    assert len(queries) - languages["en"] >= 20


def test_people_also_type_phrases_exclusions_and_sites(queries):
    texts = [query["text"] for query in queries]
    for typed in (r'"[^"]+ [^"]+"', r"(^| )-\w", r"(^| )site:\w"):
        assert any(re.search(typed, text) for text in texts), typed


def test_the_judgements_have_a_header_and_judge_no_page_twice(judgements):
    assert QRELS.read_text("utf-8").splitlines()[0] == "query-id\tcorpus-id\tscore"
    assert {score for _, _, score in judgements} == {0, 1, 2, 3}
    assert len({(query, url) for query, url, _ in judgements}) == len(judgements)


def test_every_query_has_a_good_answer_and_every_judgement_a_query(queries, judgements):
    best = defaultdict(int)
    for query, _, score in judgements:
        best[query] = max(best[query], score)
    assert set(best) == {query["_id"] for query in queries}
    assert [query for query, score in best.items() if score < 2] == []


def test_every_judged_url_is_a_file_that_is_served_there(judgements, web):
    for url in sorted({url for _, url, _ in judgements}):
        parts = urlsplit(url)
        assert canonical(url).text == url
        assert (parts.scheme, parts.port) == ("http", PORT), url
        assert not url.endswith("/index.html"), url
        assert file_of(url).is_file(), url
        assert web.reply(parts.netloc, parts.path).body == file_of(url).read_bytes(), url


def test_relevant_pages_may_be_crawled_and_indexed(relevant, web):
    for url in relevant:
        reply = web.reply(urlsplit(url).netloc, urlsplit(url).path)
        assert reply.status == 200, url
        assert "noindex" not in reply.headers.get("X-Robots-Tag", ""), url
        assert not NOINDEX.search(reply.body), url
        assert allowed(url), url


def test_closed_pages_would_be_noticed():
    archive = f"http://private-archive.localhost:{PORT}"
    assert allowed(f"{archive}/vault/catalogue.html")
    assert not allowed(f"{archive}/vault/letters-1911.html")
    assert NOINDEX.search(file_of(f"{archive}/draft-history.html").read_bytes())


def test_spam_mirrors_and_copies_are_never_relevant_but_are_judged(relevant, judgements):
    assert [url for url in relevant if WORTHLESS_HOSTS.search(url)] == []
    assert DUPLICATES.isdisjoint(relevant)
    worthless = {url for _, url, score in judgements if score == 0}
    assert worthless >= DUPLICATES
    assert {WORTHLESS_HOSTS.search(url)[0] for url in worthless if WORTHLESS_HOSTS.search(url)} >= {
        "best-cheap-lanterns",
        "jaguar-deals",
        "lantern-farm-01",
        "old-maya-kings",
    }


def test_answers_to_a_site_query_are_on_that_site(queries, judgements):
    for query in queries:
        site = re.search(r"site:(\S+)", query["text"])
        urls = [url for asked, url, score in judgements if asked == query["_id"] and score > 0]
        assert not site or {urlsplit(url).hostname for url in urls} == {site[1]}


def test_the_pdf_and_the_text_file_are_somebodys_best_answer(judgements):
    for ending in (".pdf", ".txt"):
        assert any(url.endswith(ending) and score == 3 for _, url, score in judgements), ending


def test_the_web_is_large_enough_to_get_lost_in():
    hosts = [path for path in FOLDER.iterdir() if path.is_dir()]
    pages = [path for path in FOLDER.rglob("*") if path.suffix in PAGES and path.name != "robots.txt"]
    assert len(hosts) >= 16
    assert len(pages) >= 150
