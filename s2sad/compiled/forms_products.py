"""Forms of products of matrices and of their adjoints, by the ranks of the operands."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.compiled import helpers as native
from s2sad.compiled.expand import Builder, form, kind_of, rank_of
from s2sad.compiled.forms_adjoint import length, product
from s2sad.compiled.forms_reductions import of_dtype, reshaped
from s2sad.compiled.forms_stacked import rows, stacked
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Const, For, Op, Stmt, Var
from s2sad.runtime import helpers


def floats(b: Builder, a: Atom, like: str) -> Atom:
    """An operand with this dtype: BLAS takes two of a kind."""
    kind = kind_of(a)
    return of_dtype(b, a, like) if isinstance(kind, K.Array) and like.startswith(("float", "complex")) else a


def common(x: Atom, y: Atom) -> str:
    """The dtype of a product."""
    dtype = K.join_dtypes(K.dtype_of(kind_of(x)), K.dtype_of(kind_of(y)))
    return "float64" if dtype == "any" or dtype.startswith(("int", "bool")) else K.strong(dtype)


def multiplied(b: Builder, x: Atom, y: Atom) -> Atom | None:
    """``x @ y``."""
    r, s, dtype = rank_of(x), rank_of(y), common(x, y)
    if not r or not s:
        return None
    x, y = floats(b, x, dtype), floats(b, y, dtype)
    if r < 3 and s < 3:
        kind: K.Kind = K.Array(dtype, r + s - 2) if r + s > 2 else K.Scalar(dtype)
        target = Var("", kind)
        b.stmts.append(Op(target, operator.matmul, (x, y), (), b.origin))
        return target
    return stacked(b, x, y)


@form(operator.matmul, np.matmul)
def matmul(b: Builder, op: Op) -> Atom | None:
    """``x @ y``."""
    if len(op.args) != 2 or op.kwargs:
        return None
    return multiplied(b, *op.args)


@form(np.dot)
def dot(b: Builder, op: Op) -> Atom | None:
    """``np.dot(x, y)``."""
    x, y = op.args[:2]
    if op.target is None or op.kwargs or len(op.args) != 2:
        return None
    r, s = rank_of(x), rank_of(y)
    if 0 in (r, s):
        return b.emit(operator.mul, x, y, kind=op.target.kind)
    if r is None or s is None or s < 3:
        return multiplied(b, x, y)
    mine, other, out = _labels(r, s, {s - 2: r - 1})
    return _by_matrices(b, [mine, other], out, [x, y], op.target.kind)


@form(np.inner)
def inner(b: Builder, op: Op) -> Atom | None:
    """``np.inner(x, y)``, which adds up over the last axis of both, for vectors and matrices."""
    x, y = op.args[:2]
    if op.kwargs or len(op.args) != 2 or not {rank_of(x), rank_of(y)} <= {1, 2}:
        return None
    return multiplied(b, x, _transposed(b, y) if rank_of(y) == 2 else y)


def _transposed(b: Builder, a: Atom) -> Atom:
    """The last two axes of an array in the other order."""
    rank = rank_of(a) or 0
    if rank == 2:
        return b.emit(np.transpose, a, kind=K.Array(K.dtype_of(kind_of(a)), 2))
    return b.emit(np.swapaxes, a, -1, -2, kind=K.Array(K.dtype_of(kind_of(a)), rank))


@form(np.linalg.cross)
def cross(b: Builder, op: Op) -> Atom | None:
    """``np.linalg.cross(x1, x2)`` by Numba's np.cross, which takes one vector of two with one of three."""
    if op.target is None or op.kwargs or not all(map(rank_of, op.args)):
        return None
    for x in op.args:
        b.do(native.need_three, length(b, x, -1))
    return b.emit(np.cross, *op.args, kind=op.target.kind)


@form(np.kron)
def kron(b: Builder, op: Op) -> Atom | None:
    """``np.kron(a, b)`` of arrays in one piece, of one dtype: Numba makes what the first has."""
    if op.target is None or len(op.args) != 2 or op.kwargs or not all(map(rank_of, op.args)):
        return None
    dtypes = {K.dtype_of(kind_of(a)) for a in op.args}
    alike = op.args if len(dtypes) == 1 else [floats(b, a, common(*op.args)) for a in op.args]
    packed = tuple(b.emit(np.ascontiguousarray, a, kind=kind_of(a)) for a in alike)
    b.stmts.append(Op(op.target, np.kron, packed, (), b.origin))
    return op.target


