"""Structures of arguments: described, walked, converted and compared."""

from __future__ import annotations

import enum
import functools
import math
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from s2sad import structure, tangents
from s2sad.frontend.specs import Callee, Leaf, ListOf, Struct
from s2sad.ir.kinds import BOOL, BOTTOM, FLOAT, INT, NONE, STR, Array, Numeric, Other, Scalar
from s2sad.structure import describe
from s2sad.tangents import floated, like

Point = namedtuple("Point", "x y")


@dataclass
class Params:
    w: Any
    b: Any
    name: str = "layer"


@dataclass(frozen=True)
class Frozen:
    a: Any
    total: Any = field(init=False, default=0.0)


class Model:
    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    def loss(self, x: Any) -> Any:
        return x


class Layer(Model):
    def __call__(self, x: Any) -> Any:
        return x


class Colour(enum.Enum):
    RED = 1


MATRIX, VECTOR = Leaf(Array("float64", 2)), Leaf(Array("float64", 1))


# ---- describing leaves


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1.5, FLOAT),
        (3, INT),
        (True, BOOL),
        (2j, Scalar("complex")),
        (np.float32(1), Scalar("float32")),
        (np.float64(1), Scalar("float64")),
        (np.int64(1), Scalar("int64")),
        (np.zeros((2, 3)), Array("float64", 2)),
        (np.zeros((), np.float32), Array("float32", 0)),
        (np.arange(3), Array("int64", 1)),
        (np.zeros(3, bool), Array("bool", 1)),
        ("text", STR),
        (None, NONE),
        (slice(1, 2), Other(slice)),
        (range(3), Other(range)),
        (..., Other(type(...))),
        (Colour.RED, Other(Colour)),
        ({1, 2}, Other(set)),
        (np.ma.masked_array([1.0]), Other(np.ma.MaskedArray)),
    ],
)
def test_leaves(value: Any, kind: Any) -> None:
    assert describe(value) == Leaf(kind)


@pytest.mark.parametrize("function", [math.sin, np.sin, np.sum, len, float, Model, functools.partial(math.atan2, 1.0)])
def test_functions_are_described_by_identity(function: Any) -> None:
    assert describe(function) == Callee(function)
    assert describe(math) == Callee(math)


def test_methods_are_described_by_function_and_object() -> None:
    m = Model()
    assert describe(m.loss) == describe(m.loss) != describe(Model().loss)


def test_one_function_made_again_is_the_same() -> None:
    w = 2.0
    a, b = (lambda x: w * x for _ in range(2))
    assert a is not b
    assert describe(a) == describe(b)


def test_functions_with_other_cells_differ() -> None:
    a, b = ((lambda v: lambda x: v * x)(v) for v in (1.0, 2.0))
    assert describe(a) != describe(b)


def test_functions_with_defaults_are_themselves() -> None:
    a, b = (lambda x, w=w: w * x for w in (1.0, 2.0))
    assert describe(a) != describe(b)


# ---- describing containers


def test_tuples_name_positions() -> None:
    assert describe((1.0, np.ones(2))) == Struct(tuple, (0, 1), (Leaf(FLOAT), VECTOR))


def test_named_tuples_name_fields() -> None:
    assert describe(Point(1.0, 2)) == Struct(Point, ("x", "y"), (Leaf(FLOAT), Leaf(INT)))


def test_dicts_name_keys_in_order() -> None:
    assert describe({"b": 1.0, "a": np.ones((1, 1))}) == Struct(dict, ("b", "a"), (Leaf(FLOAT), MATRIX))
    assert describe({}) == Struct(dict, (), ())


def test_dicts_with_other_keys_share_one_spec() -> None:
    assert describe({1: 1.0, 2: 3}) == ListOf(Leaf(FLOAT), dict)


def test_dataclasses_name_fields() -> None:
    expected = Struct(Params, ("w", "b", "name"), (MATRIX, Leaf(FLOAT), Leaf(STR)))
    assert describe(Params(np.eye(2), 0.0)) == expected


def test_other_objects_name_attributes() -> None:
    inner = Model(rate=0.5)
    assert describe(Model(inner=inner, n=3)) == Struct(
        Model, ("inner", "n"), (Struct(Model, ("rate",), (Leaf(FLOAT),)), Leaf(INT))
    )


def test_a_callable_object_is_an_object() -> None:
    assert describe(Layer(w=1.0)) == Struct(Layer, ("w",), (Leaf(FLOAT),))


