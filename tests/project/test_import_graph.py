"""Imports point one way: vocabulary <- stages <- engine <- edges, and no cycle anywhere."""

from __future__ import annotations

import ast
from pathlib import Path

import gossamer
from gossamer.kernel import kernel_sources

ROOT = Path(gossamer.__file__).parent

VOCABULARY = {"model", "web", "text", "kernel", "disk"}
STAGES = {"frontier", "fetch", "extract", "quality", "store", "links", "index", "query", "search", "results"}
ASSEMBLY = {"engine"}
EDGES = {"serve", "cli", "evaluate", "demo", "report"}
# Exceptions within a ring, each with its reason in ARCHITECTURE.md.
ALLOWED = {("search", "index"), ("search", "query"), ("web", "model"), ("text", "model"), ("text", "kernel"),
           ("disk", "model"), ("cli", "serve"), ("cli", "evaluate"), ("cli", "demo"),
           ("cli", "report")}  # fmt: skip
RINGS = [VOCABULARY, STAGES, ASSEMBLY, EDGES]


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


def ring(package):
    return next(i for i, members in enumerate(RINGS) if package in members)


def package_edges():
    for name, tree in modules():
        if name in {"gossamer", "gossamer.__main__"}:
            continue
        for target in imports(tree):
            parts = target.split(".")
            if (
                parts[0] == "gossamer"
                and len(parts) > 1
                and parts[1] not in {"__version__", "AsyncEngine", "Engine", "Config"}
            ):
                yield name, name.split(".")[1], parts[1]


def test_every_package_has_its_ring():
    packages = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert packages | {"kernel", "disk"} == VOCABULARY | STAGES | ASSEMBLY | EDGES


def test_imports_point_to_inner_rings_only():
    wrong = {
        f"{name} imports {target}"
        for name, source, target in package_edges()
        if source != target and ring(target) >= ring(source) and (source, target) not in ALLOWED
    }
    assert wrong == set()


def test_only_edges_import_the_engine_by_its_short_name():
    """`from gossamer import Engine` is for users and edges; inner rings would make a cycle of it."""
    for name, tree in modules():
        if name not in {"gossamer", "gossamer.__main__"} and ring(name.split(".")[1]) < 3:
            assert "gossamer.Engine" not in set(imports(tree)), name


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


def test_kernels_stand_in_kernel_files():
    """So that it can be seen what is compiled, and whether it has been."""
    sources = {path.resolve() for path in kernel_sources()}
    for path in ROOT.rglob("*.py"):
        holds = any(
            isinstance(node, ast.FunctionDef)
            and any(isinstance(d, ast.Name) and d.id == "kernel" for d in node.decorator_list)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        )
        assert not holds or path.resolve() in sources, f"{path.name} holds a kernel and is not named for it"


def test_no_file_is_a_drawer_for_everything():
    banned = {"utils", "helpers", "common", "misc", "manager"}
    assert not [path for path in ROOT.rglob("*.py") if path.stem in banned]
