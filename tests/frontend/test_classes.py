"""Classes with constructors, lookups and truth of their own."""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
from collections import namedtuple
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

import s2sad


@dataclass
class Gain:
    low: float = field(kw_only=True)
    high: float = 3.0


@dataclass
class Scaled:
    base: float
    factor: InitVar[float]
    offset: InitVar[float] = 0.5
    value: float = field(init=False)

    def __post_init__(self, factor: float, offset: float) -> None:
        self.value = self.base * factor + offset


class Empty:
    def __init__(self, x: float) -> None:
        self.x = x

    def __bool__(self) -> bool:
        return False

    def __contains__(self, key: int) -> bool:
        return key == 2


class Counted:
    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    @functools.cache
    def power(self, x: float) -> float:
        return x**self.n


def keyword_only(x):
    return Gain(x, low=2.0).high * 10.0 + Gain(low=x).low * Gain(low=x).high


def only_for_the_constructor(x):
    return Scaled(x, 5.0).value * Scaled(2.0, offset=x, factor=x).value


def replaced(x):
    a = dataclasses.replace(Gain(low=x), high=x * x)
    return a.low * a.high


def truth(x):
    e, total = Empty(x), x
    if e:
        total += 100.0 * x
    if not e:
        total += 3.0 * x
    if 2 in e:
        total += 5.0 * x
    if 7 not in e:
        total += 7.0 * e.x
    return total * (1.0 if Counted(2) else x) * (x if Counted(0) else 2.0)


def cached_method(x):
    return Counted(3).power(x) * Counted(2).power(x)


class Body:
    unit = 3.0

    def __init__(self, mass: float) -> None:
        self.mass = mass

    @classmethod
    def of_units(cls, n: float) -> Body:
        return cls(n * cls.unit)

    @staticmethod
    def pull(x: float) -> float:
        return x * x


class Heavy(Body):
    unit = 5.0

    @classmethod
    def of_units(cls, n: float) -> Body:
        return super().of_units(n * cls.pull(n) * super().pull(n))

    def again(self, n: float) -> Body:
        return super().of_units(n)


class Rate(NamedTuple):
    value: float

    @classmethod
    def per_minute(cls, x: float) -> Rate:
        return cls(x / 60.0)


def class_methods(x):
    make = Body.of_units
    return make(x).mass * Heavy.of_units(x).mass + Rate.per_minute(x).value * type(Heavy(x)).of_units(x).mass


def class_methods_by_super(x):
    return Heavy(1.0).again(x).mass * x


class Growth:
    def __init__(self, rate: Any) -> None:
        self.rate = rate if callable(rate) else lambda t: rate

    def __call__(self, x: float) -> float:
        return self.rate(x) * x


def calls_what_can_be_called(x):
    inner = Growth(Growth(x)) if callable(Growth(x)) and not callable(Body(x)) else Growth(2.0)
    return inner(x) + Growth(lambda t: t * t)(x)


def unions(x):
    total = x
    if isinstance(x, int | float | np.floating):
        total *= 2.0
    if isinstance(x, list | tuple | np.ndarray) or isinstance(x, list | None):
        total *= 3.0
    if isinstance([x], dict | list):
        total *= 5.0 * x
    return total if isinstance(None, int | float | None) else total * 7.0


@dataclass(frozen=True)
class Normed:
    x: float
    y: float

    def __post_init__(self) -> None:
        r = math.hypot(self.x, self.y)
        object.__setattr__(self, "x", self.x / r)
        object.__setattr__(self, "y", self.y / r)


def stored_in_itself(x):
    return Normed(x, 2.0).x * dataclasses.replace(Normed(1.0, x), y=x * x).y


def unfolded(x):
    d = dataclasses.asdict(Gain(low=x))
    d["low"] *= x
    nested = dataclasses.asdict(Scaling(Scale(x)))
    return d["low"] * d["high"] + nested["scale"]["factor"] + math.prod(dataclasses.astuple(Gain(x, low=x * x)))


def stored_by_its_method(x):
    b = Body(x)
    b.__setattr__("mass", b.mass * 3.0)
    object.__setattr__(b, "size", x)
    return b.mass * b.size


class Limiter(enum.Enum):
    UPWIND = 0.0
    MINMOD = 1.5
    CENTRED = "c"


def slope(r, limiter):
    match limiter:
        case Limiter.UPWIND:
            return 0.0 * r
        case Limiter.MINMOD:
            return max(0.0, min(1.0, r))
    return r * r