@pytest.mark.parametrize(
    ("value", "item"),
    [
        ([1.0, 2.0], Leaf(FLOAT)),
        ([1, 2.0], Leaf(FLOAT)),
        ([], Leaf(BOTTOM)),
        ([[1.0], [2.0, 3.0], []], ListOf(Leaf(FLOAT))),
        ([[], []], ListOf(Leaf(BOTTOM))),
        ([[1], [2.0, 3.0], []], ListOf(Leaf(FLOAT))),
        ([[[1.0], []], [[2.0]], []], ListOf(ListOf(Leaf(FLOAT)))),
        ([np.ones(2), np.ones(3)], VECTOR),
        ([np.ones(2), np.ones((2, 2))] * 10, Leaf(Array("float64", None))),
        ([1.0, np.ones(2)] * 10, Leaf(Numeric("float64", 1))),
        ([[1.0, np.ones(2)], [1.0]], ListOf(Leaf(Numeric("float64", 1)))),
        ([(1.0, 2), (3.0, 4.0)], Struct(tuple, (0, 1), (Leaf(FLOAT), Leaf(FLOAT)))),
        (["a", "b"], Leaf(STR)),
    ],
)
def test_lists_share_one_spec(value: Any, item: Any) -> None:
    assert describe(value) == ListOf(item)


@pytest.mark.parametrize("value", [[1, "a"], [1, (1,)], [(1,), (1, 2)], [None, 1]])
def test_lists_with_little_in_common_are_opaque(value: Any) -> None:
    assert describe(value) == Leaf(Other(list))


@pytest.mark.parametrize(
    "value", [[1.0, "a"], [1.0, (1.0,)], [(1.0,), (1.0, 2.0)], [None, np.ones(2)], [np.ones(2), np.ones((2, 2))]]
)
def test_few_items_of_several_kinds_are_described_one_by_one(value: Any) -> None:
    assert describe(value) == Struct(list, (0, 1), tuple(map(describe, value)))
    assert structure.has_floats(describe(value))


@pytest.mark.parametrize("value", [[1.0, "a"] * 10, {0: 1.0, 1: "a"}])
def test_what_holds_floats_among_others_may_carry_a_derivative(value: Any) -> None:
    assert describe(value) == Leaf(Other())
    assert structure.has_floats(describe(value))


def test_self_reference_ends() -> None:
    m = Model()
    m.me = m
    m.items = [m]
    xs: list[Any] = []
    xs.append(xs)
    assert describe(m) == Struct(Model, ("me", "items"), (Leaf(Other(Model)), ListOf(Leaf(Other(Model)))))
    assert describe(xs) == ListOf(Leaf(Other(list)))
    xs *= 10_000
    assert describe(xs) == ListOf(Leaf(Other(list)))


def test_deep_nesting_ends() -> None:
    deep: Any = 1.0
    for _ in range(5000):
        deep = (deep,)
    hash(describe(deep))


def test_specs_are_keys() -> None:
    values = [1.0, np.eye(2), (1.0, [2.0]), {"a": Point(1, 2)}, Params(1.0, 2.0), Model(f=math.sin)]
    assert len({describe(v) for v in values} | {describe(v) for v in values}) == len(values)


# ---- questions


@pytest.mark.parametrize("value", [1.0, np.float32(1), np.ones(2), [1.0], {"a": (1, 2.0)}, Params(1.0, None), 1j])
def test_values_with_floats(value: Any) -> None:
    assert structure.has_floats(describe(value))


@pytest.mark.parametrize("value", [1, "a", None, np.arange(3), (1, 2), [3], {"a": 1}, math.sin, Model(w=1.0)])
def test_values_without_floats(value: Any) -> None:
    assert not structure.has_floats(describe(value))


# ---- arguments to differentiate by


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2, 2.0),
        (np.int32(2), 2.0),
        ((1, "a", None), (1.0, "a", None)),
        (Point(1, 2.0), Point(1.0, 2.0)),
        ({"n": 3, "flag": True}, {"n": 3.0, "flag": True}),
        ([1, 2.0, [3]], [1.0, 2.0, [3.0]]),
        (Params(1, 2.0), Params(1.0, 2.0)),
        (OrderedDict(a=1), OrderedDict(a=1.0)),
    ],
)
def test_integers_count_as_floats(value: Any, expected: Any) -> None:
    converted = floated(value, "argument 'p'")
    assert repr(converted) == repr(expected)
    assert type(converted) is type(expected)


@pytest.mark.parametrize("value", [1.0, np.ones(2), [1.0, 2.0], {"a": [1.0]}, (np.float32(1), "a"), Frozen(2.0)])
def test_what_is_float_stays_the_same_object(value: Any) -> None:
    assert floated(value, "argument 'p'") is value


