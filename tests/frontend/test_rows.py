"""Objects that are rows of lists: what is done with them that an integer does not do as they do is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad


class Particle:
    def __init__(self, x: Any, v: Any = 0.0) -> None:
        self.x, self.v = x, v


class Long(Particle):
    def __len__(self) -> int:
        return 0


class Ordered:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ordered) and self.x == other.x

    def __lt__(self, other: Any) -> Any:
        return self.x < other.x


class Registered:
    def __init__(self, x: Any, others: list[Any]) -> None:
        self.x = x
        others.append(self)


class Acting:
    def __init__(self, k: Any) -> None:
        self.act = lambda x: k * x


def added(xs):
    return sum([Particle(x) for x in xs])


def as_an_array(xs):
    return np.array([Particle(x) for x in xs]).size * xs[0]


def printed(xs):
    ps = [Particle(x) for x in xs]
    print(ps[0])
    return ps[0].x


def in_text(xs):
    ps = [Particle(x) for x in xs]
    return len(f"{ps[0]}") * xs[0]


def returned(xs):
    return [Particle(x) for x in xs]


def returned_in_a_tuple(xs):
    return xs[0], [Particle(x) for x in xs][1]


def a_key(xs):
    ps = [Particle(x) for x in xs]
    return {ps[0]: xs[0]}[ps[0]]


def compared_with_a_number(xs):
    ps = [Particle(x) for x in xs]
    return xs[0] if ps[0] == 0 else xs[1]


def ordered_by_places(xs):
    ps = [Particle(x) for x in xs]
    return xs[0] if ps[0] < ps[1] else xs[1]


def sorted_by_their_word(xs):
    return sorted([Ordered(x) for x in xs])[0].x


def most_by_their_word(xs):
    return max([Ordered(x) for x in xs]).x


def looked_for_by_their_word(xs):
    return xs[0] if Ordered(xs[1]) in [Ordered(x) for x in xs] else xs[1]


def beside_numbers(xs):
    last, past = None, []
    for x in xs:
        past.append(x if last is None else last)
        last = Particle(x)
    return past[0]


def measured(xs):
    ps = [Particle(x) for x in xs]
    return len(ps[0]) * xs[0]


def taken_apart(xs):
    ps = [Particle(x) for x in xs]
    x, v = ps[0]
    return x * v


def gone_through(xs):
    ps = [Particle(x) for x in xs]
    return sum(x for x in ps[0])


def an_index(xs):
    ps = [Particle(x) for x in xs]
    return np.array(xs)[ps[0]]


def of_two_classes(xs):
    ps = [Long(x) if x > 0.5 else Particle(x) for x in xs]
    return ps[0].x


def handed_on_by_its_constructor(xs):
    ps = []
    for x in xs:
        Registered(x, ps)
    return ps[0].x


def with_a_function_of_its_own(xs):
    acting = [Acting(x) for x in xs]
    return acting[0].act(xs[1])


def made_where_it_may_raise(xs):
    ps = []
    for x in xs:
        try:
            ps.append(Particle(math.log(x - 0.5)))
        except ValueError:
            ps.append(Particle(x))
    return ps[0].x


def differentiated_inside(xs):
    ps = [Particle(x) for x in xs]
    return s2sad.grad(lambda t: sum(p.x * t * t for p in ps))(xs[0])


def truth_of_all(xs):
    return xs[0] if all([Particle(x) for x in xs]) else xs[1]


REFUSED = [
    *(added, as_an_array, printed, in_text, returned, returned_in_a_tuple, a_key, compared_with_a_number),
    *(ordered_by_places, sorted_by_their_word, most_by_their_word, looked_for_by_their_word, of_two_classes),
    *(beside_numbers, measured, taken_apart, gone_through, an_index, handed_on_by_its_constructor),
    *(with_a_function_of_its_own, made_where_it_may_raise, differentiated_inside, truth_of_all),
]


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_is_refused(f: Callable[[Any], Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax) as caught:
        s2sad.vjp(f, [0.4, 0.7, 1.2])
    assert caught.value.filename == __file__


class Summed:
    def __init__(self, x: Any) -> None:
        self.x, self.count = x, 0

    def add(self, x: Any) -> None:
        self.x = self.x + x
        self.count += 1


def summed(xs):
    sums = [Summed(x) for x in xs]
    for s in sums:
        for x in xs:
            if x > 0.5:
                s.add(x)
    return sums[0].x * sums[-1].count


def test_the_derivative_has_a_list_for_each_field() -> None:
    source = s2sad.grad(summed).source_for([0.4, 0.7, 1.2])
    assert "summed_count = []" in source
    assert "bsummed_x" in source
    assert s2sad.grad(summed)([0.4, 0.7, 1.2]) == [2.0, 2.0, 2.0]


def test_at_second_order() -> None:
    def f(xs: Any) -> Any:
        ps = [Particle(x, 1.0) for x in xs]
        for p in ps:
            p.v = p.v * p.x**2
        return sum(p.v * p.x for p in ps)

    assert s2sad.grad(lambda xs: sum(s2sad.grad(f)(xs)))([0.5, 2.0]) == pytest.approx([3.0, 12.0])


def energy(x: Any) -> Any:
    ps = [Particle(v, 1.0) for v in x]
    for p in ps:
        p.v = p.v * p.x**2
    return sum(p.v * p.x for p in ps)


def test_matrices_of_second_derivatives() -> None:
    x = np.array([0.5, 2.0])
    assert s2sad.hessian(energy)(x) == pytest.approx(np.diag(6.0 * x))
    assert s2sad.hvp(energy)(x, np.array([1.0, 3.0])) == pytest.approx(6.0 * x * np.array([1.0, 3.0]))
    assert s2sad.jacobian(lambda x: np.array([energy(x), x[0]]))(x) == pytest.approx(
        np.array([[0.75, 12.0], [1.0, 0.0]])
    )


def pair_or_none(xs):
    best = None
    for x in xs:
        if best is None or x > best[0]:
            best = (x, [x, 2.0])
    return best


def test_a_pair_that_may_be_none_and_holds_a_list_is_not_returned() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="cannot be returned"):
        s2sad.vjp(lambda xs: pair_or_none(xs), [0.4, 0.7])


def test_a_pair_that_may_be_none_is_not_compared_by_its_place() -> None:
    def f(xs: Any) -> Any:
        best = pair_or_none(xs)
        other = pair_or_none(xs)
        return xs[0] if best is other else xs[1]

    with pytest.raises(s2sad.UnsupportedSyntax, match="which is not handled"):
        s2sad.grad(f)([0.4, 0.7])
    with pytest.raises(s2sad.UnsupportedSyntax, match="which is not handled"):
        s2sad.grad(lambda xs: xs[0] if pair_or_none(xs) == pair_or_none(xs) else xs[1])([0.4, 0.7])


def test_what_a_pair_that_may_be_none_is() -> None:
    def f(xs: Any) -> Any:
        best = pair_or_none(xs)
        if best is None:
            return xs[0]
        x, held = best
        return x * held[0] * len(best) * sum(1.0 for _ in best)

    assert s2sad.grad(f)([0.4, 0.7]) == pytest.approx([0.0, 8.0 * 0.7])


def of_either(xs: list[float], place: int) -> float:
    ps: list[Any] = []
    for x in xs:
        ps.append(Particle(x))
        ps.append(Summed(x))
    return ps[place].count * xs[0]  # type: ignore[no-any-return]


def set_later(xs: list[float], place: int) -> float:
    ps: list[Any] = [Particle(x) for x in xs]
    for p in ps[1:]:
        p.mass = 2.0
    return ps[place].mass * xs[0]  # type: ignore[no-any-return]


@pytest.mark.parametrize("f", [of_either, set_later], ids=["of another class", "not stored by now"])
def test_an_attribute_that_is_not_there_raises(f: Callable[..., float]) -> None:
    message = "has no attribute"
    with pytest.raises(AttributeError, match=message):
        f([0.4, 0.7], 0)
    for derivative in (s2sad.grad(f), lambda *args: s2sad.jvp(f, args, ([1.0, 1.0], None))):
        derivative([0.4, 0.7], 1)
        with pytest.raises(AttributeError, match=message):
            derivative([0.4, 0.7], 0)
