"""Variables outside that a function assigns: the derivative keeps them to itself, and leaves what there is outside."""

from __future__ import annotations

import builtins
import contextlib
import functools
import math
import sys

import numpy as np
import pytest
from scipy.integrate import quad

import s2sad

TIERS = ("python", "numba")
THIS = sys.modules[__name__]
BEGIN = {"CALLS": 0, "LAST": None, "RATE": 2.0, "MODE": "train", "library": None, "TABLE": None, "STEP": None}
CALLS, LAST, RATE, MODE, library, TABLE, STEP = BEGIN.values()


def step(x):
    global CALLS, LAST
    CALLS += 1
    LAST = x * x
    return x * CALLS


def counted(x):
    y = step(x) + step(x * x)
    return y * LAST + CALLS


def counted_in_a_loop(x):
    global RATE
    for k in range(5):
        RATE = RATE * x + k
        if RATE > 30.0:
            break
    return RATE * x


def on_one_path(x):
    global CALLS
    if x > 1.0:
        CALLS = 5
    return x * x * CALLS + RATE * x


def the_library():
    global library
    if library is None:
        import numpy as library
    return library


def imported_when_needed(x):
    return the_library().sin(x) * library.pi


@contextlib.contextmanager
def switched(mode):
    global MODE
    before = MODE
    MODE = mode
    try:
        yield
    finally:
        MODE = before


@contextlib.contextmanager
def scaled(by):
    global RATE
    before, RATE = RATE, by
    try:
        yield RATE * 2.0
    finally:
        RATE = before


def layer(x):
    return x * x if MODE == "train" else 3.0 * x


def within_modes(x):
    y = layer(x)
    with switched("eval"):
        y += layer(x) * x
    with scaled(x * x) as twice:
        y += RATE * twice
    return y * layer(x) * RATE


def filled_once(x):
    global TABLE
    if TABLE is None:
        TABLE = np.array([x, 2.0])
    TABLE[1] = x * x
    return np.sum(TABLE * x)


def by_its_module(x):
    global RATE
    RATE = x * x
    return THIS.RATE * x


def as_a_function(x):
    global STEP
    STEP = math.sin if x > 5.0 else math.cos
    return applied(x) * x


def applied(x):
    return STEP(x)


def as_an_index(x):
    global CALLS
    for CALLS in range(4):
        x = x + 0.1 * x * CALLS
    return x * CALLS


def as_a_walrus(x):
    global RATE
    values = [(RATE := RATE * x) for _ in range(3)]
    return values[1] + RATE


def generated(x):
    global CALLS
    for _ in range(3):
        CALLS += 1
        yield x * CALLS


def yielded(x):
    return sum(v * v * CALLS for v in generated(x))


def never_there(x):
    global fresh
    fresh = x * x
    return fresh * fresh


def caught(x):
    global CALLS
    try:
        y = math.sqrt(x - 9.0)
        CALLS = 7
    except ValueError:
        CALLS = 3
        y = x * x
    return y * CALLS


class Layer:
    calls = 0
    rate = 2.0

    def __init__(self, weight=1.0):
        self.weight = weight

    def __call__(self, x):
        Layer.calls += 1
        return x * self.weight * self.calls

    @classmethod
    def raised(cls, by):
        cls.rate = cls.rate * by
        return cls.rate

    @property
    def twice(self):
        return self.rate * 2.0


class Deep(Layer):
    def of_its_own(self, x):
        type(self).rate = x
        return self.rate * Layer.rate


LAYER = Layer()


def counted_by_the_class(x):
    return LAYER(x) * LAYER(x)


def of_the_class(x):
    Layer.rate = x * x
    return LAYER.rate * x + LAYER.twice + Deep.rate


def of_the_subclass(x):
    layer = Deep(2.0)
    return layer.of_its_own(x) + layer.rate * Deep.raised(x) + LAYER.rate


def of_the_base(x):
    return Layer.raised(x) * Layer.rate * Deep.rate


def hidden_by_the_object(x):
    layer = Deep(x)
    layer.rate = x
    Layer.rate = x * x
    return layer.rate * Layer.rate * Deep(1.0).rate


def of_objects_in_a_list(x):
    layers = [Layer(x * k) for k in range(int(4 * x))]
    total = 0.0
    for layer in layers:
        total = total + layer(x)
        if total > 2.0:
            layer.weight = total
    Layer.rate = x
    return total * layers[-1].rate + layers[-2].weight * Layer.calls


def set_in_its_module(x):
    THIS.MODE = "eval"
    THIS.RATE = x
    return layer(x) * RATE


def counter():
    count, total = 0, 0.5

    def add(x):
        nonlocal count, total
        count += 1
        total += x * x
        return total * count

    def seen():
        return count, total

    return add, seen


added, seen = counter()
PROGRAMS = [counted, counted_in_a_loop, on_one_path, imported_when_needed, within_modes, filled_once, by_its_module]
PROGRAMS += [as_a_function, as_an_index, as_a_walrus, yielded, never_there, caught, set_in_its_module]
PROGRAMS += [
    counted_by_the_class,
    of_the_class,
    of_the_subclass,
    of_the_base,
    hidden_by_the_object,
    of_objects_in_a_list,
]


def begin_again() -> None:
    globals().update(BEGIN)
    globals().pop("fresh", None)
    Layer.calls, Layer.rate = 0, 2.0
    if "rate" in vars(Deep):
        del Deep.rate


@pytest.fixture(autouse=True)
def _begin_again():
    yield
    begin_again()


