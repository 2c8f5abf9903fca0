"""What may be None and is looked into, computed with or called: Python's exception comes out of every derivative."""

from __future__ import annotations

import math

import numpy as np
import pytest

import s2sad

TIERS = ("python", "numba")


class Plain:
    """Reads no field of itself."""

    factor = 3.0

    def doubled(self, x):
        return 2.0 * x

    @property
    def two(self):
        return 2.0

    @staticmethod
    def tripled(x):
        return 3.0 * x

    @classmethod
    def scaled(cls, x):
        return cls.factor * x

    def __call__(self, x):
        return 5.0 * x

    def __add__(self, x):
        return 1.0 + x

    def __neg__(self):
        return 4.0

    def __getitem__(self, k):
        return 2.0 * k

    def __setitem__(self, k, v):
        pass

    def __len__(self):
        return 3

    def __contains__(self, k):
        return k == 1

    def __iter__(self):
        yield 1.0
        yield 2.0

    def __float__(self):
        return 3.0

    def __lt__(self, other):
        return True


class Holds:
    def __init__(self, a):
        self.a = a

    def squared(self, x):
        return x * x


class Equal:
    def __init__(self, a):
        self.a = a

    def __eq__(self, other):
        return other is not None and self.a == other.a


def plain(n):
    if n > 1:
        return Plain()


def steps(x, k):
    if k == 0:
        return None
    return x if k == 1 else steps(x * 1.1, k - 1)


def steps_from(x, k, start):
    return x * start if k == 0 else steps_from(x * 1.1, k - 1, start)


def by_method(x, n):
    return plain(n).doubled(x)


def by_method_kept(x, n):
    o = plain(n)
    f = o.doubled
    return f(x)


def by_property(x, n):
    return plain(n).two * x


def by_static_method(x, n):
    return plain(n).tripled(x)


def by_class_method(x, n):
    return plain(n).scaled(x)


def by_class_attribute(x, n):
    return getattr(plain(n), "factor") * x


def by_call(x, n):
    return plain(n)(x)


def by_operator(x, n):
    return plain(n) + x


def by_negation(x, n):
    return x * (-plain(n))


def by_item(x, n):
    return x * plain(n)[2]


def by_stored_item(x, n):
    o = plain(n)
    o[1] = 2.0
    return x * x


def by_length(x, n):
    return x * len(plain(n))


def by_membership(x, n):
    return x * x if 1 in plain(n) else x


def by_loop(x, n):
    return sum(v * x for v in plain(n))


def by_unpacking(x, n):
    a, b = plain(n)
    return a * x + b


def by_conversion(x, n):
    return float(plain(n)) * x


def by_comparison(x, n):
    return x * x if plain(n) < 3 else x


def by_method_of_item(x, n):
    return [Plain(), None][2 - n].doubled(x)


def by_method_of_value(x, n):
    return {2: Plain()}.get(n).doubled(x)


def by_method_after_loop(x, n):
    o = None
    for _ in range(n - 1):
        o = Plain()
    return o.doubled(x)


def by_field_nobody_reads(x, n):
    o = Holds(x) if n > 1 else None
    o.a
    return x * x


def by_stored_field(x, n):
    o = Holds(x) if n > 1 else None
    o.a = 3.0
    return x * x


def by_method_beside_a_field(x, n):
    o = Holds(x) if n > 1 else None
    return o.squared(x)


def appended(x, n):
    parts = []
    for k in range(3):
        parts.append(x * k if k < n + 1 else None)
    return parts[1] + parts[2]


def copied(x, n):
    parts = [None] * 3
    for k in range(n + 1):
        parts[k] = x * k
    return list(parts)[2] * parts[1:][0]


def popped(x, n):
    parts = []
    for k in range(3):
        parts.append(x * k if k < n + 1 else None)
    return parts.pop() * 2.0


def of_a_dict(x, n):
    d = {}
    for k in range(3):
        d[k] = x * k if k < n + 1 else None
    return d[2] + x


def converted(x, n):
    parts = []
    for k in range(3):
        parts.append(x * k if k < n + 1 else None)
    return float(parts[2]) + x


def compared(x, n):
    parts = []
    for k in range(3):
        parts.append(x * k if k < n + 1 else None)
    return x * x if parts[2] < 5.0 else x


def array_item(x, n):
    a = np.array([x, 2 * x]) if n > 1 else None
    return a[0] * a[1]


def array_sum(x, n):
    a = np.array([x, 2 * x]) if n > 1 else None
    return a.sum()


def array_length(x, n):
    a = np.array([x, 2 * x]) if n > 1 else None
    return len(a) * x * a.shape[0]


def array_stored(x, n):
    a = np.array([x, 2 * x]) if n > 1 else None
    a[0] = 3.0
    return x * x


def array_updated(x, n):
    a = np.array([x, 2 * x]) if n > 1 else None
    a += 1.0
    return x * x


