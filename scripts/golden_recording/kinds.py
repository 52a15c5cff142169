"""Record what the code does, a function for each kind."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import inspect
import io
import json
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from golden_recording import code_under_test
from golden_recording.code_under_test import find
from golden_recording.questions import Question
from golden_recording.rows import Row, plain

LIBRARY = {"newest": "newest_first", "prefer": "sites", "prefer_topic": "preferred_topic"}  # other names
NUMBERS = ("k", "offset")
LISTS = ("languages", "context", "prefer")
ON_THE_PAGE = ("newest", "everything", "cluster", "topic", "correct", "ui", "country", "languages", "context",
               "prefer", "prefer_topic")  # fmt: skip
PAGE = {"10": "2"}  # offsets as pages
# What a clock or a disk says; "crawl" is how the last crawl went, second by second.
MEASURED = {"directory", "bytes_on_disk", "seconds", "took_ms", "crawl"}
PARAMETER = ("opts", "secondary_opts", "default", "required", "multiple", "nargs", "min", "max", "metavar",
             "help")  # fmt: skip
GROUP = 500  # documents in a row
NEW_PAGE = {"url": "http://new.test/page", "title": "Zyzzogeton", "text": "A zyzzogeton is a leafhopper."}


# Segments


def segments(collection: Path) -> Iterator[Row]:
    """Decode every segment: documents with columns and stored texts, terms with postings, words."""
    for name, segment, deleted in code_under_test.segments(collection):
        yield f"{name} deleted", deleted
        for field in dataclasses.fields(segment.columns):
            array = getattr(segment.columns, field.name)
            yield f"{name} column {field.name}", [str(array.dtype), list(array.shape), _digest(array)]
        yield from _documents(name, segment)
        groups: dict[str, dict[str, str]] = defaultdict(dict)
        for term, form, arrays in code_under_test.postings(segment):
            told = f"{len(arrays[0])} documents, {len(arrays[2])} places, {_digest(*arrays)}, {form}"
            groups[term[:2]][term] = told
        for group, terms in groups.items():
            yield f"{name} terms {group}", terms
        yield f"{name} words", _digest_of(json.dumps(code_under_test.words(segment)).encode())


def _documents(name: str, segment: Any) -> Iterator[Row]:
    columns = segment.columns
    hosts, languages, types = columns.hosts(), columns.languages(), columns.types()
    texts = list(code_under_test.stored_texts(segment))
    for first in range(0, len(texts), GROUP):
        rows = {}
        for doc in range(first, min(first + GROUP, len(texts))):
            rows[f"{int(columns.fingerprints[doc]):016x} {doc}"] = [
                str(columns.fetched_at[doc]), str(columns.published[doc]), columns.lengths[doc],
                (hosts or [""])[columns.host_ids[doc]], (languages or [""])[columns.language_ids[doc]],
                (types or [""])[columns.type_ids[doc]], _digest(columns.sketches[doc]),
                texts[doc][:60], len(texts[doc]), _digest_of(texts[doc].encode()),
            ]  # fmt: skip
        yield f"{name} documents {first}", rows


def _digest(*arrays: Any) -> str:
    return _digest_of(b"|".join(np.ascontiguousarray(array).tobytes() for array in arrays))


def _digest_of(data: bytes) -> str:
    return blake2b(data, digest_size=6).hexdigest()


# Graph


def graph(engine: Any, report: bool) -> Iterator[Row]:
    """Give every rank of every page, host and domain by name, the links of each page, and the structure."""
    fingerprints, starts, targets = code_under_test.out_links(engine)
    for level, names, columns in code_under_test.ranks(engine):
        yield f"{level} columns", sorted(columns)
        values = {name: column.tolist() for name, column in sorted(columns.items())}
        for node in sorted(range(len(names)), key=names.__getitem__):
            row = {name: column[node] for name, column in values.items()}
            if level == "pages":
                own = np.sort(fingerprints[targets[starts[node] : starts[node + 1]]])
                row |= {"out-links": len(own), "out-links digest": _digest(own)}
            yield f"{level} {names[node]}", row
    for level in ("pages", "hosts", "domains") if report else ():
        yield f"structure of {level}", _without_clocks(plain(engine.graph_report(level)))
    for count, by in ((20, "pagerank"), (20, "hosts:pagerank"), (20, "domains:pagerank"), (20, "spam-mass")):
        yield f"top by {by}", _outcome(lambda count=count, by=by: engine.top(count, by))
    yield "proposed seeds", engine.propose_seeds(20)


# Queries


def queries(collection: Path, asked: Sequence[Question], paths: Sequence[str]) -> Iterator[Row]:
    """Ask the API, the page and the library; then ask for further paths."""
    from gossamer import Engine

    settings = find("ServeSettings")(timeout=600.0, rate=0.0)
    with Engine.open(collection) as engine:
        engine.warm_up()
        engine.suggest("a")  # waits until phrases are gathered, which related searches need
        app = find("create_app")(engine, settings)
        with asyncio.Runner() as runner:
            client = runner.run(_client(app))
            for question in asked:
                library = _outcome(lambda own=question: engine.search(**_for_library(own)))
                row = {**runner.run(_asked(client, question)), "library": _without_clocks(plain(library))}
                yield json.dumps(question, ensure_ascii=False, sort_keys=True), row
            for path in paths:
                yield f"GET {path}", runner.run(_got(client, path, {}))
            runner.run(client.aclose())


async def _client(app: Any) -> Any:
    import httpx

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=None)


async def _asked(client: Any, question: Question) -> dict[str, Any]:
    api = {name: value for name, value in question.items() if name != "ui"}
    page = {name: value for name, value in question.items() if name in ON_THE_PAGE}
    page |= {"q": question["q"], "page": PAGE.get(question.get("offset", ""), "1")}
    return {
        "api": await _got(client, "/api/search", api),
        "explained": await _got(client, "/api/search", {**api, "explain": "true"}),
        "html": await _got(client, "/search", page),
    }


async def _got(client: Any, path: str, params: Question) -> Any:
    answer = await client.get(path, params=params or None)
    kind = answer.headers.get("content-type", "")
    body = _without_clocks(answer.json()) if "json" in kind else answer.text
    return [answer.status_code, kind, body]


def _for_library(question: Question) -> dict[str, Any]:
    """Give the arguments of `Engine.search` for a question of the API."""
    how: dict[str, Any] = {"explain": True}
    for name, value in question.items():
        if name in {"q", "ui"} or (name == "country" and value == "auto"):
            continue
        own = int(value) if name in NUMBERS else value.split(",") if name in LISTS else value
        own = own == "true" if own in ("true", "false") else own
        how[LIBRARY.get(name, name)] = "" if name == "country" and value == "none" else own
    return {"text": question["q"], **how}


def _outcome(call: Callable[[], Any]) -> Any:
    """Give what a call returns, or the error that it raises."""
    try:
        return call()
    except find("GossamerError") as error:
        return {"raises": type(error).__name__, "text": str(error)}


def _without_clocks(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_clocks(own) for name, own in value.items() if name not in MEASURED}
    return [_without_clocks(own) for own in value] if isinstance(value, list) else value


def shell(folder: Path, name: str, asked: Sequence[Question], wanted: int) -> Iterator[Row]:
    """Run commands as a shell does: in a process that has loaded no compiled code when it begins."""
    plain_ones = [question["q"] for question in asked if len(question) == 1]
    chosen = plain_ones[:: max(1, len(plain_ones) // wanted)]
    commands = [["search", "--json", "--explain", "--", text] for text in chosen]
    commands += [["search", "--", text] for text in chosen[: wanted // 6]]
    ranked = ("pagerank", "trust", "hosts:harmonic")
    commands += [["rank", "--stored", "--top", "20", "--by", by] for by in ranked]
    commands += [["suggest", text] for text in chosen[:10]] + [["status", "--json"], ["sites"], ["seeds"]]
    urls = [hit["url"] for hit in json.loads(command(folder, name, ["search", "--json", "a"])[1])["hits"]]
    commands += [[what, url] for url in urls[:5] for what in ("links", "similar")]
    for arguments in commands:
        code, out, err = command(folder, name, arguments)
        kept = _without_clocks(json.loads(out)) if code == 0 and "--json" in arguments else out
        yield f"gossamer {' '.join(arguments)}", [code, kept, err]


def command(folder: Path, name: str, arguments: Sequence[str]) -> tuple[int, str, str]:
    """Run a command on a collection of a folder, from within: then the folder's name is not shown."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = find("run")(["-C", name, *arguments])
    return code, out.getvalue(), err.getvalue()


