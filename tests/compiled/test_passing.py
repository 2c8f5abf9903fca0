"""Lists of arrays as arguments of compiled functions: passed as one array where nobody can tell."""

from __future__ import annotations

import itertools
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("numba")

from s2sad import CompileError, grad, jvp, value_and_grad, vjp
from s2sad.analysis.effects import only_computes
from s2sad.analysis.sharing import shared_operands
from s2sad.compiled.crossing import as_columns
from s2sad.compiled.viewing import ARRAYS
from s2sad.ir.kinds import Array, List
from s2sad.ir.nodes import Const, Op, Var
from tests.compiled.corpus import Outcome, difference

rng = np.random.default_rng(7)
Layer = namedtuple("Layer", "weights biases")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def same(found: Any, expected: Any) -> None:
    """Both are alike in structure, dtypes and numbers."""
    assert difference(found, expected) == Outcome("agreed")


def layers(dtype: Any = np.float64, order: Any = "C") -> list[Any]:
    sizes = (3, 4, 4, 2)
    pairs = itertools.pairwise(sizes)
    return [(rng.normal(size=(n, m)).astype(dtype, order=order), rng.normal(size=m).astype(dtype)) for n, m in pairs]


def network(params: Any, x: Any) -> Any:
    for W, b in params[:-1]:
        x = np.tanh(x @ W + b)
    W, b = params[-1]
    return np.sum((x @ W + b) ** 2)


def products(matrices: Any, x: Any) -> Any:
    for A in matrices:
        x = np.cos(A @ x)
    return np.sum(x) + matrices[0][0, 0] * len(matrices)


def of_nothing(xs: Any, a: Any) -> Any:
    y = np.sum(a)
    for x in xs:
        y += np.sum(x) * 2.0
    return y


def cubes(xs: Any) -> Any:
    y = 0.0
    for x, w in xs:
        y += w * np.sum(x * x[0])
    return y