@form(helpers.dot_left)
def dot_left(b: Builder, op: Op) -> Atom | None:
    """The adjoint of ``like`` in ``np.dot(like, y)``, ``x`` being that of the product."""
    x, like, y = op.args
    r, s = rank_of(like), rank_of(y)
    if not r or s is None or s < 3:
        return left(b, op)
    mine, other, out = _labels(r, s, {s - 2: r - 1})
    return _by_matrices(b, [out, other, mine], mine, [x, y, like], K.Array(K.dtype_of(kind_of(like)), r))


@form(helpers.dot_right)
def dot_right(b: Builder, op: Op) -> Atom | None:
    """The adjoint of ``like`` in ``np.dot(y, like)``, ``x`` being that of the product."""
    x, y, like = op.args
    r, s = rank_of(y), rank_of(like)
    if not r or s is None or s < 3:
        return right(b, op)
    mine, other, out = _labels(r, s, {s - 2: r - 1})
    return _by_matrices(b, [out, mine, other], other, [x, y, like], K.Array(K.dtype_of(kind_of(like)), s))


@form(helpers.matmul_left)
def left(b: Builder, op: Op) -> Atom | None:
    """The adjoint of ``like`` in ``like @ y``, ``x`` being that of the product."""
    x, like, y = op.args
    dtype = K.dtype_of(kind_of(like))
    kind = K.Array(dtype, rank_of(like))
    match rank_of(like), rank_of(y):
        case (None, _) | (_, None):
            return None
        case (0, _) | (_, 0):
            found: Atom | None = b.emit(operator.mul, x, y, kind=_wider(x, y))
        case 1, 1:
            found = b.emit(operator.mul, x, y, kind=kind)
        case 2, 1:
            found = b.emit(np.outer, x, y, kind=kind)
        case 1, 2:
            found = multiplied(b, y, x)
        case _, 1:
            found = multiplied(b, _with_axis(b, x, -1), _with_axis(b, y, 0))
        case 1, _:
            found = multiplied(b, _with_axis(b, x, -2), _transposed(b, y))
        case _:
            found = multiplied(b, x, _transposed(b, y))
    return None if found is None else _like(b, found, like, y)


@form(helpers.matmul_right)
def right(b: Builder, op: Op) -> Atom | None:
    """The adjoint of ``like`` in ``y @ like``, ``x`` being that of the product."""
    x, y, like = op.args
    dtype = K.dtype_of(kind_of(like))
    kind = K.Array(dtype, rank_of(like))
    match rank_of(y), rank_of(like):
        case (None, _) | (_, None):
            return None
        case (0, _) | (_, 0):
            found: Atom | None = b.emit(operator.mul, y, x, kind=_wider(x, y))
        case 1, 1:
            found = b.emit(operator.mul, y, x, kind=kind)
        case 1, 2:
            found = b.emit(np.outer, y, x, kind=kind)
        case 2, (1 | 2):
            found = multiplied(b, _transposed(b, y), x)
        case _, 1:
            flat = b.emit(np.ravel, x, kind=K.Array(K.dtype_of(kind_of(x)), 1))
            found = multiplied(b, _transposed(b, rows(b, y)), flat)
        case _, 2:
            found = multiplied(b, _transposed(b, rows(b, y)), rows(b, x))
        case 1, _:
            found = multiplied(b, _with_axis(b, y, -1), _with_axis(b, x, -2))
        case _:
            found = multiplied(b, _transposed(b, y), x)
    return None if found is None else _like(b, found, like, y)


def _with_axis(b: Builder, a: Atom, axis: int) -> Atom:
    """An array with one more axis, of length one."""
    return b.emit(np.expand_dims, a, axis, kind=K.Array(K.dtype_of(kind_of(a)), (rank_of(a) or 0) + 1))


def _like(b: Builder, found: Atom, like: Atom, other: Atom) -> Atom:
    """What an operand gets: where the other one is a number or a stack, summed over what it was stretched to."""
    fn = helpers.cast if rank_of(other) in (1, 2) and rank_of(like) else helpers.unbroadcast
    return b.emit(fn, found, like, kind=K.Array(K.dtype_of(kind_of(like)), rank_of(like)))


def _wider(x: Atom, y: Atom) -> K.Kind:
    return max((kind_of(x), kind_of(y)), key=lambda k: K.rank_of(k) or 0)


# ---------------------------------------------------------------- sums of products


