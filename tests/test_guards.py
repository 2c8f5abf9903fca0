"""What a derivative relies on outside its function may change between calls: the next call sees it."""

from __future__ import annotations

import functools
import math
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy import sin

from s2sad import NotDifferentiable, UnsupportedSyntax, grad, guards, jvp, vjp

X = np.array([1.0, 2.0, 3.0])


class Square:
    rate = 2.0

    def value(self, x):
        return self.rate * np.sum(x**2)

    @property
    def offset(self):
        return 3.0

    @staticmethod
    def shape(x):
        return np.sum(x**2)

    @classmethod
    def scaled(cls, x):
        return cls.rate * np.sum(x)


class Cube:
    rate = 5.0

    def value(self, x):
        return self.rate * np.sum(x**3)


class Slotted:
    __slots__ = ("rate",)

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def __call__(self, x):
        return self.rate * np.sum(x**2)


def power(exponent, x):
    return np.sum(x**exponent)


def other_power(exponent, x):
    return 3.0 * np.sum(x**exponent)


#: Fields that programs read, put back before each test.
FIELDS: dict[str, Callable[[], Any]] = {
    "model": Square,
    "slotted": lambda: Slotted(2.0),
    "method": lambda: Square().value,
    "activation": lambda: np.sin,
    "functions": lambda: [np.sin, np.cos],
    "table": lambda: {"f": np.sin, "rate": 2.0},
    "pair": lambda: (np.sin, 2.0),
    "partial": lambda: functools.partial(power, 2.0),
    "flag": lambda: "square",
    "missing": lambda: None,
    "part": lambda: slice(0, 2),
    "axis": lambda: 0,
    "module": lambda: np,
    "namespace": lambda: types.SimpleNamespace(f=np.sin, rate=2.0),
    "nested": lambda: ((1, 2), (3.0, (4.0, np.ones(3)))),
    "mixed": lambda: [np.sin, 2.0, Square(), np.ones(3)],
    "models": lambda: [Square(), Cube()],
    "named": lambda: {"model": Square(), "rate": 0.5},
    "waves": lambda: [2.0, 3j, {"wave": 1j}],
    "tensor": lambda: np.array([1.0, 2.0, 3.0]),
}
HOLDER = types.SimpleNamespace()


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    vars(HOLDER).update({name: make() for name, make in FIELDS.items()})
    kept = dict(vars(Square))
    yield
    for name in ("rate", "value", "offset", "shape", "scaled"):
        setattr(Square, name, kept[name])


def calls_method(x):
    return HOLDER.model.value(x)


def calls_object(x):
    return HOLDER.slotted(x)


def calls_bound_method(x):
    return HOLDER.method(x)


def calls_library_function(x):
    return np.sum(HOLDER.activation(x))


def calls_functions_in_list(x):
    return np.sum(HOLDER.functions[0](x))


def calls_function_in_dict(x):
    return np.sum(HOLDER.table["f"](x)) * HOLDER.table["rate"]


def calls_function_in_tuple(x):
    return np.sum(HOLDER.pair[0](x)) * HOLDER.pair[1]


def calls_partial(x):
    return HOLDER.partial(x)


def by_a_flag(x):
    return np.sum(x**2) if HOLDER.flag == "square" else np.sum(x**3)


def where_there_is_none(x):
    return np.sum(x**2) if HOLDER.missing is None else np.sum(x**3) * HOLDER.missing


def takes_a_part(x):
    return np.sum(x[HOLDER.part] ** 2)


def along_an_axis(x):
    return np.sum(np.sum(np.outer(x, x**2), axis=HOLDER.axis) ** 2)


def through_a_module(x):
    return np.sum(HOLDER.module.tanh(x))


def through_a_namespace(x):
    return np.sum(HOLDER.namespace.f(x)) * HOLDER.namespace.rate


def all_of_a_class(x):
    model = HOLDER.model
    return model.shape(x) * model.offset + model.scaled(x) * model.rate


def takes_nested_tuples_apart(x):
    (first, second), (scale, (shift, weights)) = HOLDER.nested
    return np.sum(x * weights) * scale * shift + x[first] * second


