"""What deriving costs grows with the length of a program, whatever that is made of."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest

import s2sad
from tests.optimise.test_pipeline import calls_of

#: A statement or a few, as often as asked, and how often that is for the shorter program.
SCALARS = {
    "arithmetic": ("x = np.sin(x) * y + {k}.5", 150),
    "lists": ("v{k} = [x, y, {k}.0]; x = v{k}[0] * v{k}[2] + sum(v{k})", 30),
    "dicts": ("d{k} = {{'a': x, 'b': y}}; d{k}['a'] = d{k}['b'] * x; x = x + d{k}['a']", 30),
    "dicts at run time": ("x = x + d['y'] * x", 100),
    "branches": ("x = x * y if x > {k} else x + y", 60),
    "choices": ("x = max(x * y, x + y); y = min(x, y, 0.5)", 40),
    "calls": ("x = call(x, y) * 0.5", 60),
}
ARRAYS = {
    "arithmetic": ("x = np.sin(x) * y", 60),
    "parts of parts": ("v{k} = x[1:]; w{k} = v{k} * y[1:]; x = np.concatenate([x[:1], w{k}])", 8),
    "lengths of lengths": ("n = len(x); z = x[:n - 1] + y[1:n]; x = np.append(z, x[n - 1])", 8),
    "stores": ("x = x * 1.0; x[{k} % 3] = x[1] * y[2]; x += y", 20),
    "sums": ("x = x - x.mean() + np.sum(y * x)", 20),
    "tables": ("M{k} = x[:, None] * y[None, :] + x; x = M{k}.mean(axis=1)", 10),
}


#: Of loops for compiled code.
LOOPS = {
    "arithmetic": ("x = np.sin(x) * y", 25),
    "stores": ("x = x * 1.0; x[{k} % 3] = x[1] * y[2]; x += y", 12),
    "choices": ("x = np.where(x > {k}, x * y, x + y)", 15),
}
POINT = (np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6]), {"y": 0.5})


def program(statements: str, n: int, result: str) -> Callable[..., Any]:
    """A function of the statements, n times."""
    lines = [f"    {statements.format(k=k)}" for k in range(n)]
    head = ["def call(a, b):", "    return a * b + np.sin(a)", "", "def f(x, y, d):"]
    text = "\n".join((*head, *lines, f"    return {result}", ""))
    name = f"<growth {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def cost(statements: str, n: int, result: str, args: tuple[Any, ...], backend: Literal["python", "numba"]) -> int:
    """How many Python calls the text of a gradient takes."""
    f = program(statements, n, result)
    return calls_of(lambda: s2sad.grad(f, wrt=(0, 1), backend=backend).source_for(*args))


@pytest.mark.parametrize("name", SCALARS)
def test_numbers(name: str) -> None:
    compare(*SCALARS[name], "x", (0.3, 0.4, {"y": 0.5}))


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(name: str) -> None:
    compare(*ARRAYS[name], "np.sum(x)", POINT)


@pytest.mark.parametrize("name", ["arithmetic", "stores", "choices"])
def test_loops(name: str) -> None:
    pytest.importorskip("numba")
    compare(*LOOPS[name], "np.sum(x)", POINT, "numba")


def compare(
    statements: str, n: int, result: str, args: tuple[Any, ...], backend: Literal["python", "numba"] = "python"
) -> None:
    """Compare programs of one length and of three times that, after one whose rules and helpers are read."""
    cost(statements, 3, result, args, backend)
    short, long = (cost(statements, k, result, args, backend) for k in (n, 3 * n))
    assert long < 3 * 1.1 * short