@form(np.einsum)
def einsum(b: Builder, op: Op) -> Atom | None:
    """``np.einsum(subscripts, ...)`` as loops over its labels."""
    subscripts, *operands = op.args
    if not isinstance(subscripts, Const) or not isinstance(subscripts.value, str) or op.target is None:
        return None
    ranks = [rank_of(a) for a in operands]
    if None in ranks:
        return None
    terms, out = helpers.einsum_terms(subscripts.value, *ranks)
    if len(terms) == 1 and set(terms[0]) == set(out):
        if len(terms[0]) == len(out):
            return _rearranged(b, terms[0], out, operands[0])  # each label is there once
        if any(isinstance(a, Var) and b.is_written(a) for a in (operands[0], op.target)):
            return None  # a diagonal is a view
    if (found := _by_stacks(b, terms, out, operands, op.target.kind)) is not None:
        return found
    return contraction(b, terms, out, operands, op.target.kind, stretches=True)


def _rearranged(b: Builder, term: str, out: str, x: Atom) -> Atom:
    """What ``np.einsum`` of one operand gives where it only moves axes: a view."""
    if term == out:
        return x
    if len(out) == 2:
        return _transposed(b, x)
    axes = b.index_of(*(Const(term.index(label)) for label in out))
    return b.emit(np.transpose, x, axes, kind=K.Array(K.dtype_of(kind_of(x)), len(out)))


@form(helpers.einsum_transpose)
def einsum_transpose(b: Builder, op: Op) -> Atom | None:
    """The adjoint of one operand of ``np.einsum``: a contraction over the other labels."""
    k, subscripts, x, like, *others = op.args
    known = isinstance(k, Const) and isinstance(subscripts, Const)
    ranks = [rank_of(a) for a in (*others, like)]
    if not known or None in ranks or op.target is None:
        return None
    position = k.value  # type: ignore[union-attr]
    order = [rank_of(a) for a in (*others[:position], like, *others[position:])]
    terms, out = helpers.einsum_terms(subscripts.value, *order)  # type: ignore[union-attr]
    mine = terms.pop(position)
    kind = K.Array(K.dtype_of(kind_of(like)), rank_of(like))
    operands = [x, *others, like]
    if (found := _by_stacks(b, [out, *terms, mine], mine, operands, kind)) is not None:
        return found
    return contraction(b, [out, *terms, mine], mine, operands, kind, unread=len(others) + 1, stretches=True)


@form(np.tensordot)
def tensordot(b: Builder, op: Op) -> Atom | None:
    """``np.tensordot(x, y, axes)`` as a product of matrices, or as loops."""
    labels = _tensordot_labels(b, op.args[0], op.args[1], [*op.args[2:], *dict(op.kwargs).values()])
    if labels is None or op.target is None:
        return None
    mine, other, out = labels
    return _by_matrices(b, [mine, other], out, list(op.args[:2]), op.target.kind)


@form(helpers.tensordot_left, helpers.tensordot_right)
def tensordot_transpose(b: Builder, op: Op) -> Atom | None:
    """The adjoint of one operand of ``np.tensordot``."""
    x, first, second, *axes = op.args
    labels = _tensordot_labels(b, first, second, [*axes, *dict(op.kwargs).values()])
    if labels is None:
        return None
    is_left = op.fn is helpers.tensordot_left
    like, other = (first, second) if is_left else (second, first)
    mine, others, out = labels if is_left else (labels[1], labels[0], labels[2])
    kind = K.Array(K.dtype_of(kind_of(like)), rank_of(like))
    return _by_matrices(b, [out, others, mine], mine, [x, other, like], kind)


def _tensordot_labels(b: Builder, x: Atom, y: Atom, axes: list[Atom]) -> tuple[str, str, str] | None:
    r, s = rank_of(x), rank_of(y)
    value = b.constant(axes[0]) if axes else 2
    if r is None or s is None or value is None:
        return None
    mine, theirs = helpers.contracted(value, r, 0), helpers.contracted(value, s, 1)
    return _labels(r, s, dict(zip(theirs, mine, strict=True)))


def _labels(r: int, s: int, pairs: Mapping[int, int]) -> tuple[str, str, str]:
    """Letters for the axes of two operands and of their product; ``pairs`` are axes of the second and of the first."""
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    first = [next(letters) for _ in range(r)]
    second = [first[pairs[j]] if j in pairs else next(letters) for j in range(s)]
    kept = [c for i, c in enumerate(first) if i not in pairs.values()]
    return "".join(first), "".join(second), "".join(kept + [c for j, c in enumerate(second) if j not in pairs])