def test_frozen_dataclasses_are_rebuilt() -> None:
    converted = floated(Frozen(2), "argument 'p'")
    assert (type(converted), converted.a, converted.total) == (Frozen, 2.0, 0.0)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.arange(3), r"argument 'p' is an array of int64.*\.astype\(float\)"),
        (np.ones(2, bool), r"argument 'p' is an array of bool.*\.astype\(float\)"),
        ({"a": [1.0, np.arange(2)]}, r"argument 'p'\['a'\]\[1\] is an array of int64"),
        (Params(np.arange(2), 0.0), r"argument 'p'\.w is an array of int64"),
        (np.array([1.0, None]), r"array of objects"),
    ],
)
def test_leaves_that_need_a_decision_are_refused(value: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        floated(value, "argument 'p'")


# ---- tangents


@pytest.mark.parametrize(
    ("primal", "tangent", "expected"),
    [
        (1.0, 2, 2.0),
        (1.0, np.float64(2.0), 2.0),
        (1.0, np.array(2.0), 2.0),
        (np.float32(1), 2.0, np.float32(2)),
        (np.ones(2), np.zeros(2), np.zeros(2)),
        (np.array(1.0), 2.0, np.array(2.0)),
        ((1.0, "a"), (2, None), (2.0, None)),
        ({"a": 1.0, "b": 2.0}, {"b": 1, "a": 0}, {"a": 0.0, "b": 1.0}),
        (Point(1.0, 2.0), Point(0, 1), Point(0.0, 1.0)),
        (Params(1.0, 2.0), Params(0, 1, None), Params(0.0, 1.0, None)),
        ([1.0, 2], [2, None], [2.0, None]),
        (1j, 2.0, 2 + 0j),
        (np.complex64(1j), 1j, np.complex64(1j)),
        (np.ones(2, complex), np.zeros(2, complex), np.zeros(2, complex)),
        (np.array(1j), 2.0, np.array(2 + 0j)),
    ],
)
def test_tangents(primal: Any, tangent: Any, expected: Any) -> None:
    found = like(primal, tangent, "the tangent")
    assert repr(found) == repr(expected)


@pytest.mark.parametrize(
    ("primal", "tangent", "error", "message"),
    [
        (np.ones(2), np.ones(3), ValueError, r"the tangent has shape \(3,\), its primal \(2,\)"),
        (np.ones(2), 1.0, ValueError, "is a scalar"),
        (1.0, np.ones(2), ValueError, "its primal is a scalar"),
        (np.ones(2), np.ones(2, np.float32), TypeError, r"dtype float32, its primal float64.*astype\(float\)"),
        (np.ones(2, np.float32), np.ones(2), TypeError, r"astype\(np.float32\)"),
        (np.ones(2), np.ones(2, int), TypeError, "dtype int64"),
        (np.ones(2), [1.0, 1.0], TypeError, "must be an array like its primal, not a list"),
        (1.0, None, TypeError, "must be a float like its primal, not None"),
        (1.0, 1j, TypeError, "not a complex"),
        (np.ones(2), np.ones(2, complex), TypeError, "dtype complex128, its primal float64"),
        (np.ones(2, complex), np.ones(2), TypeError, r"astype\(complex\)"),
        (1j, None, TypeError, "must be a complex number like its primal, not None"),
        ((1.0, 2.0), [1.0, 2.0], TypeError, "must be a tuple like its primal, not a list"),
        ((1.0, 2.0), (1.0,), ValueError, "has 1 items, its primal 2"),
        ({"a": 1.0}, {"b": 1.0}, ValueError, r"has keys \['b'\], its primal \['a'\]"),
        ({"a": [1.0, np.ones(2)]}, {"a": [1.0, np.ones(1)]}, ValueError, r"the tangent\['a'\]\[1\] has shape"),
        ("a", 1.0, TypeError, "must be None"),
    ],
)
def test_tangents_unlike_their_primals(primal: Any, tangent: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        like(primal, tangent, "the tangent")


# ---- walking


def test_paths_and_replacement() -> None:
    value = {"a": [1.0, (2.0, "s")], "p": Params(3.0, 4.0)}
    paths = structure.paths(value)
    assert [p for p, _ in paths][:3] == [("a", 0), ("a", 1, 0), ("a", 1, 1)]
    changed = structure.replaced(value, ("p", "b"), 9.0)
    assert (changed["p"].b, value["p"].b, changed["a"]) == (9.0, 4.0, value["a"])


def test_units_span_a_leaf() -> None:
    assert list(tangents.units(2.0)) == [1.0]
    np.testing.assert_array_equal(np.array(list(tangents.units(np.ones((2, 2), np.float32)))).reshape(4, 4), np.eye(4))


# ---- memory


def test_results_are_detached_from_arguments() -> None:
    x = np.arange(6.0).reshape(2, 3)
    for result in (x, x[0], x.T, x.ravel()):
        found = structure.detached(result, (x,))
        np.testing.assert_array_equal(found, result)
        assert not np.shares_memory(found, x)


def test_results_are_detached_from_each_other() -> None:
    x = np.arange(3.0)
    found = structure.detached({"a": x, "b": [x[1:], x], "c": 1.0}, ())
    arrays = [found["a"], *found["b"]]
    assert not any(np.shares_memory(p, q) for i, p in enumerate(arrays) for q in arrays[:i])


def test_separate_results_are_not_copied() -> None:
    x, y = np.ones(3), np.ones(2)
    result = (x, y)
    assert structure.detached(result, (np.zeros(3), [np.zeros(1)], {"a": np.zeros(1)})) is result
