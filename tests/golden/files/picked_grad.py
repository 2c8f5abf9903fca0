"""grad of picked, from programs.py:187."""

import numpy as np


def _accumulate(a, b):
    """a + b, item by item; None and 0.0 stand for a zero of any structure."""
    if type(a) is type(b) is np.ndarray:
        return a + b
    if a is None or isinstance(a, float) and a == 0.0:
        return b
    if b is None or isinstance(b, float) and b == 0.0:
        return a
    if isinstance(a, (tuple, list)):
        items = [_accumulate(*pair) for pair in zip(a, b, strict=True)]
        return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
    if isinstance(a, dict):
        return {k: _accumulate(a.get(k), b.get(k)) for k in {**a, **b}}
    return (
        _map_leaves(_accumulate, a, b) if hasattr(a, "__dataclass_fields__") else a + b
    )


def _add_at(target, index, value):
    """target[index] += value, where an index that repeats counts each time."""
    if isinstance(target, np.ndarray):
        np.add.at(target, index, value)
    else:
        target[index] = _accumulate(target[index], value)


def _map_leaves(f, x, *rest):
    """f of the leaves of nested tuples, lists, dicts, named tuples and dataclasses."""
    if isinstance(x, dict):
        return {k: _map_leaves(f, v, *(r[k] for r in rest)) for k, v in x.items()}
    if isinstance(x, (tuple, list)):
        items = [_map_leaves(f, *parts) for parts in zip(x, *rest, strict=True)]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    if hasattr(x, "__dataclass_fields__"):
        names = x.__dataclass_fields__
        return type(x)(
            **{
                n: _map_leaves(f, getattr(x, n), *(getattr(r, n) for r in rest))
                for n in names
            }
        )
    return f(x, *rest)


def picked_grad(x, index):
    x_index = x[index]
    x_0 = x[0]
    # return np.sum(x[index] ** 2) + x[-1] * x[0]
    bx = np.zeros_like(x)
    bx[0] = x[-1]
    bx[-1] += x_0
    _add_at(bx, index, 2 * x_index)
    return bx