def _by_matrices(b: Builder, terms: list[str], out: str, operands: list[Atom], kind: K.Kind) -> Atom:
    """The sum of the products of the first two operands, by BLAS where each has axes of its own, as NumPy computes it.

    A third operand only gives lengths.
    """
    (first, second), (x, y) = terms[:2], operands[:2]
    shared = "".join(c for c in first if c in second)
    kept = "".join(c for c in first if c not in shared), "".join(c for c in second if c not in shared)
    dtype = K.strong(K.dtype_of(kind))
    if not shared or not all(kept) or common(x, y) != dtype:
        return contraction(b, terms, out, operands, kind, unread=2 if len(terms) > 2 else None)
    if out[0] in second:
        (first, second), (x, y), kept = (second, first), (y, x), kept[::-1]
    for c in shared:
        _meet(b, length(b, x, first.index(c)), length(b, y, second.index(c)))
    left, right = _as_matrix(b, x, first, kept[0], shared), _as_matrix(b, y, second, shared, kept[1])
    found = multiplied(b, left, right)
    assert found is not None
    if len(out) > 2:
        lengths = [length(b, x, first.index(c)) for c in kept[0]] + [length(b, y, second.index(c)) for c in kept[1]]
        found = reshaped(b, found, lengths, dtype)
    if (order := "".join(kept)) == out:
        return found
    turned = b.emit(np.transpose, found, tuple(map(order.index, out)), kind=kind)
    return b.emit(np.ascontiguousarray, turned, kind=kind)


def _by_stacks(b: Builder, terms: list[str], out: str, operands: list[Atom], kind: K.Kind) -> Atom | None:
    """What ``np.einsum`` gives of two operands by BLAS: one product, or one for each index that all three have.

    A third operand only gives lengths. None where an axis may be stretched, or the terms are no products of matrices.
    """
    if not b.equal_lengths or len(terms) != len(operands) or len(terms) < 2:
        return None
    (first, second), (x, y) = terms[:2], operands[:2]
    if len(terms) > 3 or (len(terms) == 3 and terms[2] != out):
        return None
    labels, dtype = [set(first), set(second), set(out)], K.strong(K.dtype_of(kind))
    if [len(labels[0]), len(labels[1]), len(labels[2])] != [len(first), len(second), len(out)]:
        return None  # a diagonal
    if labels[0] ^ labels[1] != labels[2] - (labels[0] & labels[1]) or common(x, y) != dtype:
        return None  # one operand is summed by itself, or the result has axes of neither
    batch = "".join(c for c in out if c in first and c in second)
    if not batch:
        return _by_matrices(b, terms, out, operands, kind)
    shared = "".join(c for c in first if c in second and c not in out)
    down, across = ("".join(c for c in out if c in own and c not in batch) for own in (first, second))
    if not shared or not down or not across:
        return None
    for c in batch + shared:
        _meet(b, length(b, x, first.index(c)), length(b, y, second.index(c)))
    left, right = _as_stack(b, x, first, batch, down, shared), _as_stack(b, y, second, batch, shared, across)
    lengths = [length(b, x, first.index(c)) for c in batch + down] + [length(b, y, second.index(c)) for c in across]
    found = reshaped(b, stacked(b, left, right), lengths, dtype)
    if batch + down + across == out:
        return found
    turned = b.emit(np.transpose, found, tuple(map((batch + down + across).index, out)), kind=kind)
    return b.emit(np.ascontiguousarray, turned, kind=kind)


def _as_stack(b: Builder, a: Atom, term: str, batch: str, down: str, across: str) -> Atom:
    """An array as a stack of matrices, some of its axes being their rows, and others their columns."""
    dtype = K.dtype_of(kind_of(a))
    if term != (order := batch + down + across):
        a = b.emit(np.transpose, a, tuple(map(term.index, order)), kind=K.Array(dtype, len(term)))
        a = b.emit(np.ascontiguousarray, a, kind=K.Array(dtype, len(term)))
    sizes = [length(b, a, k) for k in range(len(term))]
    ends = len(batch), len(batch) + len(down)
    return reshaped(b, a, [product(b, p) for p in (sizes[: ends[0]], sizes[slice(*ends)], sizes[ends[1] :])], dtype)


def _as_matrix(b: Builder, a: Atom, term: str, down: str, across: str) -> Atom:
    """An array with some of its axes as the rows of a matrix, and the others as its columns."""
    if term == across + down:  # in this order it need not be copied
        return _transposed(b, _as_matrix(b, a, term, across, down))
    dtype = K.dtype_of(kind_of(a))
    if term != down + across:
        a = b.emit(np.transpose, a, tuple(map(term.index, down + across)), kind=K.Array(dtype, len(term)))
    if len(term) == 2:
        return a
    sizes = [length(b, a, k) for k in range(len(term))]
    return reshaped(b, a, [product(b, sizes[: len(down)]), product(b, sizes[len(down) :])], dtype)