def parts(xss: Any) -> Any:
    y = 0.0
    for xs in xss:
        for x in xs:
            y += np.sum(x**3) / len(xs)
    return y


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (network, (layers(), np.ones((5, 3)))),
    (network, (layers(order="F"), np.ones((5, 3)))),
    (network, (layers(np.float32), np.ones((5, 3), np.float32))),
    (network, ([Layer(*pair) for pair in layers()], np.ones((5, 3)))),
    (products, ([rng.normal(size=(3, 3))[::-1] for _ in range(4)], np.ones(3))),
    (products, ([np.eye(3)] * 2, np.ones(3))),
    (of_nothing, ([np.empty(0), np.ones(2), np.empty(0)], np.ones(3))),
    (of_nothing, ([np.empty((0, 3)), np.ones((2, 1))], np.ones(3))),
    (cubes, ([(rng.normal(size=(2, 3, n)), 0.5 * n) for n in (1, 4)],)),
    (cubes, ([(rng.normal(size=(2, 3, 2, n)), 0.5 * n) for n in (1, 4)],)),
    (parts, ([[np.ones(2), np.arange(3.0)], [np.arange(4.0)]],)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_as_in_python(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    same(value_and_grad(f, backend="numba")(*args), value_and_grad(f)(*args))
    (y, pullback), (z, other) = vjp(f, *args, backend="numba"), vjp(f, *args)
    ct = np.float32(1.5) if isinstance(z, np.float32) else 1.5
    same((y, pullback(ct), pullback(ct)), (z, other(ct), other(ct)))


def test_numba_is_not_asked_for_the_type_of_each_array() -> None:
    g = grad(network, backend="numba")
    assert '_as_columns(params, (("float64", 2), ("float64", 1)))' in g.source_for(layers(), np.ones((5, 3)))


def changed(xs: Any) -> Any:
    for x in xs:
        x[0] *= 2.0
    return np.sum(xs[0] * xs[-1])


def the_same(xs: Any, x: Any) -> Any:
    y = 0.0
    for a in xs:
        y += np.sum(x * a) * (2.0 if a is xs[0] else 1.0)
    return y


def test_arrays_that_are_changed_are_passed_themselves() -> None:
    def run(backend: str) -> Any:
        xs = [np.arange(1.0, 4.0), np.arange(2.0, 5.0)]
        found = value_and_grad(changed, backend=backend)(xs)
        return found, xs

    same(run("numba"), run("python"))


def test_which_array_it_is_may_be_asked() -> None:
    x = np.arange(3.0)
    try:
        found = grad(the_same, wrt=1, backend="numba")([x, x + 1.0, x], np.ones(3))
    except Exception as error:
        assert type(error).__name__ == "CompileError"
    else:
        same(found, grad(the_same, wrt=1)([x, x + 1.0, x], np.ones(3)))


@pytest.mark.parametrize("rank", ARRAYS)
def test_arrays_in_one(rank: int) -> None:
    xs = [rng.normal(size=tuple(rng.integers(0, 4, rank))) for _ in range(5)]
    for given in (xs, []):
        flat, shapes = as_columns(given, ("float64", rank))
        assert flat.dtype == np.float64
        assert shapes.shape == (len(given), rank)
        found = ARRAYS[rank](flat, shapes)
        assert len(found) == len(given)
        assert all(map(np.array_equal, found, given))


def test_arrays_of_several_dtypes_are_not_made_one() -> None:
    def f(xs: Any, a: float) -> Any:
        y = 0.0
        for x in xs:
            y += a * np.sum(x * x)
        return y

    g = grad(f, wrt=1, backend="numba")
    refused = "a list of arrays of other dtypes|a list whose items are of several kinds"
    for other in (np.int64, np.float64):
        with pytest.raises((TypeError, CompileError), match=refused):
            g([np.ones(2, np.int8), np.ones(2, other)], 2.0)


def test_taking_arrays_out_of_one_is_known_to_do_nothing_else() -> None:
    for fn in ARRAYS.values():
        x = Var("x", Array("float64", 1))
        assert only_computes(fn)
        assert shared_operands(Op(Var("xs", List(x.kind)), fn, (x, Const(0)))) == (x,)


@dataclass
class NamedLayer:
    W: np.ndarray
    b: np.ndarray
    kind: str = "tanh"

    def __call__(self, x: Any) -> Any:
        z = x @ self.W + self.b
        return np.tanh(z) if self.kind == "tanh" else np.maximum(z, 0.1 * z)


def test_records_in_lists_may_hold_text() -> None:
    def loss(layers: Any, x: Any) -> Any:
        for layer in layers:
            x = layer(x)
        return np.sum(x**2) + 0.1 * sum(np.sum(layer.W**2) for layer in layers)

    rng = np.random.default_rng(3)
    layers = [NamedLayer(rng.normal(size=(3, 4)), np.ones(4)), NamedLayer(rng.normal(size=(4, 2)), np.ones(2), "leaky")]
    x = rng.normal(size=(2, 3))
    found, expected = grad(loss, backend="numba")(layers, x), grad(loss)(layers, x)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a.W, b.W, rtol=1e-12)
        np.testing.assert_allclose(a.b, b.b, rtol=1e-12)
        assert a.kind is b.kind is None


@dataclass
class Weighed:
    value: Any
    weight: float


class Pair(NamedTuple):
    first: Any
    second: Any


def one_of_constants(x: Any) -> Any:
    return Weighed(3.0, 1.0), {"pair": Pair(x, Weighed(x * x, 2.0)), "other": Pair(1.0, 2.0)}


def picked_by_its_place(x: Any) -> Any:
    held = [Pair(x, 1.0), Pair(2.0 * x, 2.0)]
    return held[int(x > 1.0)]


def a_list_that_grows(x: Any) -> Any:
    held = []
    for k in range(3):
        held.append(Weighed(Pair(x * k, x), 0.5))
    return held[1], x, held


@pytest.mark.parametrize("f", [one_of_constants, picked_by_its_place, a_list_that_grows])
def test_records_that_are_handed_out(f: Callable[..., Any]) -> None:
    found, expected = (jvp(f, (1.5,), (1.0,), backend=b) for b in ("numba", "python"))
    assert found == expected
    compiled, plain = (vjp(f, 1.5, backend=b)[0] for b in ("numba", "python"))
    assert compiled == plain


def picked_from_an_argument(cells: Any, x: Any) -> Any:
    return cells[int(x > 1.0)], x


@pytest.mark.parametrize("cls", [Weighed, Pair])
def test_records_of_classes_that_only_arguments_have(cls: Any) -> None:
    cells, moved = [cls(1.0, 2.0), cls(3.0, 4.0)], [cls(1.0, 0.0), cls(0.5, 1.0)]
    for x in (0.5, 1.5):
        found, expected = (
            jvp(picked_from_an_argument, (cells, x), (moved, 1.0), backend=b) for b in ("numba", "python")
        )
        assert found == expected
        assert type(found[0][0]) is cls
        assert vjp(picked_from_an_argument, cells, x, backend="numba")[0] == expected[0]


def lists_in_tuples(x: Any) -> Any:
    held = []
    for k in range(3):
        held.append((x * k, [x, x * x]))
    return held, x


def test_copies_of_lists_of_tuples() -> None:
    (found, compiled), (expected, plain) = (vjp(lists_in_tuples, 1.5, backend=b) for b in ("numba", "python"))
    assert found == expected
    assert compiled(expected) == pytest.approx(plain(expected))


def powers_by_number(x: float, n: int) -> Any:
    return {k: x**k for k in range(n)}, [x, {"two": {2: np.ones(2) * x}}]


def powers_from_a_table(x: float, n: int) -> Any:
    table = {k: x for k in range(n)}
    for k in range(n):
        table[k] = table[k] * table[0]
    return np.array([table[k] ** 2 for k in range(n)])


def test_dicts_come_back_as_dicts() -> None:
    found = jvp(powers_by_number, (1.5, 3), (1.0, None), backend="numba")
    assert type(found[0][0]) is dict and type(found[0][1][1]["two"]) is dict
    same(found, jvp(powers_by_number, (1.5, 3), (1.0, None)))


def test_dicts_that_a_pullback_reads() -> None:
    results = []
    for backend in ("python", "numba"):
        value, pullback = vjp(powers_from_a_table, 1.5, 3, backend=backend)
        results.append((value, pullback(np.ones(3))[0], pullback(np.arange(3.0))[0]))
    np.testing.assert_allclose(np.hstack(results[1]), np.hstack(results[0]), rtol=1e-13)
