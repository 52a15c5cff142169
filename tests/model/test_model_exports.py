"""The package exports types that its modules define, and type checkers see each of them."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

from gossamer import model


def test_each_name_is_found_in_its_module():
    assert model.__all__ == list(model._HOME)
    for name, place in model._HOME.items():
        assert getattr(model, name) is getattr(import_module(f"gossamer.model.{place}"), name)


def test_type_checkers_see_all_modules_that_export():
    tree = ast.parse(Path(model.__file__).read_text(encoding="utf-8"))
    seen = {
        node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and [alias.name for alias in node.names] == ["*"]
    }
    assert seen == {f"gossamer.model.{place}" for place in model._HOME.values()}
