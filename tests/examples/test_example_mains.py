"""Every example runs by itself, and imports s2sad only where it asks for a derivative."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import examples

FOLDER = Path(examples.__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", NAMES)
def test_main_prints_something(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "digits_net":
        pytest.importorskip("sklearn")
    if name == "rosenbrock":
        pytest.importorskip("scipy")
    importlib.import_module(f"examples.{name}").main()
    printed = capsys.readouterr().out
    assert printed.strip()
    assert "nan" not in printed


@pytest.mark.parametrize("name", NAMES)
def test_only_main_imports_s2sad(name: str) -> None:
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    importers = [
        owner.name if isinstance(owner, ast.FunctionDef) else "the module"
        for owner in tree.body
        for node in ast.walk(owner)
        if isinstance(node, (ast.ImportFrom, ast.Import)) and "s2sad" in ast.unparse(node)
    ]
    assert importers == ["main"]