def reads_a_mixed_list(x):
    mixed = HOLDER.mixed
    return np.sum(mixed[0](x) * mixed[3]) * mixed[1] + mixed[2].value(x) * len(mixed)


def calls_objects_in_a_list(x):
    return sum(model.value(x) for model in HOLDER.models)


def calls_an_object_in_a_dict(x):
    return HOLDER.named["model"].value(x) * HOLDER.named["rate"]


def reads_complex_numbers(x):
    waves = HOLDER.waves
    return np.sum(np.abs(x * waves[1]) ** 2) * waves[0] + np.sum(np.abs(x * waves[2]["wave"]) ** 2)


def reads_data(x):
    return np.sum(HOLDER.tensor * x * x)


def assign(**fields: Any) -> Callable[[], None]:
    return lambda: vars(HOLDER).update(fields)


CHANGES = {
    calls_method: [
        assign(model=Cube()),
        lambda: setattr(HOLDER.model, "rate", 7.0),
        lambda: setattr(HOLDER.model, "value", lambda x: np.sum(x**5)),
        assign(model=Square()),
        lambda: setattr(Square, "rate", 4.0),
        lambda: setattr(Square, "value", lambda self, x: np.sum(x**4)),
    ],
    calls_object: [lambda: setattr(HOLDER.slotted, "rate", 3.0), assign(slotted=Cube().value)],
    calls_bound_method: [assign(method=Cube().value), assign(method=Slotted(9.0)), assign(method=Square().value)],
    calls_library_function: [assign(activation=np.cos), assign(activation=lambda x: x**3)],
    calls_functions_in_list: [
        lambda: HOLDER.functions.__setitem__(0, np.tanh),
        lambda: HOLDER.functions.__setitem__(0, lambda x: x**3),
    ],
    calls_function_in_dict: [lambda: HOLDER.table.update(f=np.tanh), lambda: HOLDER.table.update(rate=3)],
    calls_function_in_tuple: [assign(pair=(np.tanh, 2.0)), assign(pair=(lambda x: x**2, 3.0))],
    calls_partial: [assign(partial=functools.partial(power, 3.0)), assign(partial=functools.partial(other_power, 3.0))],
    by_a_flag: [assign(flag="cube"), assign(flag=None), assign(flag="square")],
    where_there_is_none: [assign(missing=2.0), assign(missing=None), assign(missing=3)],
    takes_a_part: [assign(part=slice(1, 3)), assign(part=1), assign(part=np.array([0, 0, 1]))],
    along_an_axis: [assign(axis=1), assign(axis=None), assign(axis=(0, 1))],
    through_a_module: [assign(module=types.SimpleNamespace(tanh=np.sin))],
    through_a_namespace: [
        lambda: setattr(HOLDER.namespace, "f", np.tanh),
        assign(namespace=types.SimpleNamespace(f=np.exp, rate=1.0)),
    ],
    all_of_a_class: [
        lambda: setattr(Square, "shape", staticmethod(lambda x: np.sum(x**3))),
        lambda: setattr(Square, "offset", property(lambda self: 8.0)),
        lambda: setattr(Square, "offset", 11.0),
        lambda: setattr(Square, "scaled", classmethod(lambda cls, x: np.sum(x**2))),
        lambda: setattr(Square, "rate", np.float64(3.0)),
    ],
    takes_nested_tuples_apart: [
        assign(nested=((2, 2), (3.0, (5.0, np.full(3, 2.0))))),
        assign(nested=((0, 3), (3.0, (5.0, 2.0)))),
    ],
    reads_a_mixed_list: [
        lambda: HOLDER.mixed.__setitem__(1, 5.0),
        lambda: HOLDER.mixed.__setitem__(2, Cube()),
        lambda: HOLDER.mixed.__setitem__(0, np.cos),
        lambda: HOLDER.mixed.__setitem__(3, np.full(3, 4.0)),
        lambda: HOLDER.mixed.append(5.0),
    ],
    calls_objects_in_a_list: [
        lambda: setattr(HOLDER.models[0], "rate", 9.0),
        lambda: HOLDER.models.__setitem__(0, Square()),
        lambda: HOLDER.models.append(Cube()),
    ],
    calls_an_object_in_a_dict: [
        lambda: HOLDER.named.update(model=Cube()),
        lambda: HOLDER.named.update(rate=3),
        lambda: setattr(HOLDER.named["model"], "rate", 0.3),
    ],
    reads_complex_numbers: [
        lambda: HOLDER.waves.__setitem__(1, 1.0 - 2j),
        lambda: HOLDER.waves.__setitem__(0, 0.5),
        lambda: HOLDER.waves.__setitem__(1, 3.0),
        lambda: HOLDER.waves[2].update(wave=4j),
        lambda: HOLDER.waves.__setitem__(0, np.float64(2.5)),
    ],
    reads_data: [assign(tensor=2.0), assign(tensor=[3.0, 2.0, 1.0]), assign(tensor=np.ones((2, 3)))],
}