def all_limiters(x):
    total = 0.0
    for k, limiter in enumerate(Limiter, 1):
        total += slope(x, limiter) * k
        if limiter is Limiter.MINMOD or limiter == Limiter["CENTRED"]:
            total *= 1.0 + x
    return total * len(Limiter) + Limiter(1.5).value * x


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_members_of_an_enumeration_are_looped_over(backend: Any) -> None:
    value, slope = s2sad.value_and_grad(all_limiters, backend=backend)(0.7)
    assert value == pytest.approx(all_limiters(0.7), rel=1e-14)
    assert slope == pytest.approx((all_limiters(0.7 + 1e-6) - all_limiters(0.7 - 1e-6)) / 2e-6, rel=1e-7)


def weights_of_limiters(x):
    weights = {limiter: x**k for k, limiter in enumerate(Limiter)}
    return weights[Limiter.CENTRED] * sum(weights.values())


@pytest.mark.parametrize(
    "f",
    [
        unions,
        stored_in_itself,
        unfolded,
        stored_by_its_method,
        keyword_only,
        only_for_the_constructor,
        replaced,
        truth,
        cached_method,
        weights_of_limiters,
        class_methods,
        class_methods_by_super,
        calls_what_can_be_called,
    ],
)
def test_is_python_s(f: Callable[[float], float]) -> None:
    value, slope = s2sad.value_and_grad(f)(0.7)
    assert value == pytest.approx(f(0.7), rel=1e-14)
    assert slope == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-7)


@dataclass
class Vector:
    x: float
    y: float

    def __getitem__(self, k: int) -> float:
        return (self.x**2, self.y**3)[k]

    def __iter__(self) -> Any:
        return iter((self.x**2, self.y))

    def __len__(self) -> int:
        return 5

    def __float__(self) -> float:
        return self.x**2

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array([self.x**2, self.y])


@dataclass
class Longer(Vector):
    z: float = 1.0

    @property
    def norm(self) -> float:
        return self.x**2


def largest(x):
    """One of some objects, known at run time only."""
    return max([Vector(x, 2.0 * x), Vector(0.5 * x, x)], key=lambda v: v.x)


def unpacked_by_its_method(x):
    p, q = largest(x)
    return p * q + sum(Vector(x, x))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: largest(x)[0] * largest(x)[1],
        lambda x: sum(largest(x)) + math.prod([*largest(x)]),
        lambda x: float(largest(x)) * float(Vector(x, 1.0)) * len(largest(x)),
        unpacked_by_its_method,
    ],
)
def test_an_object_at_run_time_has_its_methods(f: Callable[[float], float]) -> None:
    test_is_python_s(f)
    assert s2sad.jvp(f, (0.7,), (2.0,))[1] == pytest.approx(2.0 * s2sad.grad(f)(0.7))


def stored_as_numbers(x):
    a = np.zeros(2)
    a[:] = Vector(x, x)
    return a[0]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(Vector(x, x)),
        lambda x: np.sum(np.array([largest(x), largest(x)])),
        lambda x: math.sqrt(Vector(x, x)),
        lambda x: np.float64(largest(x)),
        lambda x: (np.ones(2) * Vector(x, x))[0],
        stored_as_numbers,
    ],
)
def test_an_object_is_no_number(f: Callable[[float], float]) -> None:
    for derive in (s2sad.grad(f), lambda x: s2sad.jvp(f, (x,), (1.0,))):
        with pytest.raises(s2sad.UnsupportedSyntax, match="an object of class Vector is given to"):
            derive(0.7)


def test_a_property_of_one_of_several_classes_is_not_taken_of_a_tangent() -> None:
    def norm(vectors: Any) -> float:
        return sorted(vectors, key=lambda v: v.x)[1].norm

    vectors = (Longer(1.0, 2.0), Longer(3.0, 4.0))
    assert s2sad.jvp(norm, (vectors,), (vectors,))[1] == 18.0
    with pytest.raises(s2sad.NotDifferentiable, match="what this is an attribute of"):
        mixed = (Vector(1.0, 2.0), Longer(3.0, 4.0))
        s2sad.jvp(norm, (mixed,), (mixed,))


class Mass:
    def __init__(self, value: float) -> None:
        self.value = value

    def doubled(self) -> float:
        return 2.0 * self.value


def changed_behind_a_name(x, n):
    a = b = Mass(x)
    if n > 2:
        a = Mass(2.0 * x)
    a.value += 1.0
    return b.value


