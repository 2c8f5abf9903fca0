"""What later versions of Python and NumPy than the oldest that are supported add: right there, or refused."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from s2sad import UnsupportedSyntax, grad, jvp
from s2sad.frontend.matching import ARRAYS_ARE_SEQUENCES
from s2sad.frontend.parameters import spec_of_annotation

since = {n: pytest.mark.skipif(sys.version_info < (3, n), reason=f"Python 3.{n} has it") for n in (12, 13)}

BATCHED = """
import itertools
import numpy as np

def known(x):
    return sum(a * b for a, b in itertools.batched([x, x * 2, 3.0, x], 2))

def of_an_array(x):
    total = 0.0
    for part in itertools.batched(np.arange(5.0) * x, 2):
        total += part[0] ** 2 + len(part)
    return total

def of_a_list(x):
    powers, total = [], 0.0
    for i in range(7):
        powers.append(x**i)
    for part in itertools.batched(powers, 3):
        product = 1.0
        for v in part:
            product *= v
        total += product
    return total
"""

REPLACED = """
import copy
from dataclasses import dataclass
from typing import NamedTuple

@dataclass
class Point:
    a: float
    b: float = 1.0

class Pair(NamedTuple):
    a: float
    b: float

class Doubled:
    def __init__(self, a):
        self.a = a

    def __replace__(self, *, a):
        return Doubled(2.0 * a)

@dataclass
class Tripled:
    a: float

    def __replace__(self, *, a):
        return Tripled(3.0 * a)

def of_a_dataclass(x):
    q = copy.replace(Point(x, 2.0), b=x * x)
    return q.a * q.b

def of_a_named_tuple(x):
    q = copy.replace(Pair(x, 2.0), b=x * x)
    return q.a * q.b

def of_others(x):
    return copy.replace(Doubled(x), a=x * x).a + copy.replace(Tripled(x), a=x).a
"""

GENERIC = """
import numpy as np

type Vector = np.ndarray
type Couple[T] = tuple[T, T]

class Box[T]:
    def __init__(self, v: T):
        self.v = v

    def twice(self) -> T:
        return 2.0 * self.v

def squared[T](x: T) -> T:
    return x * x

def generic(x):
    return squared(x) * Box[float](x).twice()

def of_a_couple(x: float, p: Couple[float] = (2.0, 3.0)):
    return x * p[0] + x ** p[1]

def of_a_vector(x: Vector):
    return np.sum(x * x)
"""


def module_of(tmp_path: Path, text: str) -> ModuleType:
    path = tmp_path / "newer.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("newer", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *(pytest.param(BATCHED, n, marks=since[12]) for n in ("known", "of_an_array", "of_a_list")),
        *(pytest.param(REPLACED, n, marks=since[13]) for n in ("of_a_dataclass", "of_a_named_tuple", "of_others")),
        *(pytest.param(GENERIC, n, marks=since[12]) for n in ("generic", "of_a_couple")),
    ],
    ids=lambda value: value if len(value) < 20 else "",
)
def test_derivatives_are_right(text: str, name: str, tmp_path: Path) -> None:
    f = getattr(module_of(tmp_path, text), name)
    x, h = 1.3, 1e-6
    slope = (f(x + h) - f(x - h)) / (2.0 * h)
    assert grad(f)(x) == pytest.approx(slope, rel=1e-8)
    assert jvp(f, (x,), (1.0,))[1] == pytest.approx(slope, rel=1e-8)


@since[12]
def test_aliases_tell_kinds(tmp_path: Path) -> None:
    newer = module_of(tmp_path, GENERIC)
    assert spec_of_annotation(newer.Vector) == spec_of_annotation(np.ndarray)
    assert spec_of_annotation(newer.Couple[float]) == spec_of_annotation(tuple[float, float]) is not None
    assert np.allclose(grad(newer.of_a_vector)(np.arange(3.0)), [0.0, 2.0, 4.0])


def test_arrays_match_patterns_where_numpy_has_them_match() -> None:
    def f(x):
        match x * 2.0:
            case [a, b]:
                return a * b
        return np.sum(x)

    x = np.array([1.5, 2.0])
    if ARRAYS_ARE_SEQUENCES:
        assert f(x) == 12.0
        with pytest.raises(UnsupportedSyntax, match="a sequence pattern needs a tuple"):
            grad(f)(x)
    else:
        assert grad(f)(x).tolist() == [1.0, 1.0]
