"""Golden files: the text of derivatives to the byte, and that it is right where s2sad is absent.

That a file has not changed does not make it right, so each is also run, in an interpreter that
cannot import s2sad, and compared with central differences of the function it came from.
``python -m tests.golden`` writes the files anew.
"""

from __future__ import annotations

import ast
import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.golden.compile import FILES, source
from tests.golden.programs import CASES, Golden
from tests.programs.differences import directional, from_vector, identical, same_structure, select, to_vector

ROOT = Path(__file__).parents[2]

#: Runs one golden file on pickled arguments: from stdin to stdout, with s2sad nowhere to be had.
CHILD = """
import importlib.util, pickle, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "s2sad":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.dont_write_bytecode, sys.pycache_prefix = True, sys.argv[0]  # the source, not what was compiled from it once
sys.meta_path.insert(0, Absent())
sys.path.insert(0, sys.argv[1])
name, path, function, mode = sys.argv[2:]
spec = importlib.util.spec_from_file_location(name, path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
args, tangents, cotangent = pickle.load(sys.stdin.buffer)
match mode:
    case "jvp":
        result = getattr(module, function)(*args, *tangents)
    case "vjp":
        value, pullback = getattr(module, function)(*args)
        result = value, pullback(cotangent), pullback(cotangent)
    case _:
        result = getattr(module, function)(*args)
assert not any(name.partition(".")[0] == "s2sad" for name in sys.modules)
sys.stdout.buffer.write(pickle.dumps((result, args)))
"""


@pytest.mark.parametrize("name", CASES)
def test_the_text_is_what_it_was(name: str) -> None:
    path = FILES / f"{name}.py"
    assert path.is_file(), "write it with python -m tests.golden"
    assert source(name) == path.read_text(encoding="utf-8")


def test_there_are_no_other_files() -> None:
    assert {path.stem for path in FILES.glob("*.py")} == CASES.keys()


@pytest.mark.parametrize("name", CASES)
def test_it_is_right_where_s2sad_is_absent(name: str) -> None:
    golden, mode = CASES[name]
    value = golden.function(*copy.deepcopy(golden.args))
    moved = directions(golden)
    cotangent = from_vector(value, weights(to_vector(value).size))
    result, args = run(name, (golden.args, tuple(moved[k] for k in golden.wrt), cotangent))
    assert identical(args, golden.args), "arguments are left as they were"
    slopes = directional(golden.function, golden.args, to_vector(moved))
    match mode:
        case "jvp":
            assert same_structure(result[1], value)
            near(result[0], value)
            near(result[1], slopes)
        case "vjp":
            assert identical(result[1], result[2]), "a pullback can be called again"
            near(result[0], value)
            inner(golden, moved, result[1], to_vector(cotangent) @ slopes)
        case "value_and_grad":
            near(result[0], value)
            entries(golden, result[1])
        case "grad":
            entries(golden, result)


def directions(golden: Golden) -> tuple[Any, ...]:
    """A tangent for each argument, zero in those that are not differentiated by."""
    chosen = to_vector(select(golden.args, golden.wrt))
    moved = from_vector(golden.args, chosen * weights(chosen.size))
    return tuple(moved)


def weights(size: int) -> np.ndarray:
    """Fixed numbers that are all different, for directions and cotangents."""
    return np.cos(1.0 + np.arange(size)) + 0.1 if size > 1 else np.ones(size)


def run(name: str, given: Any) -> Any:
    """What the golden file gives in an interpreter of its own."""
    golden, mode = CASES[name]
    command = [sys.executable, "-I", "-c", CHILD, str(ROOT), name, str(FILES / f"{name}.py")]
    command += [f"{golden.function.__name__}_{mode}", mode]
    done = subprocess.run(command, input=pickle.dumps(given), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return pickle.loads(done.stdout)


def near(actual: Any, expected: Any) -> None:
    assert to_vector(actual) == pytest.approx(to_vector(expected), rel=1e-9, abs=1e-9)


def inner(golden: Golden, moved: tuple[Any, ...], cotangents: Any, expected: float) -> None:
    """The cotangents along the tangents give what the cotangent gives along the tangent of the value."""
    chosen = tuple(moved[k] for k in golden.wrt)
    assert same_structure(tuple(cotangents), tuple(golden.args[k] for k in golden.wrt))
    assert to_vector(cotangents) @ to_vector(chosen) == pytest.approx(expected, rel=1e-9)


def entries(golden: Golden, gradient: Any) -> None:
    """Each entry of the gradient is the slope along that entry."""
    parts = gradient if len(golden.wrt) > 1 else (gradient,)
    assert same_structure(tuple(parts), tuple(golden.args[k] for k in golden.wrt))
    chosen = np.flatnonzero(to_vector(select(golden.args, golden.wrt)))
    units = np.eye(to_vector(golden.args).size)[chosen]
    slopes = [float(directional(golden.function, golden.args, unit)[0]) for unit in units]
    assert to_vector(parts) == pytest.approx(np.array(slopes), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("name", CASES)
def test_it_imports_nothing_of_s2sad_and_parses_on_every_python(name: str) -> None:
    tree = ast.parse((FILES / f"{name}.py").read_text(encoding="utf-8"), feature_version=(3, 11))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= {"dataclasses", "math", "numpy", "tests.golden.programs"}