def changed_behind_a_method(x, n):
    a = Mass(x)
    doubled = a.doubled
    if n > 2:
        a = Mass(2.0 * x)
    a.value += 1.0
    return doubled() + a.value


def best_of_a_list(x, n):
    masses = [Mass(x), Mass(2.0 * x)]
    best = masses[0]
    for m in masses:
        if m.value > n * best.value:
            best = m
    best.value *= 3.0
    return masses[0].value + masses[1].value


def told_apart(x, n):
    a = b = Mass(x)
    if n > 2:
        a = Mass(2.0 * x)
    return x * (2.0 if a is b else 3.0)


class Held:
    def __init__(self, mass: Mass) -> None:
        self.mass = mass


def changed_in_what_it_holds(x, n):
    a = b = Held(Mass(x))
    if n > 2:
        a = Held(Mass(2.0 * x))
    a.mass.value = 3.0 * x
    return b.mass.value


@dataclass
class Scale:
    factor: float


@dataclass
class Scaling:
    scale: Scale


def record_changed_in_a_record(x, n):
    a = b = Scaling(Scale(x))
    for _ in range(n):
        a.scale.factor *= 3.0
        a = Scaling(Scale(2.0 * x))
    return b.scale.factor + a.scale.factor


def check(f: Callable[..., float], *args: Any) -> None:
    """Hold the value against that of Python, and the gradient against differences."""
    assert s2sad.value_and_grad(f)(*args)[0] == pytest.approx(f(*args), rel=1e-13)
    s2sad.check_grads(f)(*args)


@pytest.mark.parametrize("n", range(3))
def test_a_record_in_a_record_with_another_name_is_a_row(n: int) -> None:
    check(record_changed_in_a_record, 0.7, n)


@pytest.mark.parametrize(
    "f", [changed_in_what_it_holds, changed_behind_a_name, changed_behind_a_method, best_of_a_list, told_apart]
)
@pytest.mark.parametrize("n", range(3))
def test_an_object_of_several_with_another_name_is_a_row(f: Callable[[float, int], float], n: int) -> None:
    check(f, 0.7, n)


class Doubled(namedtuple("Doubled", "x y")):
    def __new__(cls, x: float) -> Any:
        return super().__new__(cls, x, 2.0 * x)


class Setting:
    def __init__(self, x: float) -> None:
        self.x = x

    def __setattr__(self, name: str, value: float) -> None:
        object.__setattr__(self, name, 2.0 * value)


class Getting:
    def __init__(self, x: float) -> None:
        self.x = x

    def __getattribute__(self, name: str) -> Any:
        return 3.0


class Descriptor:
    def __get__(self, obj: Any, owner: Any = None) -> float:
        return 4.0 * obj.base


class Described:
    d = Descriptor()

    def __init__(self, base: float) -> None:
        self.base = base


@dataclass
class Limited:
    x: float

    def __setattr__(self, name: str, value: float) -> None:
        object.__setattr__(self, name, min(value, 0.5))


def changed_by_a_call(x):
    d = {"a": x}
    dict.update(d, a=3.0 * x)
    return d["a"]


def changed_in_an_iteration(x):
    d, total = {"a": x}, 0.0
    for _ in range(2):
        total += d["a"]
        dict.update(d, a=3.0 * x)
    return total


def changed_on_a_path(x):
    d = {"a": x}
    if x > 0.5:
        dict.__setitem__(d, "a", 3.0 * x)
    return d["a"]


def deleted_by_a_call(x):
    gain = Gain(low=x)
    delattr(gain, "low")
    return getattr(gain, "low", 3.0 * x)


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (changed_by_a_call, "a dict is used here that was given to a function"),
        (changed_in_an_iteration, "a dict is used here that was given to a function"),
        (changed_on_a_path, "a dict is used here that was given to a function"),
        (deleted_by_a_call, "an object of class Gain is used here that was given"),
        (lambda x: Doubled(x).y, "constructor of its own"),
        (lambda x: Setting(x).x, "by a method of its own"),
        (lambda x: Getting(x).x, "`__getattribute__` of its own"),
        (lambda x: Described(x).d, "got by a descriptor"),
        (lambda x: Limited(x).x, "`__setattr__` of its own"),
        (lambda x: Gain(x, 2.0, 3.0).high, "is not called with what it takes"),
        (lambda x: Gain(x).high, "is not called with what it takes"),
    ],
)
def test_is_refused(f: Callable[[float], float], why: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=why):
        s2sad.grad(f)(0.7)


