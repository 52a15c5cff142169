"""Each package imports only what the list below allows, and no cycle is anywhere."""

from __future__ import annotations

import ast
from pathlib import Path

import gossamer

ROOT = Path(gossamer.__file__).parent
PUBLIC = {"__version__", *gossamer.__all__}
ANYTHING = "anything"

# Which package or module may import which, besides itself. The order is from the bottom to the top.
ALLOWED = {
    # vocabulary
    "model": "",
    "kernels": "",
    "web": "model",
    "text": "model kernels",
    # disk
    "storage": "model web kernels",
    "index": "model text kernels storage",
    "collection": "model web storage index",
    # documents
    "extract": "model web text kernels",
    "duplicates": "model web text kernels storage collection",
    # links
    "graph": "model web kernels storage collection",
    # queries
    "query": "model web text kernels index",
    "search": "model text kernels index query",
    "anchor_text": "model text kernels storage index collection graph query search",
    "scoring": "model text kernels index graph query search anchor_text",
    "answer": (
        "model web text kernels storage index extract collection graph query search anchor_text scoring"
    ),
    # crawling
    "crawl": "model web text storage index extract collection duplicates",
    # owner
    "owner": "model web storage collection graph crawl",
    # assembly
    "config": "model web text storage index extract duplicates graph search answer crawl",
    "jobs": "model web storage index extract collection duplicates graph anchor_text answer crawl config",
    "engine": "model web storage collection graph query answer crawl owner config jobs",
    "async_engine": "model collection graph answer crawl owner jobs engine",
    # edges
    "serve": "model web text storage collection graph query answer crawl owner config engine async_engine "
    "gossamer",
    "evaluate": "model web text storage index query search scoring config engine",
    "graph_report": "text graph",
    "demo": "model web crawl gossamer",
    "cli": ANYTHING,
}


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(["gossamer", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__")
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def package_edges():
    """(module, its package, package that it imports); "gossamer" is what users import by its short name."""
    for name, tree in modules():
        if name in {"gossamer", "gossamer.__main__"}:
            continue
        for target in imports(tree):
            parts = target.split(".")
            if parts[0] == "gossamer" and len(parts) > 1:
                yield name, name.split(".")[1], "gossamer" if parts[1] in PUBLIC else parts[1]


def test_every_package_is_on_the_list():
    packages = {
        path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert packages - {"__init__", "__main__"} == set(ALLOWED)


def test_the_list_has_no_cycle():
    above = list(ALLOWED)
    for number, package in enumerate(above):
        assert ALLOWED[package] == ANYTHING or set(ALLOWED[package].split()) <= {*above[:number], "gossamer"}


def test_packages_import_what_the_list_allows():
    wrong = {
        (name.removeprefix("gossamer."), target)
        for name, source, target in package_edges()
        if source != target and ALLOWED[source] != ANYTHING and target not in ALLOWED[source].split()
    }
    assert not wrong


def test_packages_hold_their_docstring_alone():
    """What a package offers is imported from the module that has it; `gossamer` and `model` are for users."""
    for path in ROOT.rglob("__init__.py"):
        if path.parent.name not in {"gossamer", "model", "lists"}:
            assert len(ast.parse(path.read_text(encoding="utf-8")).body) == 1, path


def test_modules_have_no_cycle():
    known = {name for name, _ in modules()}
    graph = {}
    for name, tree in modules():
        graph[name] = {target for target in imports(tree) if target in known and target != name}
    for package in [name for name in known if any(other.startswith(name + ".") for other in known)]:
        # A package's own __init__ is loaded before its modules; what counts is what the modules import.
        for module in graph:
            if module.startswith(package + "."):
                graph[module].discard(package)
    state = {}

    def visit(module, path):
        if state.get(module) == "done":
            return
        assert state.get(module) != "open", f"cycle: {' -> '.join([*path, module])}"
        state[module] = "open"
        for target in sorted(graph[module]):
            visit(target, [*path, module])
        state[module] = "done"

    for module in sorted(graph):
        visit(module, [])


def test_no_file_is_a_drawer_for_everything():
    banned = {"utils", "helpers", "common", "misc", "manager"}
    assert not [path for path in ROOT.rglob("*.py") if path.stem in banned]
