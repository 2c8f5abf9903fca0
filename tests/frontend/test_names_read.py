"""What reads the names of a function while it runs, objects that hide floats, and complex numbers: all refused."""

from __future__ import annotations

import types

import numpy as np
import pytest

import s2sad


def by_eval(x):
    return eval("x * x")


def by_locals(x):
    return locals()["x"] * 2.0


def by_vars(x):
    return vars()["x"] * 2.0


def imaginary_part(x):
    return (x * 1j).imag


def imaginary_part_of_complex(x):
    return complex(x, 2.0 * x).imag


def imaginary_part_stored(x):
    z = np.zeros(2, dtype=complex)
    z[0] = x + 2j * x
    return z[0].imag


def angle(x):
    return np.angle(x + 2j)


def in_a_namespace(x):
    return types.SimpleNamespace(a=x).a * x


@pytest.mark.parametrize("f", [by_eval, by_locals, by_vars])
def test_what_reads_names_is_refused(f):
    with pytest.raises(s2sad.UnsupportedSyntax, match="reads the names of the function"):
        s2sad.grad(f)(1.3)


@pytest.mark.parametrize(
    ("f", "slope"),
    [(imaginary_part, 1.0), (imaginary_part_of_complex, 2.0), (imaginary_part_stored, 2.0), (angle, -2.0 / 5.69)],
)
def test_what_is_zero_of_real_numbers_is_not_of_complex_ones(f, slope):
    assert s2sad.grad(f)(1.3) == pytest.approx(slope)
    assert s2sad.jvp(f, (1.3,), (1.0,))[1] == pytest.approx(slope)


def test_an_object_made_with_keywords_has_these():
    assert s2sad.grad(in_a_namespace)(1.3) == 2.6
    assert s2sad.jvp(in_a_namespace, (1.3,), (1.0,)) == (1.3 * 1.3, 2.6)


def another_dict(x):
    s = types.SimpleNamespace(a=x)
    s.__dict__ = {"a": 3 * x}
    return s.a


def another_class(x):
    s = Shown(x)
    s.__class__ = types.SimpleNamespace
    return s.a


def in_the_way_of_a_property(x):
    return Shown(x).a


def equal_namespaces(x):
    return 2 * x if types.SimpleNamespace(a=x) == types.SimpleNamespace(a=x) else x


def values_in_order(x):
    return sum(vars(types.SimpleNamespace(a=x)).values())


class Shown:
    def __init__(self, x):
        self.__dict__["a"] = x

    @property
    def a(self):
        return 3.0


@pytest.mark.parametrize(
    "f",
    [another_dict, another_class, in_the_way_of_a_property, equal_namespaces, values_in_order],
    ids=lambda f: f.__name__,
)
def test_other_uses_of_attributes_by_name_are_refused(f):
    with pytest.raises(s2sad.UnsupportedSyntax) as caught:
        s2sad.grad(f)(1.3)
    assert caught.value.filename == __file__


def test_vars_of_an_object_outside_are_read():
    settings = types.SimpleNamespace(rate=3.0)

    def f(x):
        return vars(settings)["rate"] * x

    assert s2sad.grad(f)(1.3) == 3.0


def test_a_part_of_real_numbers_has_no_derivative():
    def f(x):
        return x * np.imag(x) + x.imag + np.angle(x) + x

    assert s2sad.grad(f)(1.3) == 1.0
