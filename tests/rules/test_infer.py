"""Kinds of results: never wrong over every sample, and as exact as they should be for common calls."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest
from rules.samples import SAMPLES, Call

import s2sad.rules  # noqa: F401
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Const, Ref, Var
from s2sad.rules.aliasing import alias_of
from s2sad.rules.infer import result_kind, value_kind


def covers(kind: K.Kind, actual: K.Kind) -> bool:
    """Whether a value of kind ``actual`` is one of those ``kind`` stands for."""

    def dtypes(d: str, e: str) -> bool:
        weak = {"float": "float64", "int": "int64"}
        return d in (e, "any") or weak.get(d, d) == weak.get(e, e)

    match kind, actual:
        case K.Other(None), _:
            return True
        case K.Scalar(d), K.Scalar(e):
            return dtypes(d, e)
        case K.Array(d, r), K.Array(e, q):
            return dtypes(d, e) and r in (None, q)
        case K.Numeric(d), (K.Scalar(e) | K.Array(e)):
            return dtypes(d, e)
        case K.Tuple(xs), K.Tuple(ys):
            return len(xs) == len(ys) and all(map(covers, xs, ys))
        case K.List(x), K.List(y):
            return isinstance(y, K.Bottom) or covers(x, y)
        case K.Other(t), K.Other(u):
            return t is u
        case K.Other(t), K.Tuple():
            return t is tuple
    return False


def as_var(x: Any) -> Any:
    return Ref(("t",), None, x, K.Other(type)) if isinstance(x, type) else Var("x", value_kind(x))


def as_atom(x: Any) -> Any:
    return Const(x) if isinstance(x, int | float | str | type(None)) and not hasattr(x, "dtype") else as_var(x)


ALL = [
    pytest.param(fn, sample, id=f"{getattr(fn, '__name__', fn)}-{k}")
    for fn, samples in SAMPLES.items()
    for k, sample in enumerate(samples)
]


@pytest.mark.parametrize(("fn", "sample"), ALL)
@pytest.mark.parametrize("atom", [as_atom, as_var])
@pytest.mark.filterwarnings("ignore")
def test_kind_covers_result(fn: Any, sample: Call, atom: Any) -> None:
    actual = value_kind(fn(*sample.args, **sample.kwargs))
    args = tuple(map(atom, sample.args))
    kind = result_kind(fn, args, tuple((n, atom(a)) for n, a in sample.kwargs.items()))
    assert covers(kind, actual), f"{kind} for a value of kind {actual}"
    with_dict = result_kind(fn, args, {n: atom(a) for n, a in sample.kwargs.items()})
    assert with_dict == kind


@pytest.mark.parametrize(("fn", "sample"), ALL)
@pytest.mark.filterwarnings("ignore")
def test_fresh_results_share_no_memory(fn: Any, sample: Call) -> None:
    args = tuple(map(as_atom, sample.args))
    sharing, position = alias_of(fn, args, tuple((n, as_atom(a)) for n, a in sample.kwargs.items()))
    result = fn(*sample.args, **sample.kwargs)
    arrays = [a for a in sample.args if isinstance(a, np.ndarray)]
    results = [r for r in (result if isinstance(result, list | tuple) else [result]) if isinstance(r, np.ndarray)]
    shared = any(np.shares_memory(a, r) for a in arrays for r in results)
    if sharing == "fresh":
        assert not shared
    elif sharing == "view" and results and results[0].size and isinstance(sample.args[0], np.ndarray):
        assert shared
        assert position == 0


F = Var("x", K.FLOAT)
V1, M1, M2 = (Var("x", K.Array("float64", r, s)) for r, s in ((1, 7), (2, 8), (2, 8)))
M3 = Var("x", K.Array("float64", 2, 9))
S32 = Var("x", K.Array("float32", 2))
N, I1 = Var("n", K.INT), Var("i", K.Array("int64", 1))
NUM = Var("x", K.NUMERIC)


def tup(*kinds: K.Kind) -> Var:
    return Var("t", K.Tuple(kinds))


@pytest.mark.parametrize(
    ("fn", "args", "want"),
    [
        (operator.mul, (F, F), K.FLOAT),
        (operator.truediv, (N, N), K.FLOAT),
        (operator.add, (N, Const(1)), K.INT),
        (operator.pow, (N, Const(2)), K.INT),
        (operator.pow, (N, Const(-1)), K.FLOAT),
        (operator.pow, (N, N), K.Scalar("any")),
        (operator.add, (M1, M2), K.Array("float64", 2, 8)),
        (operator.add, (M1, F), K.Array("float64", 2, 8)),
        (operator.add, (M1, M3), K.Array("float64", 2)),
        (operator.add, (M1, V1), K.Array("float64", 2)),
        (operator.mul, (S32, F), K.Array("float32", 2)),
        (operator.mul, (S32, M1), K.Array("float64", 2)),
        (operator.mul, (NUM, F), K.NUMERIC),
        (operator.mul, (NUM, M1), K.Array("any", None)),
        (operator.lt, (F, N), K.BOOL),
        (operator.lt, (M1, F), K.Array("bool", 2, 8)),
        (operator.matmul, (M1, V1), K.Array("float64", 1)),
        (operator.matmul, (V1, V1), K.Scalar("float64")),
        (np.copy, (M1, Const("F")), K.Array("float64", 2, 8)),
        (np.sin, (M1,), K.Array("float64", 2, 8)),
        (np.sin, (F,), K.Scalar("float64")),
        (np.sin, (I1,), K.Array("float64", 1)),
        (np.sin, (NUM,), K.NUMERIC),
        (math.sin, (NUM,), K.FLOAT),
        (math.floor, (F,), K.INT),
        (np.sum, (M1,), K.Scalar("float64")),
        (np.sum, (M1, Const(0)), K.Array("float64", 1)),
        (np.sum, (M1, N), K.Array("float64", 1)),
        (np.sum, (NUM,), K.Scalar("any")),
        (np.shape, (M1,), K.Tuple((K.INT, K.INT))),
        (np.zeros, (N,), K.Array("float64", 1)),
        (np.zeros, (tup(K.INT, K.INT),), K.Array("float64", 2)),
        (np.zeros_like, (M1,), K.Array("float64", 2, 8)),
        (np.arange, (N,), K.Array("int64", 1)),
        (np.arange, (F,), K.Array("float64", 1)),
        (np.array, (Var("x", K.List(K.FLOAT)),), K.Array("float64", 1)),
        (np.reshape, (M1, Const(-1)), K.Array("float64", 1)),
        (np.transpose, (M1,), K.Array("float64", 2)),
        (np.where, (M1, F, F), K.Array("float64", 2, 8)),
        (np.outer, (V1, V1), K.Array("float64", 2)),
        (np.linalg.solve, (M1, V1), K.Array("float64", 1)),
        (len, (V1,), K.INT),
        (operator.getitem, (V1, N), K.Scalar("float64")),
        (operator.getitem, (M1, N), K.Array("float64", 1)),
        (operator.getitem, (M1, tup(K.INT, K.SLICE)), K.Array("float64", 1)),
        (operator.getitem, (M1, tup(K.INT, K.INT)), K.Scalar("float64")),
        (operator.getitem, (M1, tup(K.Other(type(...)), K.NONE)), K.Array("float64", 3)),
        (operator.getitem, (M1, I1), K.Array("float64", 2)),
        (operator.getitem, (M1, Var("m", K.Array("bool", 2))), K.Array("float64", 1)),
        (operator.getitem, (M1, tup(K.SLICE, K.Array("int64", 1))), K.Array("float64", 2)),
        (operator.getitem, (Var("x", K.Array("float64", None)), N), K.Numeric("float64")),
        (operator.getitem, (Var("x", K.List(K.FLOAT)), N), K.FLOAT),
        (operator.getitem, (tup(K.INT, K.FLOAT), Const(1)), K.FLOAT),
        (prims.make_tuple, (F, N), K.Tuple((K.FLOAT, K.INT))),
        (prims.make_list, (F, N), K.List(K.FLOAT)),
        (sorted, (Var("x", K.List(K.FLOAT)),), K.List(K.FLOAT)),
        (max, (F, N), K.FLOAT),
        (np.random.default_rng(0).normal, (), K.FLOAT),
        (np.random.default_rng(0).normal, (Var("x", K.Array("float64", 1)),), K.Numeric("float64")),
        (np.random.default_rng(0).random, (Const((2, 3)),), K.Array("float64", 2)),
        (np.random.default_rng(0).integers, (Const(9),), K.Scalar("int64")),
        (np.random.default_rng(0).integers, (Const(0), Const(9), Const(4)), K.Array("int64", 1)),
        (np.random.rand, (Const(2),), K.Numeric("float64")),
        (np.random.default_rng, (Const(3),), K.Other(np.random.Generator)),
        (lambda x: x, (F,), K.ANY),
    ],
)
def test_kinds(fn: Any, args: Any, want: K.Kind) -> None:
    assert result_kind(fn, args) == want


@pytest.mark.parametrize(
    ("fn", "args", "want"),
    [
        (operator.getitem, (V1, N), ("fresh", None)),
        (operator.getitem, (M1, N), ("view", 0)),
        (operator.getitem, (M1, I1), ("fresh", None)),
        (operator.getitem, (M1, tup(K.SLICE, K.INT)), ("view", 0)),
        (operator.getitem, (M1, tup(K.SLICE, K.Array("int64", 1))), ("fresh", None)),
        (operator.getitem, (Var("x", K.List(K.FLOAT)), N), ("fresh", None)),
        (operator.getitem, (Var("x", K.List(K.Array("float64", 1))), N), ("view", 0)),
        (operator.mul, (M1, M1), ("fresh", None)),
        (np.transpose, (M1,), ("view", 0)),
        (np.reshape, (M1, Const(-1)), ("maybe", 0)),
        (np.copy, (M1,), ("fresh", None)),
        (lambda x: x, (M1,), ("maybe", None)),
    ],
)
def test_sharing(fn: Any, args: Any, want: Any) -> None:
    assert alias_of(fn, args) == want
