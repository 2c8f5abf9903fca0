"""Two names for one dict, of which one is read no more: the other may be changed as if it were the only one."""

import numpy as np
import pytest

from s2sad import grad


def read_by_a_function(params, steps):
    def grow():
        new["b"] = 2.0 * new["b"]

    for step in range(steps):
        new = {}
        for name in params:
            new[name] = 0.5 * params[name]
        params = new
        if step > 0:
            grow()
    return np.sum(params["W"] ** 2) + np.sum(params["b"])


def changed_in_the_next_round(params, steps):
    new = dict(params)
    for _ in range(steps):
        new["b"] = 2.0 * new["b"]
        new = {}
        for name in params:
            new[name] = 0.5 * params[name]
        params = new
    return np.sum(params["W"] ** 2) + np.sum(params["b"]) + np.sum(new["b"])


def read_where_the_loop_is_left(params, steps):
    new = params
    for step in range(steps):
        if step == 2:
            break
        new = dict(params)
        params = new
        params["b"] = 2.0 * params["b"]
    return np.sum(params["W"] ** 2) * np.sum(new["b"])


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("function", [read_by_a_function, changed_in_the_next_round, read_where_the_loop_is_left])
def test_a_name_that_is_read_later_is_another_name(function, steps):
    """Each of these reads the other name by a way of its own: none is taken for gone."""
    params = {"W": np.array([0.4, -0.7]), "b": np.array([1.5, 0.3])}
    found = grad(function)(params, steps)
    for name in params:
        for k in range(2):
            moved = [{n: v.copy() for n, v in params.items()} for _ in range(2)]
            moved[0][name][k] += 1e-6
            moved[1][name][k] -= 1e-6
            slope = (function(moved[0], steps) - function(moved[1], steps)) / 2e-6
            assert found[name][k] == pytest.approx(slope, rel=1e-6, abs=1e-8)
