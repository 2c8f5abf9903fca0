"""Numbers taken out of text, slices and keys are refused where they would carry a derivative, and nowhere else."""

import numpy as np
import pytest

from s2sad import NotDifferentiable, check_grads, grad, jvp


def from_str(x):
    return float(str(x)) * 2.0


def from_repr(x):
    return np.float64(repr(x)) * 2.0


def from_field(x):
    return float(f"{x:.3f}") * x


def from_percent(x):
    return float("%.3f" % x) * x  # noqa: UP031


def from_some_percent(x):
    return float("%.3f,%d" % (x, 2))  # noqa: UP031


def from_method(x):
    return float(f" {x}".strip())


def from_words(x):
    return float(f"{x} 1.0".split()[0])


def from_list(x):
    total = 0.0
    for text in [str(x), str(2.0 * x)]:
        total += float(text)
    return total


def from_array(x):
    return np.array([str(x)]).astype(float)[0]


def from_slice(x):
    return slice(x, None).start * 2.0


def from_stop(x):
    return slice(x).stop * 2.0


def from_keys(x):
    total = 0.0
    for key in {x: 1.0}:
        total += key
    return total


def keyed(x):
    found = {}
    for k in range(3):
        found[x * k] = x
    return found


def from_keys_in_order(x):
    return sum(k * v for k, v in sorted(keyed(x).items()))


def from_keys_of_a_copy(x):
    return sum(k * v for k, v in dict(keyed(x)).items())


def from_keys_put_in_another(x):
    other = {}
    for k, v in keyed(x).items():
        other[k] = v * 3.0
    total = 0.0
    for k in other:
        total += k * other[k]
    return total


def from_parts_of_keys(x):
    found, other = {}, {}
    for k in range(3):
        found[x * k, k] = x
    for (a, _), v in found.items():
        other[a] = v
    return sum(k * v for k, v in other.items())


def from_pairs(x):
    other = {}
    for k, v in [(k, v) for k, v in keyed(x).items()]:
        other[k] = v
    return sum(k * v for k, v in other.items())


TAKEN = [
    from_keys_in_order,
    from_keys_of_a_copy,
    from_keys_put_in_another,
    from_parts_of_keys,
    from_pairs,
    from_str,
    from_repr,
    from_field,
    from_percent,
    from_some_percent,
    from_method,
    from_words,
    from_list,
    from_array,
    from_slice,
    from_stop,
    from_keys,
]


@pytest.mark.parametrize("function", TAKEN, ids=lambda f: f.__name__)
def test_numbers_taken_out_are_refused(function):
    with pytest.raises(NotDifferentiable, match="taken out of text"):
        grad(function)(0.7)
    with pytest.raises(NotDifferentiable, match="taken out of text"):
        jvp(function, (0.7,), (1.0,))


def printed(x):
    print(f"{x}")
    assert x > 0.0, f"not positive: {x}"
    if x > 9.0:
        raise ValueError(f"large: {x}")
    return x * x


def named(x):
    items = {f"{x:.1f}": x * 3.0}
    total = 0.0
    for name in items:
        total += items[name] ** 2
    return total


def numbered(x):
    return sum({f"{i}": x * i for i in range(3)}.values())


def compared(x):
    return x * 2.0 if f"{x}" == "0.7" else x


def constant_text(x, text="2.5"):
    return x * float(text) * float(f"{3}")


def other_number(x, y=1.5):
    return x * float(f"{y}")


def counted(x):
    return x * int(f"{x:.0f}") * len(str(x))


@pytest.mark.parametrize(
    ("function", "slope"),
    [(printed, 1.4), (named, 12.6), (numbered, 3.0), (compared, 2.0), (constant_text, 7.5), (other_number, 1.5)],
)
def test_other_text_is_let_be(function, slope):
    assert grad(function)(0.7) == pytest.approx(slope)
    assert jvp(function, (0.7,), (1.0,))[1] == pytest.approx(slope)


def test_integers_in_text_have_no_derivative():
    assert grad(counted)(0.7) == 3.0


def test_text_beside_a_result():
    assert jvp(lambda x: (x * x, f"{x}"), (0.5,), (1.0,)) == ((0.25, "0.5"), (1.0, None))


def test_an_index_beside_a_slice_may_come_with_what_is_differentiated_by():
    def columns(x, i, w):
        v = x.copy()
        v[:, i] = w
        return np.sum(np.sin(v))

    def gradients(*given):  # the places are an item of a tuple that holds active arrays
        return grad(columns, wrt=(0, 2))(*given)

    x, i, w = np.arange(6.0).reshape(2, 3), np.array([0, 2]), np.array([[0.5, 1.5], [2.5, 3.5]])
    check_grads(gradients, wrt=(0, 2))(x, i, w)


def padded(*given):
    return np.sum(np.pad(*given) ** 2)


def scaled(setup):
    return setup["x"] * sum(float(text) for text in setup["texts"]) * len(setup["inner"][0])


def test_text_beside_numbers_in_an_argument_is_none_of_them():
    x = np.array([0.5, 1.5])
    assert jvp(padded, (x, 1, "edge"), (x, None, None)) == (5.0, 10.0)
    assert np.allclose(jvp(grad(padded), (x, 1, "edge"), (x, None, None))[1], 4.0 * x)
    setup = {"x": 2.0, "texts": ["2", "3"], "inner": ("ab", 1.0)}
    assert grad(scaled)(setup)["x"] == 10.0


def stored(setup):
    setup["texts"][0] = f"{setup['x']}"
    return float(setup["texts"][0])


def replaced(setup):
    setup["text"] = f"{setup['x']}"
    return float(setup["text"])


def joined(setup):
    return sum(float(text) for text in [f"{setup['x']}", *setup["texts"]])


@pytest.mark.parametrize("function", [stored, replaced, joined])
def test_text_that_takes_the_place_of_such_is_refused(function):
    with pytest.raises(NotDifferentiable, match="taken out of text"):
        grad(function)({"x": 2.0, "texts": ["2", "3"], "text": "2"})


def by_items(x):
    total = 0.0
    for v in np.nditer(x):
        total = total + v**2
    return total


def by_places(x):
    items, total = np.nditer(x, flags=["multi_index"]), 0.0
    for _ in items:
        total = total + x[items.multi_index] ** 2
    return total


@pytest.mark.parametrize("function", [by_items, by_places])
def test_iterators_over_arrays_are_refused_by_name(function):
    x = np.array([0.7, 0.3])
    for refused in (lambda: grad(function)(x), lambda: jvp(function, (x,), (x,))):
        with pytest.raises(NotDifferentiable, match=r"`np\.nditer` is not handled"):
            refused()


def test_iterators_over_constants_are_not():
    def f(x, c):
        total = 0.0
        for v in np.nditer(c):
            total += float(v) * x
        return total

    assert np.isclose(grad(f)(0.7, np.array([0.5, 0.3])), 0.8)