def differences(f: Callable[[np.ndarray], Any]) -> np.ndarray:
    steps = 1e-6 * np.eye(3)
    return np.array([(f(X + h) - f(X - h)) / 2e-6 for h in steps])


@pytest.mark.parametrize("f", CHANGES, ids=lambda f: f.__name__)
def test_changes_are_seen(f: Callable[[np.ndarray], Any]) -> None:
    derivative = grad(f)
    np.testing.assert_allclose(derivative(X), differences(f), rtol=1e-6)
    for change in CHANGES[f]:
        change()
        np.testing.assert_allclose(derivative(X), differences(f), rtol=1e-6)


@pytest.mark.parametrize("f", [calls_method, calls_library_function, where_there_is_none], ids=lambda f: f.__name__)
def test_changes_are_seen_in_compiled_code(f: Callable[[np.ndarray], Any]) -> None:
    derivative = grad(f, backend="numba")
    for change in CHANGES[f][:2]:
        np.testing.assert_allclose(derivative(X), differences(f), rtol=1e-6)
        change()
    np.testing.assert_allclose(derivative(X), differences(f), rtol=1e-6)


@pytest.mark.parametrize("f", CHANGES, ids=lambda f: f.__name__)
def test_nothing_is_compiled_twice(f: Callable[[np.ndarray], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    derivative = grad(f)
    derivative(X)

    def refused(*args: Any) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr("s2sad.pipeline.compile_variant", refused)
    derivative(X)
    derivative(2.0 * X)


def stores_a_field(x):
    HOLDER.model.rate = x[0]
    return HOLDER.other.rate * x[1]


def test_names_that_come_to_be_one_object() -> None:
    HOLDER.other = Cube()
    derivative = grad(stores_a_field)
    np.testing.assert_allclose(derivative(X), [0.0, 5.0, 0.0])
    HOLDER.other = HOLDER.model
    with pytest.raises(UnsupportedSyntax, match="goes by two names"):
        derivative(X)


def largest(x):
    return max(x[0], x[1])  # which may come to be another function of this module


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_a_global_that_comes_to_hide_a_builtin(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    derivative = grad(largest, backend=backend)
    assert derivative(X).tolist() == [0.0, 1.0, 0.0]
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "max", lambda a, b: a * b)
        assert derivative(X).tolist() == [2.0, 1.0, 0.0]
    assert derivative(X).tolist() == [0.0, 1.0, 0.0]


def test_an_imported_name_that_is_bound_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        return np.sum(sin(x))

    derivative = grad(f)
    assert derivative(X).tolist() == np.cos(X).tolist()
    monkeypatch.setitem(globals(), "sin", np.exp)
    assert derivative(X).tolist() == np.exp(X).tolist()


# ---- arguments that entries tell apart


def of_rows(rows):
    return sum([x * x for row in rows for x in row])


def of_layers(layers):
    return sum([w * w for weights, biases in layers for row in weights for w in row]) + layers[0][1][0]


def of_arrays(arrays):
    return sum([np.sum(a * a) for a in arrays])


def of_nested(pairs):
    return sum([a.sum() * number for group in pairs for a, number in group])


LISTS: dict[Callable[..., Any], tuple[Any, list[Any]]] = {  # what is told apart, and what is not the same
    of_rows: ([[1.0, 2.0], [], [3.0]], [[[1, 2]], [[np.float64(1.0)]], [[1.0], [True]], ((1.0, 2.0), (3.0,))]),
    of_layers: ([([[1.0], [2.0]], [3.0])], [[([[1.0], [2]], [3.0])], [[[[1.0]], [3.0]]], [([[1.0]], (3.0,))]]),
    of_arrays: ([np.ones(2), np.ones(3)], [[np.ones(2), np.ones((2, 2))], [np.ones(2, np.float32)], [1.0, np.ones(2)]]),
    of_nested: (
        [[(np.ones(2), 3.0)], [(np.ones(1), 1.0)]],
        [[[(np.ones(2), 3)]], [[(np.ones((1, 1)), 3.0)]], [[(np.ones(2), 3.0), (1.0 * np.ones(2), 2)]]],
    ),
}


def outcome(derivative: Callable[..., Any], argument: Any) -> str:
    try:
        return str(derivative(argument))
    except (TypeError, NotDifferentiable) as error:
        return str(error)


@pytest.mark.parametrize("f", LISTS, ids=lambda f: f.__name__)
def test_lists_are_told_apart_by_the_entry(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    known, others = LISTS[f]
    derivative = grad(f)
    expected = derivative(known)
    with monkeypatch.context() as patch:
        patch.setattr("s2sad.dispatch.Variants.get", None)  # of which the dispatcher asks
        assert str(derivative(known)) == str(expected)
        assert {outcome(derivative, other) for other in others} == {"'NoneType' object is not callable"}
    assert [outcome(derivative, other) for other in others] == [outcome(grad(f), other) for other in others]
    assert str(derivative(known)) == str(expected)


POWERS = {"weights": [0.5, 0.25, 2.0] * 8, "powers": [0.5, 1, 3] * 8, "names": ["a", None]}


def of_mixed_numbers(x):
    return sum([w * x**p for w, p in zip(POWERS["weights"], POWERS["powers"])])


def test_mixed_numbers_outside_are_told_apart_by_the_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    derivative = grad(of_mixed_numbers)
    expected = derivative(1.5)
    with monkeypatch.context() as patch:
        patch.setattr("s2sad.dispatch.Variants.get", None)
        assert derivative(1.5) == expected
        POWERS["powers"][1] = 2.5
        assert derivative(1.5) != expected
        POWERS["powers"][1] = "1"
        assert outcome(derivative, 1.5) == "'NoneType' object is not callable"
    POWERS["powers"][1] = 1
    assert derivative(1.5) == expected


def by_version(x):
    return x**2 if (3, 8) <= sys.version_info < (3, 10) else x**3


def test_tuples_of_a_class_of_their_own_are_told_apart_by_the_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    derivative = grad(by_version)
    expected = derivative(1.5)
    monkeypatch.setattr("s2sad.dispatch.Variants.get", None)
    assert derivative(1.5) == expected


def raised(x, n, inverse):
    return 1.0 / x**n if inverse else x**n


def test_compiled_variants_of_numbers_take_what_they_are_for() -> None:
    pytest.importorskip("numba")
    derivative, expected = grad(raised, backend="numba"), grad(raised)
    calls = [(2.0, 3, False), (2.0, 3, True), (3, 2, False), (np.float64(2.0), 3, True), (2.0, np.int64(3), False)]
    for call in [*calls, *calls]:
        assert derivative(*call) == pytest.approx(expected(*call), rel=1e-14)
    with pytest.raises(OverflowError):
        derivative(2.0, 10**30, False)
    assert guards._machine_code(derivative._cases[0]) is not None


# ---------------------------------------------------------------- functions that are written anew


class Squares:
    """A method and a property."""

    factor = 3.0

    def of(self, x: float) -> float:
        return changing(x) * self.twice

    @property
    def twice(self) -> float:
        return 2.0 * self.factor


def changing(x: float) -> float:
    return x * x


def changed(x: float) -> float:
    return x * x * x


def changed_property(self: Squares) -> float:
    return 10.0


BY_NAME = {"square": changing}
SQUARES = Squares()


def of_a_call(x: float) -> float:
    return changing(x) * 3.0


def of_a_table(x: float) -> float:
    return BY_NAME["square"](x) * 3.0


def of_a_derivative(x: float) -> float:
    return grad(changing)(x) * 3.0


def of_an_argument(x: float, f: Any = changing) -> float:
    return f(x) * 3.0  # type: ignore[no-any-return]


def of_a_property(x: float) -> float:
    return SQUARES.of(x)


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize(
    ("f", "before", "after"),
    [
        (changing, 4.0, 12.0),
        (of_a_call, 12.0, 36.0),
        (of_a_table, 12.0, 36.0),
        (of_a_derivative, 6.0, 36.0),
        (of_an_argument, 12.0, 36.0),
        (of_a_property, 24.0, 120.0),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_functions_that_are_given_other_code(
    f: Any, before: float, after: float, backend: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As ``%autoreload`` does, in place, where a file has changed."""
    if backend == "numba":
        pytest.importorskip("numba")
        monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    derivative = grad(f, backend=backend)
    assert derivative(2.0) == before
    monkeypatch.setattr(changing, "__code__", changed.__code__)
    monkeypatch.setattr(Squares.twice.fget, "__code__", changed_property.__code__)
    assert derivative(2.0) == after
    assert grad(f, backend=backend)(2.0) == after


class Powers:
    """A method with defaults, which a partial, a wrapper and a derivative may take over or not."""

    def of(self, x: float, rate: float = 2.0, *, power: float = 3.0) -> float:
        return rate * x**power


def rated(x: float, rate: float = 2.0, *, power: float = 3.0) -> float:
    return rate * x**power


@functools.wraps(rated)
def passed_on(*args: Any, **kwargs: Any) -> float:
    return rated(*args, **kwargs)


def of_a_rate(x: float) -> float:
    return rated(x) * rated(1.0)


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize(
    ("make", "before", "after"),
    [
        (lambda **options: grad(rated, **options), 24.0, 20.0),
        (lambda **options: grad(Powers().of, **options), 24.0, 20.0),
        (lambda **options: grad(functools.partial(rated, rate=1.0), **options), 12.0, 4.0),
        (lambda **options: grad(functools.partial(rated, power=1.0), **options), 2.0, 5.0),
        (lambda **options: grad(passed_on, **options), 24.0, 20.0),
        (lambda **options: grad(grad(rated), **options), 24.0, 10.0),
        (lambda **options: grad(of_a_rate, **options), 48.0, 100.0),
        (lambda **options: lambda x: vjp(rated, x, **options)[1](1.0)[0], 24.0, 20.0),
    ],
    ids=["function", "method", "partial", "partial of another", "wrapper", "second", "called", "vjp"],
)
def test_functions_that_are_given_other_defaults(
    make: Any, before: float, after: float, backend: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A call that leaves an argument out means the default that there is by then; one that gives it means that."""
    if backend == "numba":
        pytest.importorskip("numba")
        monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    derivative = make(backend=backend)
    assert (derivative(2.0), derivative(2.0)) == (before, before)
    for f in (rated, Powers.of):
        monkeypatch.setattr(f, "__defaults__", (5.0,))
        monkeypatch.setattr(f, "__kwdefaults__", {"power": 2.0})
    assert (derivative(2.0), derivative(2.0)) == (after, after)


def test_a_default_that_is_given_is_not_the_one_that_there_is() -> None:
    def scaled(x: float, rate: Any = 2) -> float:
        return rate * x  # type: ignore[no-any-return]

    derivative = grad(scaled)
    assert derivative(1.0) == 2.0
    scaled.__defaults__ = (3,)
    assert (derivative(1.0), derivative(1.0, 2), derivative(1.0, rate=2)) == (3.0, 2.0, 2.0)


def to_a_power(x: float, *, power: float = 2) -> float:
    return x**power


CUBE = functools.partial(to_a_power, power=2)
CALLED = [CUBE, math.sin]


def with_defaults(x: float) -> float:
    return to_a_power(x)


def with_a_partial(x: float) -> float:
    return CUBE(x)


def with_a_partial_in_a_list(x: float) -> float:
    return CALLED[0](x)


def with_the_rest(x: float, **rest: float) -> float:
    return x ** rest["power"]


def applied(f: Any, x: float) -> float:
    return f(x)  # type: ignore[no-any-return]


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize(
    ("make", "changed"),
    [
        (lambda **o: grad(to_a_power, **o), to_a_power.__kwdefaults__),
        (lambda **o: grad(with_defaults, **o), to_a_power.__kwdefaults__),
        (lambda **o: functools.partial(grad(applied, wrt="x", **o), to_a_power), to_a_power.__kwdefaults__),
        (lambda **o: grad(CUBE, **o), CUBE.keywords),
        (lambda **o: grad(with_a_partial, **o), CUBE.keywords),
        (lambda **o: grad(with_a_partial_in_a_list, **o), CUBE.keywords),
        (lambda **o: functools.partial(grad(applied, wrt="x", **o), CUBE), CUBE.keywords),
        (lambda **o: lambda x: jvp(CUBE, (x,), (1.0,), **o)[1], CUBE.keywords),
    ],
    ids=["own", "called", "passed", "partial", "called partial", "listed partial", "passed partial", "jvp"],
)
def test_defaults_and_keywords_that_are_changed_in_place(
    make: Any, changed: dict[str, Any], backend: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The dict that holds them stays, so that it is what is in it that counts."""
    if backend == "numba":
        pytest.importorskip("numba")
        monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    derivative = make(backend=backend)
    assert (derivative(2.0), derivative(2.0)) == (4.0, 4.0)
    monkeypatch.setitem(changed, "power", 3)
    assert (derivative(2.0), derivative(2.0)) == (12.0, 12.0)
    monkeypatch.setitem(changed, "power", 4.0)
    assert (derivative(2.0), derivative(2.0)) == (32.0, 32.0)


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_a_function_that_is_registered_for_a_type_later(
    backend: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
        monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))

    @functools.singledispatch
    def doubled_or_not(x: Any) -> Any:
        return 2.0 * x

    derivative = grad(lambda x: doubled_or_not(x), backend=backend)
    assert (derivative(3.0), derivative(3.0)) == (2.0, 2.0)
    doubled_or_not.register(float, lambda x: 5.0 * x)
    assert (derivative(3.0), derivative(3.0)) == (5.0, 5.0)


class Scale:
    def __mul__(self, x: float) -> float:
        return 4.0 * x


SCALE = Scale()


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_an_operator_that_a_class_is_given_anew(backend: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
        monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    derivative = grad(lambda x: SCALE * x, backend=backend)
    assert (derivative(3.0), derivative(3.0)) == (4.0, 4.0)
    monkeypatch.setattr(Scale, "__mul__", lambda self, x: 5.0 * x)
    assert (derivative(3.0), derivative(3.0)) == (5.0, 5.0)


def test_keywords_that_go_into_the_rest_are_read_when_called() -> None:
    f = functools.partial(with_the_rest, power=2)
    derivative = grad(f)
    assert derivative(2.0) == 4.0
    f.keywords["power"] = 3
    assert derivative(2.0) == 12.0


@pytest.mark.parametrize("f", [functools.partial(rated), functools.partial(with_the_rest, power=2)])
def test_a_partial_that_comes_to_bind_other_names_is_refused(f: Any) -> None:
    derivative = grad(f)
    derivative(2.0)
    f.keywords["rate"] = 3.0
    with pytest.raises(TypeError, match=r"binds other names by now \(.*rate\): differentiate it anew"):
        derivative(2.0)


# ---------------------------------------------------------------- attributes that come and go


class Holder:
    """An object, and a class, that may have a rate or not."""


def holder_function() -> None:
    pass


HOLDER = Holder()


def asked_of_an_object(x: float) -> float:
    return 2.0 * x if hasattr(HOLDER, "rate") else x


def taken_of_an_object(x: float) -> float:
    return getattr(HOLDER, "rate", 1.0) * x


def asked_of_a_class(x: float) -> float:
    return 2.0 * x if hasattr(Holder, "rate") else x


def taken_of_a_class(x: float) -> float:
    return getattr(Holder, "rate", 1.0) * x  # type: ignore[no-any-return]


def asked_of_a_function(x: float) -> float:
    return 2.0 * x if hasattr(holder_function, "rate") else x


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize(
    ("f", "of"),
    [
        (asked_of_an_object, HOLDER),
        (taken_of_an_object, HOLDER),
        (asked_of_an_object, Holder),
        (taken_of_an_object, Holder),
        (asked_of_a_class, Holder),
        (taken_of_a_class, Holder),
        (asked_of_a_function, holder_function),
    ],
    ids=lambda f: getattr(f, "__name__", type(f).__name__),
)
def test_attributes_that_come_and_go(f: Any, of: Any, backend: Any, monkeypatch: Any, tmp_path: Path) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
        monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    derivative = grad(f, backend=backend)
    assert derivative(3.0) == 1.0
    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr(of, "rate", 2.0, raising=False)
            assert (derivative(3.0), grad(f, backend=backend)(3.0)) == (2.0, 2.0)
        assert derivative(3.0) == 1.0


def test_an_object_without_an_attribute_comes_under_the_name_of_one_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HOLDER, "rate", 2.0, raising=False)
    derivative = grad(taken_of_an_object)
    assert derivative(3.0) == 2.0
    monkeypatch.setattr(sys.modules[__name__], "HOLDER", Holder())
    assert derivative(3.0) == 1.0


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_dicts_with_functions_in_a_list_outside(backend: Any) -> None:
    terms: list[dict[str, Any]] = [{"rate": 0.5, "link": np.sin}, {"rate": 1.5, "link": np.cos}]

    def f(x):
        return sum(term["rate"] * term["link"](x) for term in terms)

    def expected(x: float) -> float:
        slopes = {np.sin: np.cos(x), np.cos: -np.sin(x), np.exp: np.exp(x)}
        return sum(term["rate"] * slopes[term["link"]] for term in terms)

    def change(k: int, **items: Any) -> None:
        terms[k] |= items

    derivative = grad(f, backend=backend)
    changes: list[Callable[[], Any]] = [
        lambda: None,
        lambda: change(0, rate=3.0),
        lambda: change(1, link=np.exp),
        lambda: terms.append({"rate": 2.5, "link": np.sin}),
        lambda: terms.reverse(),
        lambda: terms.pop(1),
    ]
    for make in changes:
        make()
        assert derivative(0.7) == pytest.approx(expected(0.7), rel=1e-14)


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_lists_with_functions_in_dicts_outside(backend: Any) -> None:
    steps: list[Any] = [{"rate": 2, "link": np.sin}, {"rate": 3, "link": np.sin}]
    options = {"steps": steps, "scale": 0.5}

    def f(x):
        return sum(options["scale"] * s["rate"] * s["link"](x) for s in options["steps"])

    derivative = grad(f, backend=backend)
    changes: list[Callable[[], Any]] = [
        lambda: None,
        lambda: steps.append({"rate": 4, "link": np.sin}),
        lambda: steps[0].update(link=np.exp),
        lambda: steps[1].update(rate=0.25),
        lambda: options.update(steps=(*steps,)),
        lambda: steps[2].update(link=np.exp),
    ]
    for make in changes:
        make()
        slopes = {np.sin: np.cos, np.exp: np.exp}
        expected = sum(options["scale"] * s["rate"] * slopes[s["link"]](0.7) for s in options["steps"])
        assert derivative(0.7) == pytest.approx(expected, rel=1e-14)


# ---------------------------------------------------------------- attributes that are deleted


class Inner:
    rate = 2.0


class Outer:
    def __init__(self) -> None:
        self.inner = Inner()


outer = Outer()


def caught_when_gone(x: float) -> float:
    try:
        return x * outer.inner.rate * x
    except AttributeError:
        return 5.0 * x


def not_caught_when_gone(x: float) -> float:
    return x * outer.inner.rate * x


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_a_deleted_attribute_compiles_anew(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    caught, raising = grad(caught_when_gone, backend=backend), grad(not_caught_when_gone, backend=backend)
    assert (caught(3.0), raising(3.0)) == (12.0, 12.0)
    with monkeypatch.context() as m:
        m.delattr(outer, "inner")
        assert caught(3.0) == 5.0
        with pytest.raises(UnsupportedSyntax, match="'Outer' object has no attribute 'inner'") as info:
            raising(3.0)
        assert "x * outer.inner.rate * x" in str(info.value)
    assert (caught(3.0), raising(3.0)) == (12.0, 12.0)
