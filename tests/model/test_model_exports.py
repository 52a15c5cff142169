"""The package exports each type from the module that the imports for type checkers name."""

from __future__ import annotations

import ast
from pathlib import Path

from gossamer import model


def test_the_imports_for_type_checkers_are_those_at_run_time():
    tree = ast.parse(Path(model.__file__).read_text(encoding="utf-8"))
    for_type_checkers = {
        alias.asname: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    assert for_type_checkers == {name: f"gossamer.model.{module}" for name, module in model._HOME.items()}
    assert all(hasattr(model, name) for name in model.__all__)