def array_of_a_list(x, n):
    parts = []
    for k in range(3):
        parts.append(np.array([x * k, x]) if k < n + 1 else None)
    return parts[2][0] + parts[2].sum()


def list_appended(x, n):
    a = [x, 2 * x] if n > 1 else None
    a.append(x)
    return x * x


def list_gone_over(x, n):
    a = [x, 2 * x] if n > 1 else None
    s = x
    for _ in a:
        s = s + 1.0
    return s


def dict_read(x, n):
    d = {"u": x} if n > 1 else None
    return d["u"] * 2


def tuple_unpacked(x, n):
    t = (x, 2 * x) if n > 1 else None
    a, b = t
    return a * b


def literal(x, n):
    o = x if n > 1 else None
    return np.array([x, o]).sum()


RAISING = [
    *(by_method, by_method_kept, by_property, by_static_method, by_class_method, by_class_attribute, by_call),
    *(by_operator, by_negation, by_item, by_stored_item, by_length, by_membership, by_loop, by_unpacking),
    *(by_conversion, by_comparison, by_method_of_item, by_method_of_value, by_method_after_loop),
    *(by_field_nobody_reads, by_stored_field, by_method_beside_a_field),
    *(copied, popped, of_a_dict, converted, compared),
    *(array_item, array_sum, array_length, array_stored, array_updated, array_of_a_list),
    *(list_appended, list_gone_over, dict_read, tuple_unpacked, literal),
]
#: Of each sort of them one for machine code, which takes its time to make.
COMPILED = [by_method, by_call, by_operator, by_loop, by_method_of_item, by_method_after_loop, by_stored_field, copied]
COMPILED += [
    of_a_dict,
    compared,
    array_item,
    array_sum,
    array_stored,
    array_of_a_list,
    list_appended,
    dict_read,
    literal,
]


def sweeps(f, backend):
    """Every way to a derivative."""
    yield lambda *args: s2sad.grad(f, backend=backend)(*args)
    yield lambda *args: s2sad.value_and_grad(f, backend=backend)(*args)[0]
    yield lambda *args: s2sad.vjp(f, *args, backend=backend)[0]
    yield lambda *args: s2sad.jvp(f, args, (1.0, *[None] * (len(args) - 1)), backend=backend)[0]


@pytest.mark.parametrize("f", RAISING, ids=lambda f: f.__name__)
def test_what_is_none_raises_what_python_raises(f) -> None:
    s2sad.check_grads(f)(1.5, 2)
    with pytest.raises((TypeError, AttributeError)) as raised:
        f(1.5, 1)
    for derivative in sweeps(f, "python"):
        with pytest.raises(raised.type, match="None"):
            derivative(1.5, 1)


@pytest.mark.parametrize("f", COMPILED, ids=lambda f: f.__name__)
def test_machine_code_raises_so_too(f) -> None:
    derivative = s2sad.value_and_grad(f, backend="numba")
    assert derivative(1.5, 2) == pytest.approx(s2sad.value_and_grad(f)(1.5, 2), rel=1e-14)
    with pytest.raises((TypeError, AttributeError)) as raised:
        f(1.5, 1)
    with pytest.raises(raised.type, match="None"):
        derivative(1.5, 1)


def total(x, n):
    parts = []
    for k in range(3):
        parts.append(x * k if k < n + 1 else None)
    return np.array(parts).sum() * x


def added(x, n):
    parts = []
    for k in range(3):
        parts.append(x * k if k < n + 1 else None)
    return math.fsum(parts) + (np.ones(3) * parts).sum()


def nested(x, n):
    parts = []
    for k in range(3):
        parts.append([x, x * k if k < n + 1 else None])
    return np.array(parts).sum()


def of_a_list_in_a_list(x, n):
    rows = [[None] * 2 for _ in range(3)]
    for k in range(n + 1):
        rows[k][1] = x * k
        rows[k][0] = x
    return rows[2][1] * rows[1][0]


def given_by_recursion(x, n):
    return steps(x, 40 * (n - 1)) * 2.0


def given_to_recursion(x, n):
    return steps_from(x, 20, 2.0 * x if n > 1 else None)


ASKED = [total, added, nested, of_a_list_in_a_list]
REFUSED = [appended, given_by_recursion, given_to_recursion]


@pytest.mark.parametrize("f", ASKED, ids=lambda f: f.__name__)
def test_machine_code_asks_flags_of_lists(f) -> None:
    s2sad.check_grads(f)(1.5, 2)
    for backend in TIERS:
        assert s2sad.grad(f, backend=backend)(1.5, 2) == pytest.approx(s2sad.grad(f)(1.5, 2), rel=1e-14)
        for derivative in sweeps(f, backend):
            with pytest.raises(TypeError, match="None"):
                derivative(1.5, 1)


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_machine_code_has_no_none_there(f) -> None:
    s2sad.check_grads(f)(1.5, 2)
    with pytest.raises(TypeError):
        f(1.5, 1)
    for derivative in sweeps(f, "python"):
        with pytest.raises(TypeError, match="None"):
            derivative(1.5, 1)
    with pytest.raises(s2sad.CompileError, match="None"):
        s2sad.grad(f, backend="numba")(1.5, 2)