# Collections of an older state


def old(collection: Path, asked: Sequence[Question], work: Path) -> Iterator[Row]:
    """Check, search and extend a collection, which is changed by this."""
    from gossamer import Engine

    with Engine.open(collection) as engine:
        yield "check", [str(problem) for problem in engine.check().problems]
        yield "status", _without_clocks(engine.status().as_dict())
        yield from _searched(engine, "as recorded", asked)
        work.mkdir(parents=True, exist_ok=True)
        (work / "new.jsonl").write_text(json.dumps({**NEW_PAGE, "fetched": "2026-11-15T00:00:00Z"}) + "\n")
        yield "import", _without_clocks(plain(engine.import_files(work / "new.jsonl", index=False)))
        yield "index", _without_clocks(plain(engine.index()))
        yield "new page", [hit.url for hit in engine.search("zyzzogeton")]
        yield "rank", _summary(engine.rank())
        yield from _searched(engine, "with one more page", asked)
        yield "merge", _without_clocks(plain(engine.index(merge=True)))
        yield "check again", [str(problem) for problem in engine.check().problems]


def _searched(engine: Any, when: str, asked: Sequence[Question]) -> Iterator[Row]:
    for question in asked[:: max(1, len(asked) // 40)]:
        found = _outcome(lambda own=question: engine.search(**_for_library(own)))
        yield f"search {when}: {json.dumps(question, ensure_ascii=False)}", _without_clocks(plain(found))


def _summary(ranked: Any) -> Any:
    """Keep what does not depend on how far the last ranks were from the new ones."""
    told = _without_clocks(plain(ranked))
    return {name: told[name] for name in told if name not in {"steps", "residual", "diagnosis"}}


# Evaluation


def evaluation(judged: Path, quick: bool) -> Iterator[Row]:
    """Measure every test collection of a folder with `gossamer eval`."""
    folders = sorted(path.parent.name for path in judged.glob("*/qrels.tsv"))
    if not folders:
        raise SystemExit(f"{judged} has no folder with qrels.tsv: name another with --judged")
    for folder in folders[: 1 if quick else None]:
        code, out, err = command(judged, ".", ["eval", folder, "--json", "--per-query", "--quiet"])
        if code:
            raise SystemExit(f"gossamer eval {judged / folder} failed: {err.strip()}")
        for measured in _without_clocks(json.loads(out))["collections"]:
            per_query = measured.pop("per_query", {})
            yield folder, measured
            for query, values in _pairs(per_query):
                yield f"{folder} query {query}", values


def _pairs(per_query: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(per_query, dict):
        yield from per_query.items()
    else:
        yield from ((str(row.get("query", number)), row) for number, row in enumerate(per_query))


# Surface


def surface(collection: Path, work: Path) -> Iterator[Row]:
    """List commands, settings, endpoints, and the public names of the library."""
    import gossamer
    from gossamer import AsyncEngine, Config, Engine

    yield "public names", sorted(gossamer.__all__)
    yield from _commands()
    yield from _settings(work, Config)
    with Engine.open(collection) as engine:
        served = find("ServeSettings")(submissions=True, reports=True)
        yield from _endpoints(find("create_app")(engine, served, find("owned")(engine)))
        for owner in (Engine, AsyncEngine, Config):
            yield f"class {owner.__name__}", _members(owner)
        for found in sorted(_types(_examples(engine, collection)), key=lambda own: own.__name__):
            yield f"type {found.__name__}", _members(found)
    for error in sorted(_family(find("GossamerError")), key=lambda own: own.__name__):
        yield f"error {error.__name__}", [[own.__name__ for own in error.__mro__[1:]], _members(error)]


def _commands() -> Iterator[Row]:

    def walk(name: str, one: Any) -> Iterator[Row]:
        yield f"command {name}", [one.help, one.epilog]
        for parameter in one.params:
            told = {own: plain(getattr(parameter, own, None)) for own in PARAMETER}
            kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", "")
            yield f"option {name} {parameter.name}", {**told, "type": str(kind)}
        for child in sorted(one.list_commands(None)) if hasattr(one, "list_commands") else ():
            yield from walk(f"{name} {child}", one.get_command(None, child))

    yield from walk("gossamer", find("assemble")())


def _settings(work: Path, config: Any) -> Iterator[Row]:
    from gossamer import Engine

    with Engine.open(work / "empty", create=True):
        template = (work / "empty" / "gossamer.toml").read_text("utf-8")
    section = ""
    for line in template.splitlines():
        if match := re.match(r"#?\s*\[+([\w.]+)\]+", line):
            section = match[1]
        elif match := re.match(r"#?\s*(\w+) = (.*)", line):
            yield f"template {section} {match[1]}", match[2]
    for name, own in plain(config()).items():
        for setting, default in own.items() if isinstance(own, Mapping) else [("", own)]:
            yield f"setting {name} {setting}", default


def _endpoints(app: Any) -> Iterator[Row]:
    described = app.openapi()
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield f"endpoint {method} {path}", operation
    for name, schema in described.get("components", {}).get("schemas", {}).items():
        yield f"schema {name}", schema

    def walk(routes: Any) -> Iterator[tuple[str, str]]:
        for route in routes:
            included = getattr(route, "original_router", None)
            if included is not None:
                yield from walk(included.routes)
            elif hasattr(route, "path"):
                yield route.path, ",".join(sorted(getattr(route, "methods", None) or ()))

    yield "routes", sorted(walk(app.routes))


def _examples(engine: Any, collection: Path) -> Iterator[Any]:
    """Give a value of every type that the library returns."""
    answer = engine.search("jaguar", explain=True, clusters=True, facets=True)
    url = answer[0].url
    yield answer, engine.search("5 miles in km"), engine.page(url), engine.similar(url), engine.links(url)
    yield engine.cached(url), engine.status(), engine.health(), engine.top(1), engine.host_status(url)
    yield engine.index(), engine.rank(), engine.check(), engine.graph(), engine.results("jaguar")
    yield engine.steering, engine.sites, engine.reports, engine.submissions, engine.query_log
    yield next(engine.in_links(url), None), engine.graph_report("hosts"), engine.sites.book()
    (collection.parent / "one.jsonl").write_text(json.dumps(NEW_PAGE) + "\n")
    yield engine.import_files(collection.parent / "one.jsonl")
    yield engine.crawl([])


def _types(values: Iterator[Any]) -> set[type]:
    """Find the classes of Gossamer within values, through fields and lists."""
    found: set[type] = set()
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, list | tuple):
            waiting += value[:50]
        if isinstance(value, Mapping):
            waiting += list(value.values())[:50]
        if type(value).__module__.startswith("gossamer"):
            is_new = type(value) not in found
            found.add(type(value))
            if dataclasses.is_dataclass(value) and (is_new or len(waiting) < 10_000):
                waiting += [getattr(value, field.name) for field in dataclasses.fields(value)]
    return found


def _family(error: type) -> list[type]:
    return [error, *(own for child in error.__subclasses__() for own in _family(child))]


def _members(owner: type) -> dict[str, str]:
    """List public methods with signatures, fields with types, properties."""
    told = {}
    for name, _ in inspect.getmembers_static(owner):
        if name.startswith("_") and name != "__init__":
            continue
        told[name] = _signature(getattr(owner, name, None))
    for field in dataclasses.fields(owner) if dataclasses.is_dataclass(owner) else ():
        told[field.name] = f"field {field.type}"
    return told


def _signature(member: Any) -> str:
    if isinstance(member, property):
        return "property"
    try:
        return str(inspect.signature(member)) if callable(member) else type(member).__name__
    except (TypeError, ValueError):
        return "callable"


# Working copies


def copied(record: Path, name: str, work: Path) -> Path:
    """Copy a recorded collection into the work folder, anew."""
    target = work / name
    shutil.rmtree(target, ignore_errors=True)
    source = record / "collections" / name
    if not source.is_dir():
        raise SystemExit(f"{source} is missing: make the record anew with scripts/golden record")
    shutil.copytree(source, target)
    return target


def rebuilt(record: Path, name: str, work: Path) -> Path:
    """Copy a collection, index its stored pages anew, and compute the ranks without the old ones."""
    from gossamer import Engine

    folder = copied(record, name, work)
    for derived in [folder / "graph", *folder.glob("partition-*/anchors")]:
        shutil.rmtree(derived, ignore_errors=True)
    with Engine.open(folder) as engine:
        engine.index(rebuild=True)
        engine.rank()
        engine.rank(only=["degree", "eigenvector"])
    return folder


def prepare_process() -> None:
    """Make what depends on the terminal and the machine the same everywhere."""
    os.environ.update(COLUMNS="200", LANG="C.UTF-8", TZ="UTC", NO_COLOR="1", TERM="dumb")