def contraction(
    b: Builder,
    terms: list[str],
    out: str,
    operands: list[Atom],
    kind: K.Kind,
    unread: int | None = None,
    stretches: bool = False,
) -> Atom:
    """Loops that add the product of all operands, but for one that only gives lengths, to each item of the result.

    The result has the shape of the operand that is not read, if there is one. With ``stretches``, an axis of length one
    stands for a longer one under the same letter, as in ``np.einsum``; otherwise lengths have to be the same.
    """
    operands = [_number(b, a) if not term else a for term, a in zip(terms, operands, strict=True)]
    axes = [[length(b, a, axis) for axis in range(len(term))] for term, a in zip(terms, operands, strict=True)]
    lengths, joined = _met(b, terms, axes, stretches)
    steps = [
        [
            b.emit(helpers.stretch, n, lengths[c], kind=K.INT) if c in joined else None
            for c, n in zip(term, own, strict=True)
        ]
        for term, own in zip(terms, axes, strict=True)
    ]  # how far an operand goes from item to item: 0 where it is stretched, None where it never is
    dtype = K.strong(K.dtype_of(kind)) if K.dtype_of(kind).startswith(("float", "complex")) else "float64"
    distinct = list(dict.fromkeys(out))
    sizes = [lengths[c] for c in out] if unread is None else axes[unread]
    shape = b.index_of(*sizes) if out else Const(1)
    result = b.emit(np.zeros, shape, np.dtype(dtype).type, kind=K.Array(dtype, max(len(out), 1)))
    labels = [*distinct, *(c for c in lengths if c not in distinct)]
    index = {c: Var(c, K.INT) for c in labels}
    inner = Builder(b.origin, b.definitions, b.is_written, b.are_apart)
    total: Any = None
    for n, (term, a) in enumerate(zip(terms, operands, strict=True)):
        if n != unread:
            scalar = K.Scalar(dtype)
            part = inner.emit(operator.getitem, a, _item(inner, term, steps[n], index), kind=scalar) if term else a
            total = part if total is None else inner.emit(operator.mul, total, part, kind=scalar)
    at = _item(inner, out, [None] * len(out) if unread is None else steps[unread], index) if out else Const(0)
    inner.store(result, at, total, "+")
    stmts: list[Stmt] = inner.stmts
    for c in reversed(labels):
        block = Block(tuple(stmts))
        stmts = [For(index[c], Const(0), lengths[c], Const(1), (), (), block, (), False, b.origin)]
    b.stmts += stmts
    if out:
        return result
    number = b.emit(operator.getitem, result, 0, kind=K.Scalar(dtype))
    return b.emit(np.asarray, number, kind=K.Array(dtype, 0)) if K.is_array(kind) else number


def _meet(b: Builder, n: Atom, m: Atom) -> None:
    """Check that two axes are as long as each other."""
    b.do(helpers.same_length if b.equal_lengths else native.need_aligned, n, m)


def _met(
    b: Builder, terms: list[str], axes: list[list[Atom]], stretches: bool
) -> tuple[dict[str, Atom], frozenset[str]]:
    """The length for each letter, of the axes of all operands that have it; the letters of axes that are stretched."""
    lengths: dict[str, Atom] = {}
    joined = set()
    for term, own in zip(terms, axes, strict=True):
        mine: dict[str, Atom] = {}
        for c, n in zip(term, own, strict=True):
            if c in mine:  # a diagonal: of one operand, no axis is stretched along another
                _meet(b, mine[c], n)
            else:
                mine[c] = n
        for c, n in mine.items():
            if c not in lengths:
                lengths[c] = n
            elif b.equal_lengths or not stretches:
                _meet(b, lengths[c], n)
            else:
                lengths[c] = b.emit(helpers.joint, lengths[c], n, kind=K.INT)
                joined.add(c)
    return lengths, frozenset(joined)


def _item(b: Builder, term: str, steps: Sequence[Atom | None], index: Mapping[str, Atom]) -> Atom:
    """The index of an operand's item."""
    at = [
        index[c] if step is None else b.emit(operator.mul, step, index[c], kind=K.INT)
        for c, step in zip(term, steps, strict=True)
    ]
    return b.index_of(*at)


def _number(b: Builder, a: Atom) -> Atom:
    """The number that an array without axes holds."""
    kind = kind_of(a)
    return b.emit(native.number_in, a, kind=K.Scalar(kind.dtype)) if isinstance(kind, K.Array) and kind.rank == 0 else a