def stored_in_an_array(x, n):
    a = np.zeros(3)
    a[1] = x if n > 1 else None  # NumPy has NaN for None
    return x * x + a[1]


def with_another_axis(x, n):
    place = None if n > 1 else 0
    return np.sum(np.array([x, x * x])[place] ** 2)


def test_none_as_an_index_of_an_array_is_an_axis() -> None:
    s2sad.check_grads(with_another_axis)(1.5, 2)
    s2sad.check_grads(with_another_axis)(1.5, 1)


@pytest.mark.parametrize("backend", TIERS)
def test_none_in_an_array_of_numbers_is_refused(backend: str) -> None:
    s2sad.check_grads(stored_in_an_array, backend=backend)(1.5, 2)
    with pytest.raises(TypeError, match="None"):
        s2sad.grad(stored_in_an_array, backend=backend)(1.5, 1)


def told_by_a_test(x, n):
    o = plain(n)
    if o is None:
        return x * x
    return o.doubled(x) * o.factor


def told_by_a_raise(x, n):
    o = plain(n)
    if o is None:
        raise ValueError("there is none")
    return o.doubled(x)


def filled(x, n):
    parts = [None] * (n + 3)
    for k in range(n + 3):
        parts[k] = x * k
    return np.array(parts).sum() * parts[-1]


def equal_or_not(x, n):
    a = Equal(x) if n > 1 else None
    b = Equal(x)
    return (x * x if a == b else x) + (3.0 * x if b != a else x**3) + (x if a == None else 0.0)  # noqa: E711


def asked_for(x, n):
    o = Equal(x) if n > 1 else None
    return getattr(o, "a", 3.0) * x + (x**3 if hasattr(o, "a") else x)


def caught(x, n):
    o = plain(n)
    try:
        return o.doubled(x)
    except AttributeError:
        return 7.0 * x


def arithmetic_caught(x, n):
    o = x if n > 1 else None
    try:
        return x * o
    except TypeError:
        return 7.0 * x


@pytest.mark.parametrize("backend", TIERS)
@pytest.mark.parametrize("f", [told_by_a_test, filled, equal_or_not, asked_for], ids=lambda f: f.__name__)
def test_what_the_program_tells(f, backend: str) -> None:
    for n in (1, 2):
        s2sad.check_grads(f, backend=backend)(1.5, n)
        assert s2sad.value_and_grad(f, backend=backend)(1.5, n)[0] == pytest.approx(f(1.5, n), rel=1e-14)


@pytest.mark.parametrize("f", [caught, arithmetic_caught], ids=lambda f: f.__name__)
def test_what_a_handler_takes(f) -> None:
    for n in (1, 2):
        s2sad.check_grads(f)(1.5, n)
        assert s2sad.value_and_grad(f)(1.5, n)[0] == pytest.approx(f(1.5, n), rel=1e-14)
    with pytest.raises(s2sad.CompileError, match="not known in compiled code"):
        s2sad.grad(f, backend="numba")(1.5, 2)


def test_what_is_told_is_not_asked_again() -> None:
    assert s2sad.grad(told_by_a_test).source_for(1.5, 2).count("raise") == 0
    assert s2sad.grad(told_by_a_raise).source_for(1.5, 2).count("is None") == 1
    assert "need_filled" not in s2sad.grad(filled).source_for(1.5, 2)


def in_tuples(x, n):
    stack = []
    for k in range(3):
        stack.append((Holds(x * k) if k < n else None, k))
    s = x
    while stack:
        o, k = stack.pop()
        if o is not None:
            s += o.a * k * x
    return s


def test_objects_in_tuples_that_may_be_none() -> None:
    for n in (0, 1, 3):
        s2sad.check_grads(in_tuples)(1.5, n)
        assert s2sad.value_and_grad(in_tuples)(1.5, n)[0] == pytest.approx(in_tuples(1.5, n), rel=1e-14)
    with pytest.raises(s2sad.CompileError, match="None"):
        s2sad.grad(in_tuples, backend="numba")(1.5, 3)


def of_a_list_that_is_passed(x, parts):
    return x * parts[0] + parts[1]


def test_items_of_what_is_passed() -> None:
    derivative = s2sad.grad(of_a_list_that_is_passed)
    assert derivative(1.5, [2.0, 3.0]) == 2.0
    with pytest.raises(TypeError, match="None"):
        derivative(1.5, [2.0, None])
