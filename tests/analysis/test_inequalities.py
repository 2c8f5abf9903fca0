"""Linear inequalities between integers, against all small integers."""

from __future__ import annotations

import itertools
import random

from s2sad.analysis.inequalities import added, less, possible, scaled


def test_what_small_integers_satisfy_is_possible() -> None:
    rng = random.Random(0)
    found = [0, 0]
    for _ in range(400):
        system = [{s: rng.randint(-3, 3) for s in "xyz"} | {None: rng.randint(-6, 3)} for _ in range(rng.randint(1, 6))]
        small = any(
            all(sum(k * point.get(s, 1) for s, k in e.items()) >= 0 for e in system)
            for point in (dict(zip("xyz", p, strict=True)) for p in itertools.product(range(-6, 7), repeat=3))
        )
        assert possible(system) or not small
        found[possible(system)] += 1
    assert min(found) > 50


def test_what_only_fractions_satisfy_is_not() -> None:
    between = [less({None: 0}, {"x": 2}), less({"x": 2}, {None: 2})]
    assert not possible(between)
    assert possible([*between[:1], less({"x": 2}, {None: 3})])


def test_nothing_asked_is_possible() -> None:
    assert possible([])
    assert possible([{None: 0}])
    assert not possible([{None: -1}])


def test_arithmetic() -> None:
    assert added({"x": 1, None: 2}, {"x": 2, "y": 1}) == {"x": 3, "y": 1, None: 2}
    assert scaled({"x": 1, None: 2}, -2) == {"x": -2, None: -4}