def found(f, x: float) -> float:
    """The value, with the variables outside as they are at the beginning."""
    begin_again()
    try:
        return float(f(x))
    finally:
        begin_again()


@pytest.mark.parametrize("backend", TIERS)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_the_function_has_them_and_no_trace_outside(f, backend: str) -> None:
    x, h = 1.3, 1e-6
    slope = (found(f, x + h) - found(f, x - h)) / (2.0 * h)
    for _ in range(2):
        value, gradient = s2sad.value_and_grad(f, backend=backend)(x)
        assert value == pytest.approx(found(f, x), rel=1e-13)
        assert gradient == pytest.approx(slope, rel=1e-7)
        assert s2sad.jvp(f, (x,), (1.0,))[1] == pytest.approx(gradient, rel=1e-12)
        assert {name: globals()[name] for name in BEGIN} == BEGIN
        assert "fresh" not in globals() and "rate" not in vars(Deep)
        assert (Layer.calls, Layer.rate) == (0, 2.0)


@pytest.mark.parametrize("backend", TIERS)
def test_derivatives_begin_with_what_there_is(backend: str) -> None:
    derivative = s2sad.grad(on_one_path, backend=backend)
    assert derivative(0.5) == pytest.approx(2.0)
    globals().update(CALLS=4, RATE=3.0)
    assert derivative(0.5) == pytest.approx(7.0)
    assert derivative(2.0) == pytest.approx(23.0)
    globals().update(CALLS=1.5, RATE=1)
    assert derivative(0.5) == pytest.approx(2.5)


@pytest.mark.parametrize("backend", TIERS)
def test_so_it_is_with_variables_of_functions_around(backend: str) -> None:
    assert s2sad.value_and_grad(added, backend=backend)(2.0) == (4.5, 4.0)
    assert seen() == (0, 0.5)
    assert added(2.0) == 4.5
    try:
        assert s2sad.value_and_grad(added, backend=backend)(2.0) == (17.0, 8.0)
        assert seen() == (1, 4.5)
    finally:
        added.__closure__[0].cell_contents, added.__closure__[1].cell_contents = 0, 0.5


def refused_where_it_fails(x):
    with switched("eval"):
        if x > 0.0:
            raise ValueError("positive")
    return x


def test_an_exception_leaves_them_too() -> None:
    with pytest.raises(ValueError, match="positive"):
        s2sad.grad(refused_where_it_fails)(1.0)
    assert MODE == "train"


def down(x, n):
    global CALLS
    CALLS += 1
    return x * CALLS if n == 0 else down(x * 1.1, n - 1)


def within_try(x):
    try:
        with switched("eval"):
            y = math.sqrt(x)
    except ValueError:
        y = x
    return y


@functools.cache
def kept(x):
    return x * RATE


def after_it_was_kept(x):
    global RATE
    y = kept(x)
    RATE = 5.0
    return y + kept(x)


def in_an_integrand(x):
    def integrand(t):
        global CALLS
        CALLS += 1
        return x * t

    return quad(integrand, 0.0, 1.0)[0]


def among_all(x):
    global RATE
    RATE = x * x
    return vars(THIS)["RATE"] * x


def among_all_before(x):
    global RATE
    names = THIS.__dict__
    RATE = x * x
    return names["RATE"] * x


def among_globals(x):
    global RATE
    RATE = x * x
    return globals()["RATE"] * x


def of_some_module(x):
    global RATE
    RATE = x * x
    return sys.modules[__name__].RATE * x


class Settings:
    rate = 2.0


SETTINGS = Settings()


def among_all_of_an_object(x):
    SETTINGS.rate = x * x
    return vars(SETTINGS)["rate"] * x


each = np.frompyfunc(lambda v: v * RATE, 1, 1)


def called_as_it_stands(x):
    global RATE
    RATE = 3
    return each(4.0) * x


def test_a_name_that_is_new_is_there() -> None:
    def asked(x):
        global fresh
        fresh = 2.0
        return x * fresh if hasattr(THIS, "fresh") else x * x

    assert s2sad.grad(asked)(3.0) == 2.0


def new_to_the_class(x):
    Layer.fresh = x
    return x * Layer.fresh


def another_method(x):
    Layer.raised = lambda by: by
    return Layer.raised(x)


def of_a_library(x):
    np.pi = x
    return x * np.pi


def all_of_a_class(x):
    Layer.rate = x
    return vars(Layer)["rate"] * x


@pytest.mark.parametrize(
    ("f", "what"),
    [
        (new_to_the_class, "attribute `fresh` of `Layer` is not handled"),
        (another_method, "another method or descriptor `raised`"),
        (of_a_library, "attribute `pi` of `numpy` is not handled"),
        (all_of_a_class, "all attributes of `Layer` are looked at"),
        (among_all, "all attributes of `THIS` are looked at"),
        (among_all_before, "all attributes of `.*test_globals` are looked at"),
        (among_globals, "`globals` reads the names of the function"),
        (of_some_module, "may be a module of which the function assigns `RATE`"),
        (among_all_of_an_object, "all attributes of `SETTINGS` are looked at"),
        (called_as_it_stands, "may read a variable that is assigned here"),
        (within_try, "changes `MODE`, which there was before"),
        (after_it_was_kept, "keeps what it gave"),
        (in_an_integrand, "changes `CALLS`, which there was before"),
    ],
)
def test_what_is_refused(f, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(builtins, "_", raising=False)  # what an example in a docstring has shown last
    with pytest.raises(s2sad.UnsupportedSyntax, match=what) as caught:
        s2sad.grad(f)(1.0)
    assert "test_globals.py" in str(caught.value)
