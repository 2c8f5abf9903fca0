"""The layers: each part of the package imports only from those above it, and heavy libraries only when used."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "s2sad"

#: Parts of the package from the top down. Those in one row may import each other.
LAYERS = (
    {"errors", "names", "backends", "heap", "runtime"},
    {"ir"},
    {"rules"},
    {"frontend", "analysis"},
    {"transform", "optimise"},
    {"backend", "loops"},
    {"compiled"},
    {
        "pipeline",
        "apart",
        "targets",
        "structure",
        "guards",
        "watched",
        "inlining",
        "tangents",
        "dispatch",
        "sweeps",
        "jacobians",
    }
    | {
        "checks",
        "inside",
        "api",
        "cli",
        "draws",
        "printed",
        "use",
        "retrying",
        "lowerings",
        "natives",
        "remade",
        "flags",
    },
    {"__init__", "__main__"},
)
DEPTH = {part: depth for depth, row in enumerate(LAYERS) for part in row}

#: Libraries that load only when what needs them is asked for.
LAZY = ("black", "click", "scipy", "numba", "sklearn", "autograd", "torch", "pytest")

MODULES = sorted(PACKAGE.rglob("*.py"))


def part_of(module: str) -> str:
    """The part of the package a dotted name belongs to."""
    names = module.split(".")
    return names[1] if len(names) > 1 else "__init__"


def dotted(path: Path) -> str:
    names = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """What a file imports from the package, wherever in the file it does: line and module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=aliases):
                yield from ((node.lineno, a.name) for a in aliases if a.name.split(".")[0] == "s2sad")
            case ast.ImportFrom(level=level) if level:
                raise AssertionError(f"{path}:{node.lineno}: a relative import")
            case ast.ImportFrom(module=str(module), names=aliases) if module.split(".")[0] == "s2sad":
                for alias in aliases:
                    inner = f"{module}.{alias.name}"
                    yield node.lineno, inner if is_module(inner) else module


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_imports_point_up(path: Path) -> None:
    part = part_of(dotted(path))
    assert part in DEPTH, f"{part} has no layer: place it in LAYERS"
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {part} imports {module}, which is below it"
        for line, module in imports(path)
        if DEPTH[part_of(module)] > DEPTH[part]
    ]
    assert not wrong, "\n".join(wrong)


def test_the_command_is_imported_by_nobody() -> None:
    others = [path for path in MODULES if path.stem != "__main__"]
    assert not [path for path in others for _, module in imports(path) if part_of(module) == "cli"]


def run(text: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["s2sad", "s2sad.cli"])
def test_heavy_libraries_load_only_when_used(module: str) -> None:
    assert run(f"import sys, {module}; print(*(m for m in {LAZY} if m in sys.modules))") == ""


def test_derivatives_need_no_library_but_numpy() -> None:
    """With none of the others there, as after ``pip install s2sad``, which brings black and click too."""
    absent = [name for name in (*LAZY, "platformdirs") if name not in ("black", "click")]
    text = f"""
        import sys
        sys.modules.update(dict.fromkeys({absent}))
        import numpy as np, s2sad
        from examples.quickstart import f
        value, slopes = s2sad.value_and_grad(f, wrt=(0, 1))(2.0, 5.0)
        assert abs(slopes[0] - 5.5) < 1e-12
        from examples.gmm import log_posterior, make_problem
        s2sad.hvp(log_posterior)(*make_problem(4, 2, 3), np.ones(3))
        s2sad.jacobian(np.linalg.inv)(np.eye(2))
        """
    assert run(textwrap.dedent(text)) == ""


@pytest.mark.parametrize("backwards", [False, True])
def test_modules_import_in_any_order(backwards: bool) -> None:
    names = sorted((dotted(path) for path in MODULES if path.stem != "__main__"), reverse=backwards)
    assert run(f"import importlib\nfor name in {names}: importlib.import_module(name)") == ""


def tool(*command: str) -> None:
    pytest.importorskip(command[0])
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff() -> None:
    tool("ruff", "check", "--no-cache", "s2sad", "tests", "examples")


def test_black() -> None:
    tool("black", "--check", "--quiet", "s2sad", "tests", "examples")


def test_mypy(cache: pytest.Cache) -> None:
    tool("mypy", "--cache-dir", str(cache.mkdir("mypy")))  # files that have changed since are looked at again


def test_importing_the_package_loads_no_compiler() -> None:
    program = (
        "import sys, s2sad; print(sorted({'gast', 's2sad.frontend.lower', 's2sad.rules', 'numba'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_each_dependency_has_its_bound_in_the_architecture() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    asked = dict(item.split(">=") for item in (*project["dependencies"], *extras["scipy"], *extras["numba"]))
    rows = re.findall(r"^\| (\w+) \| ([\d.]+) \|", (ROOT / "docs/architecture.md").read_text(), re.MULTILINE)
    assert dict(rows) == asked