def test_named_tuples_take_what_python_has_them_take() -> None:
    pair = namedtuple("pair", "x y", defaults=[2.0])
    assert s2sad.grad(lambda x: math.prod(pair(x)) + pair(y=x, x=x).y)(0.7) == 3.0
    with pytest.raises(s2sad.UnsupportedSyntax, match="is not called with what it takes"):
        s2sad.grad(lambda x: pair(x, x, x).y)(0.7)
    with pytest.raises(s2sad.UnsupportedSyntax, match="has no field"):
        s2sad.grad(lambda x: pair(x)._replace(z=x).y)(0.7)


class Fit:
    def __init__(self, weights: np.ndarray) -> None:
        self.weights = weights
        self.history = [0.5]

    def loss(self, x: np.ndarray) -> float:
        self.history.append(np.sum(self.weights * x))
        return self.history[-1] ** 2 + self.history[0] * self.history[-2]


def loss_of(fit: Fit, x: np.ndarray) -> float:
    return fit.loss(x)


def test_an_object_keeps_numbers_in_a_list_of_its_own() -> None:
    x, fit = np.array([0.7, -1.2, 0.4]), Fit(np.array([0.5, -1.0, 2.0]))
    expected = 2.0 * np.sum(fit.weights * x) * fit.weights
    np.testing.assert_allclose(s2sad.grad(fit.loss)(x), expected)
    np.testing.assert_allclose(s2sad.grad(loss_of, wrt="x")(fit, x), expected)
    _, tangent = s2sad.jvp(loss_of, (fit, x), (None, np.ones(3)))
    np.testing.assert_allclose(tangent, np.sum(expected))
    np.testing.assert_allclose(s2sad.hessian(fit.loss)(x), 2.0 * np.outer(fit.weights, fit.weights))
    assert fit.history == [0.5]


class Bare:
    def count(self, x: float, n: int) -> None:
        self.total = self.total + x
        if n:
            self.count(x, n - 1)


BARE = Bare()
BARE.total = 0.0  # type: ignore[attr-defined]


def asked_in_a_loop(x: float) -> float:
    found, bare = 0.0, Bare()
    for _ in range(3):
        if not hasattr(bare, "total"):
            bare.total = x  # type: ignore[attr-defined]
        bare.total *= x  # type: ignore[attr-defined]
        found += bare.total  # type: ignore[attr-defined]
    return found


def test_whether_an_attribute_is_there_must_be_known() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="not known here whether this has an attribute `total`"):
        s2sad.grad(asked_in_a_loop)(0.7)


def changed_within_recursion(x: float, n: int) -> float:
    BARE.count(x, n)
    return BARE.total  # type: ignore[attr-defined, no-any-return]


def dict_changed_within_recursion(x: float, n: int) -> float:
    held = {"a": x}

    def change(k: int) -> None:
        held["a"] *= x
        if k:
            change(k - 1)

    change(n)
    return held["a"]


@pytest.mark.parametrize("f", [changed_within_recursion, dict_changed_within_recursion])
def test_a_recursive_function_that_changes_an_object(f: Callable[[float, int], float]) -> None:
    def wanted(x: float) -> float:
        BARE.total = 0.0  # type: ignore[attr-defined]
        return f(x, 20)

    slope = (wanted(0.7 + 1e-6) - wanted(0.7 - 1e-6)) / 2e-6
    BARE.total = 0.0  # type: ignore[attr-defined]
    value, derivative = s2sad.value_and_grad(f)(0.7, 20)
    assert derivative == pytest.approx(slope, rel=1e-7)
    assert value == pytest.approx(wanted(0.7), rel=1e-14)


@dataclass
class Part:
    size: float
    shade = 2.0


@dataclass
class Whole:
    part: Part
    count: float = 1.0


def two_names_in_a_loop(x: float) -> float:
    p = Part(x)
    for _ in range(2):
        p = Part(p.size * x)
        q = p
    p.size *= 3.0
    return p.size * q.size


def two_names_in_both_branches(x: float) -> float:
    if x > 0.5:
        p = q = Part(x)
    else:
        p = q = Part(2.0 * x)
    p.size *= 3.0
    return p.size * q.size


def part_of_another(x: float) -> float:
    part = Part(x)
    whole = Whole(part)
    for _ in range(2):
        whole = Whole(whole.part, whole.count * x)
    whole.part.size *= 3.0
    return whole.part.size * part.size * whole.count


def closed_over(x: float) -> float:
    def keeping(part: Part) -> tuple[Part, Callable[[], float]]:
        return part, lambda: part.size

    part, size = keeping(Part(x))
    if x > 0.5:
        part = Part(2.0 * x)
    part.size *= 3.0
    return part.size * size()


@pytest.mark.parametrize("f", [closed_over, two_names_in_a_loop, two_names_in_both_branches, part_of_another])
@pytest.mark.parametrize("x", [0.7, -0.7])
def test_a_record_of_several_with_another_name_is_a_row(f: Callable[[float], float], x: float) -> None:
    check(f, x)


def part_kept_in_one_place(x: float) -> float:
    whole = Whole(Part(x))
    for _ in range(2):
        whole = Whole(whole.part, whole.count * x)
    whole.part.size *= 3.0
    return whole.part.size * whole.count


def test_a_part_that_moves_from_record_to_record_is_followed() -> None:
    assert s2sad.grad(part_kept_in_one_place)(0.7) == pytest.approx(9.0 * 0.7**2)


def shaded_in_a_branch(x: float) -> float:
    part = Part(x)
    if x > 0.5:
        part = Part(2.0 * x)
        part.shade = x
    return part.size * part.shade


def shaded_in_a_list(x: float) -> float:
    part = Part(x)
    part.shade = x
    parts = [part, Part(2.0 * x)]
    return sum(parts[k].shade * parts[k].size for k in range(2))


@pytest.mark.parametrize("f", [shaded_in_a_branch, shaded_in_a_list])
@pytest.mark.parametrize("x", [0.7, 0.3])
def test_a_record_with_more_than_its_fields_that_is_merged_or_held(f: Callable[[float], float], x: float) -> None:
    check(f, x)


class Wrapper:
    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class Named(NamedTuple):
    m: Any

    def __getattr__(self, name: str) -> Any:
        if name == "twice":
            return 2.0 * self.m
        raise AttributeError(name)


def of_a_wrapper(x: Any) -> Any:
    wrapper = Wrapper(Named(x))
    return x * x if hasattr(wrapper, "m") else x


def with_a_default(x: Any) -> Any:
    return x * getattr(Wrapper(Named(x)), "m", 1.0)


def of_wrappers_in_a_list(x: Any) -> Any:
    return sum(w.inner * getattr(w, "real", 1.0) for w in [Wrapper(v) for v in x])


def of_a_tuple(x: Any) -> Any:
    return x * x if hasattr(Named(x), "twice") else x


@pytest.mark.parametrize("f", [of_a_wrapper, with_a_default, of_wrappers_in_a_list, of_a_tuple])
def test_what_a_class_looks_up_by_a_method_is_not_taken_to_be_absent(f: Any) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="depends on its `__getattr__`"):
        s2sad.grad(f)([1.3, 0.7] if f is of_wrappers_in_a_list else 1.3)


class Constant:
    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return 3.0

    def __set__(self, obj: Any, value: Any) -> None:
        pass


class DescribedByAConstant:
    x = Constant()

    def __init__(self, x: Any) -> None:
        self.x = x


def test_what_a_descriptor_gives_is_not_taken_for_what_was_set() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="stores `x` by a method of its own"):
        s2sad.grad(lambda x: x * DescribedByAConstant(x).x)(1.3)


class Placed:
    def __init__(self, x: Any, n: int) -> None:
        self.x, self.n = x, n

    def __index__(self) -> int:
        return self.n


def items_at_objects(x: Any) -> Any:
    places = [Placed(v, k) for k, v in enumerate(x)]
    xs = [v * v for v in x]
    a = np.array(xs)
    for p in places:
        xs[p] = xs[p] * p.x + a[p]
    last = Placed(x[0], 2)
    xs[last] += x[1]
    return xs[last] * sum(xs[last:]) * (x[0], x[1], x[2])[last] + a[last] * xs[0]


def test_an_object_is_the_index_that_it_gives() -> None:
    x = [0.7, 1.3, 0.4]
    expected = [
        (items_at_objects([v + h * (j == k) for j, v in enumerate(x)]) - items_at_objects(x)) / h
        for k, h in enumerate([1e-7] * 3)
    ]
    assert s2sad.grad(items_at_objects)(x) == pytest.approx(expected, rel=1e-5)


def changed_by_its_attributes(x: float) -> float:
    gain = Gain(low=x)
    vars(gain)["low"] = 3.0 * x
    return gain.low  # type: ignore[no-any-return]


def test_a_record_changes_by_its_attributes() -> None:
    assert s2sad.grad(changed_by_its_attributes)(0.7) == 3.0
