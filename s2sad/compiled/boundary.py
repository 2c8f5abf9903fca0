"""The boundary: what stays Python around the part of a derivative that is compiled.

Before::

    def f_grad(p: dict, n: int):
        a: float = p['a']
        b = math.sin(a)
        c = b * n
        d = {'a': c}
        return d

After, the compiled part being a function of its own::

    def f_grad(p, n):
        a = p['a']
        c = f_grad_compiled(a, n)
        d = {'a': c}
        return d

Numba takes numbers, arrays and tuples of them.  Structured arguments are taken apart before the
call and results put together after it; values of globals and closure cells are read before the
call and passed as arguments; a pullback becomes a Python closure around a second compiled
function, which gets what the closure captured.

Requires: the optimised, protected and linked IR of a derivative.
Ensures: the native functions have no closures, no references to objects outside (but libraries'
constants), and parameters that Numba takes.  Where the whole derivative is like that it is returned as it is.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from s2sad.analysis.effects import KEEPS_NOTHING, WRITES_DEEP, only_computes, writes_of
from s2sad.analysis.memory import Memory
from s2sad.analysis.outside import data_refs, hint_of
from s2sad.compiled.aliases import rejoined, sharing, together
from s2sad.compiled.crossing import (
    as_array,
    as_columns,
    as_complex,
    as_floats,
    as_ragged,
    as_tuples,
    in_place,
    ragged_of,
)
from s2sad.compiled.errors import HELP
from s2sad.compiled.expand import kind_of
from s2sad.compiled.indices import has_slices
from s2sad.compiled.passing import encoded, has_lists, is_rows, is_whole, needs_python, passes, put_together, received
from s2sad.errors import CompileError
from s2sad.frontend.values import Keyed
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Comment, Const, Function, Op, Ref, Stmt, Store, Var
from s2sad.ir.rewrite import free_vars, map_atoms, map_operands, map_stmts, substitute, uses_of, walk, with_body
from s2sad.names import Namer
from s2sad.runtime import helpers

__all__ = ["Split", "split"]


@dataclass(frozen=True)
class Split:
    """A derivative as its Python part, which is called, and the functions that are compiled."""

    entry: Function
    natives: tuple[Function, ...]


def split(function: Function) -> Split:
    """Part a derivative into what is compiled and what is done around it."""
    if _is_native(function):
        return Split(function, (function,))
    natives: list[Function] = []
    function = with_body(function, map_stmts(function.body, _Slices(function).made_within))
    body = _split_body(function, natives, Memory(function))
    entry = Function(function.name, function.params, body, function.doc, function.origin)
    return Split(entry, tuple(natives))


_CONSTRUCTS = (prims.make_tuple, prims.make_instance, prims.make_dict, prims.make_list)
#: Copies of what comes in: they stay outside only if nothing has been changed yet.
_COPIES = (helpers.copy_state, helpers.copy_tree, helpers.laid_out, helpers.laid_out_leaves, prims.list_copy)
_ACCESSES = (operator.getitem, prims.getattr_)
_RANGE = K.Other(range)


def _is_native(function: Function) -> bool:
    """Whether all of a function can be compiled as it stands."""
    if not all(passes(p.kind) for p in function.params) or free_vars(function):
        return False
    if needs_python(function.result):
        return False
    made = [s for s in function.body.stmts if isinstance(s, Closure)]
    odd = [s for s in function.body.stmts if isinstance(s, Op) and s.fn in (*_CONSTRUCTS[1:3], np.random.default_rng)]
    return not made and not odd and not data_refs(function)


class _Slices:
    """Makes slices where they are used, for Numba takes them as arguments, but does not return all of them.

    So it does tuples of literals: forms ask what is in them. Ranges it does not return at all.
    """

    def __init__(self, function: Function) -> None:
        self.definitions = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}

    def made_within(self, s: Stmt) -> Stmt:
        """A pullback that makes such values by itself."""
        if not isinstance(s, Closure):
            return s
        body = s.function.body
        while made := [v for v in free_vars(s.function) if self.is_made(v)]:
            copies = {v: Var(v.hint, v.kind) for v in made}
            ops = [self.definitions[v] for v in made]
            again = [Op(copies[op.target], op.fn, op.args, op.kwargs, op.origin) for op in ops if op.target is not None]
            inner = substitute(body, copies)
            body = Block((*again, *inner.stmts), inner.outs)
            s = Closure(s.target, Function(s.function.name, s.function.params, body), s.origin)
        return s

    def is_made(self, v: Var) -> bool:
        """Whether a value is a slice, a range, or a tuple of slices or literals, that is put together."""
        op = self.definitions.get(v)
        if op is not None and v.kind == _RANGE:
            return op.fn in (range, operator.getitem)
        if op is None or op.fn not in (prims.make_slice, prims.make_tuple):
            return False
        return has_slices(v.kind) or all(
            isinstance(a, Const) or (isinstance(a, Var) and self.is_made(a)) for a in op.args
        )


def _is_member(ref: Ref) -> bool:
    """Whether this is an integer with a name: a member of an ``IntEnum``, which Numba takes for no number."""
    return isinstance(ref.value, int) and isinstance(ref.value, enum.Enum)


# ---------------------------------------------------------------- one body


def _split_body(function: Function, natives: list[Function], memory: Memory, visible: Sequence[Var] = ()) -> Block:
    """The Python part of a function's body, its compiled part being added to ``natives``."""
    before, middle, after = _parts(function, visible, memory)
    middle, after, outs = _handed_back(function, middle, after, memory)
    refs = {ref: Var(hint_of(ref), ref.kind) for ref in data_refs(Block(tuple(middle)))}
    before += [Op(v, int if _is_member(ref) else prims.identity, (ref,)) for ref, v in refs.items()]
    closures = [(k, s) for k, s in enumerate(after) if isinstance(s, Closure)]
    place = len(natives)
    for k, s in closures:
        inner = _split_body(s.function, natives, memory, [s.target])
        after[k] = Closure(s.target, Function(s.function.name, s.function.params, inner), s.origin)
    if not any(not isinstance(s, Comment) for s in middle):
        return Block((*before, *after), outs)
    block = map_atoms(Block(tuple(middle)), lambda a: refs.get(a, a) if type(a) is Ref else a)
    defined = _defined(block.stmts)
    wanted = [v for v in _used_by(after, outs) if v in defined]
    native, call = _native(f"{function.name}_compiled", block, wanted, function, memory)
    natives.insert(place, native)
    if closures:
        shown = {c for a in outs for c in memory.reachable(a)}
        later = _changed_by([s for _, c in closures for s in c.function.body.stmts], memory)
        call = rejoined(call, sharing(memory, wanted, later | memory.asked | (memory.written & shown)))
    before, call = _copied_once(before, call, _used_by(after, outs))
    return Block((*before, *call, *after), outs)


def _handed_back(
    function: Function, middle: list[Stmt], after: list[Stmt], memory: Memory
) -> tuple[list[Stmt], list[Stmt], tuple[Atom, ...]]:
    """Statements to be compiled that hand back the lists they change, for they get copies, and what uses these."""
    outs = function.body.outs
    changed = _changed_by(middle, memory)
    given = free_vars(Block(tuple(middle)))
    used = _used_by(after, outs)
    back = {v: Var(v.hint, v.kind) for v in used if v in given and _is_changed_list(v, changed, memory)}
    for v, new in back.items():
        memory.unify(new, v)
    lists = {memory.find(v) for v in memory.parent if isinstance(v, Var) and isinstance(v.kind, K.List | K.Dict)}
    here = _defined((*middle, *after))
    stale = [v for v in used if v not in back and v not in here and not isinstance(v.kind, K.Array)]
    if any(c in changed and c in lists for v in stale for c in memory.reachable(v)):
        raise CompileError(
            "a list in a dict or an object, changed and used as a whole, cannot be compiled.",
            HELP,
            origin=function.origin,
        )
    middle = [*middle, *(Op(new, prims.identity, (v,)) for v, new in back.items())]
    moved = substitute(Block(tuple(after), outs), back)
    return middle, list(moved.stmts), moved.outs


def _changed_by(stmts: Sequence[Stmt], memory: Memory) -> set[Any]:
    """The classes of what statements change."""
    changed: set[Any] = set()
    for s in walk(Block(tuple(stmts))):
        if isinstance(s, Op) and (writes_of(s) if isinstance(s.fn, Function) else s.fn in WRITES_DEEP):
            changed.update(c for a in s.args for c in memory.reachable(a))
        elif isinstance(s, Op | Store):
            changed.update(memory.of(a) for a in writes_of(s))
    return changed - {None}


def _is_changed_list(v: Var, changed: set[Any], memory: Memory) -> bool:
    """Whether a value is passed as a copy, of which something is among what is changed."""
    return isinstance(v.kind, K.List) and not changed.isdisjoint(memory.reachable(v))


def _copied_once(before: list[Stmt], call: list[Stmt], kept: list[Var]) -> tuple[list[Stmt], list[Stmt]]:
    """Without the copies of what is passed as a copy anyway, and not used otherwise."""
    passing = {s.args[0]: s for s in call if isinstance(s, Op) and _passes_copy(s)}
    others = [s for s in (*before, *call) if s not in passing.values()]
    used = {*kept, *(a for s in others for a in uses_of(s))}
    copies = [s for s in before if isinstance(s, Op) and s.fn in _COPIES]
    gone: dict[Atom, Atom] = {
        s.target: s.args[0] for s in copies if s.target and s.target in passing and s.target not in used
    }
    left = [s for s in before if not (isinstance(s, Op) and s.target in gone)]
    return left, [map_operands(s, lambda a: gone.get(a, a)) for s in call]


def _passes_copy(s: Op) -> bool:
    """Whether an argument is passed as arrays of its own that hold all that is in it."""
    match s:
        case Op(fn=fn, args=(_, Const(form))):
            return fn is as_columns and is_whole(form)
    return s.fn in (as_floats, as_array, as_complex, as_ragged)


def _parts(function: Function, visible: Sequence[Var], memory: Memory) -> tuple[list[Stmt], list[Stmt], list[Stmt]]:
    """What takes arguments apart, what computes, and what puts results together."""
    stmts = list(function.body.stmts)
    boxed = {p for p in function.params if not passes(p.kind) or isinstance(p.kind, K.Tuple)}
    boxed |= set(free_vars(function))
    before: list[Stmt] = []
    rest: list[Stmt] = []
    changed = False  # what is copied, perhaps
    whole = {s.args[0] for s in stmts if isinstance(s, Op) and s.fn in _COPIES}
    known = boxed.union(function.params)
    for s in stmts:
        late = isinstance(s, Op) and (changed if s.fn in _COPIES else s.target not in whole and _joins_lists(s))
        if (_takes_apart(s, boxed, memory) and not late) or _makes_generator(s, known):
            before.append(_as_in_python(s))
            assert isinstance(s, Op) and s.target is not None
            boxed.add(s.target)
            known.add(s.target)
        else:
            rest.append(s)
            changed = changed or not _changes_nothing(s)
    after: list[Stmt] = []
    outside: set[Var] = {a for a in function.body.outs if isinstance(a, Var)}
    inside: set[Var] = set()
    kept: list[Stmt] = []
    for s in reversed(rest):
        target = s.target if isinstance(s, Op | Closure) else None
        puts = isinstance(s, Closure) or (isinstance(s, Op) and s.fn in _CONSTRUCTS)
        if puts and target is not None and target not in outside and target not in inside:
            continue  # nothing uses it
        if puts and target in outside and target not in inside:
            after.insert(0, _as_in_python(s))
            outside.update(_used_by([s], ()))
        else:
            kept.insert(0, s)
            inside.update(_used_by([s], ()))
    return before, kept, after


def _as_in_python(s: Stmt) -> Stmt:
    """A statement that takes apart, or puts together, in Python what is a dict or a list there, of a tuple's parts."""
    match s:
        case Op(target=target, fn=operator.getitem, args=(Var(kind=K.Tuple(_, cls)) as base, Const(int() as k))):
            if cls is not None and issubclass(cls, Keyed):
                return Op(target, operator.getitem, (base, Const(cls.keys[k])), (), s.origin)
        case Op(target=Var(kind=K.Tuple(_, cls)) as target, fn=prims.make_tuple, args=args):
            if cls is not None and issubclass(cls, Keyed):
                return put_together(target, cls, args, s.origin)
    return s


def _joins_lists(s: Op) -> bool:
    """Whether a statement makes a tuple with lists, of which what is compiled may hand back others."""
    return s.fn is prims.make_tuple and any(has_lists(kind_of(a)) for a in s.args)


def _changes_nothing(s: Stmt) -> bool:
    """Whether a statement leaves all objects as they are; a check does."""
    if not isinstance(s, Op) or s.kwargs:
        return False
    return only_computes(s.fn) or any(s.fn is f for f in KEEPS_NOTHING)


def _takes_apart(s: Stmt, boxed: set[Var], memory: Memory) -> bool:
    """Whether a statement takes a part of an argument, reads a value outside, or copies what a pullback captured."""
    if not isinstance(s, Op) or s.target is None:
        return False
    if s.fn is prims.identity:
        return isinstance(s.args[0], Ref)
    if s.fn in _COPIES:
        given = kind_of(s.args[0])  # a copy of a list of lists has the same lists, which would be passed twice
        shallow = s.fn is prims.list_copy and not (isinstance(given, K.List) and isinstance(given.item, K.Scalar))
        return s.args[0] in boxed and not shallow
    if s.fn is prims.make_tuple:
        outside = [a for a in s.args if a in boxed]
        return bool(outside) and s is _as_in_python(s) and all(a in boxed or isinstance(a, Const) for a in s.args)
    base = s.args[0] if s.args else None
    kind = kind_of(base) if isinstance(base, Var) else None
    known = base in boxed and not isinstance(kind, K.Array | K.Scalar | K.Numeric | K.List)
    if isinstance(base, Var) and isinstance(kind, K.Dict):
        known = known and not memory.opaque and memory.of(base) not in memory.written
    return s.fn in _ACCESSES and (known or isinstance(base, Ref)) and isinstance(s.args[1], Const)


def _makes_generator(s: Stmt, known: set[Var]) -> TypeGuard[Op]:
    """Whether a statement makes a generator of random numbers, of what the Python part has: Numba takes it."""
    if not isinstance(s, Op) or s.fn is not np.random.default_rng or s.kwargs:
        return False
    return all(isinstance(a, Const) or (a in known and isinstance(kind_of(a), K.Scalar)) for a in s.args)


def _defined(stmts: Iterable[Stmt]) -> set[Var]:
    from s2sad.ir.rewrite import targets_of

    return {t for s in stmts for t in targets_of(s)}


def _used_by(stmts: Iterable[Stmt], outs: Iterable[Atom]) -> list[Var]:
    """The variables that statements (with their blocks) and outs read, in order."""
    stmts = tuple(stmts)
    found = dict.fromkeys(free_vars(Block(stmts)))
    found |= dict.fromkeys(a for s in stmts for a in uses_of(s) if isinstance(a, Var))
    return [*found, *(a for a in outs if isinstance(a, Var) and a not in found)]


def _native(
    name: str, block: Block, wanted: list[Var], function: Function, memory: Memory
) -> tuple[Function, list[Stmt]]:
    """The compiled function of some statements, and the statements that call it for what is wanted of them."""
    captured = free_vars(block)
    names = Namer()
    params = {v: Var(names.fresh(v.hint), v.kind) for v in captured}
    passed: list[Atom] = []
    calls: list[Stmt] = []
    opened: list[Stmt] = []
    given: list[Var] = []
    changed = _changed_by(block.stmts, memory) | memory.asked
    # what must be the objects themselves
    kept = changed.union(*map(memory.reachable, function.body.outs))
    kept |= memory.written.intersection(c for v in wanted for c in memory.reachable(v))
    for v, p in params.items():
        copies = not memory.opaque and kept.isdisjoint(memory.reachable(v))
        passed_as, convert, unpack = encoded(v, p, function.origin, copies)
        calls += convert
        opened += unpack
        passed.append(passed_as)
        given.append(unpack[0].args[0] if unpack else p)  # type: ignore[arg-type]
    groups = list(sharing(memory, captured, changed))
    opened += [Op(None, together, tuple(params[v] for v in group)) for group in groups]
    shared = {v for group in groups for v in group}
    calls = [Op(s.target, in_place, s.args) if _copies(s, shared) else s for s in calls]
    body = substitute(block, params)
    rows = {v: Var(v.hint, K.ANY) for v in wanted if is_rows(v.kind)}
    body = Block((*body.stmts, *(Op(r, ragged_of, (v,)) for v, r in rows.items())), body.outs)
    handed = [rows.get(v, v) for v in wanted]
    for holds, what in ((has_slices, "slice"), (_has_ranges, "range")):
        if any(holds(v.kind) for v in wanted):
            message = f"a {what} that the derivative keeps for later cannot be compiled."
            raise CompileError(message, HELP, origin=function.origin)
    result = Var("", K.Tuple(tuple(v.kind for v in handed)))
    stmts = (*opened, *body.stmts)
    outs: tuple[Atom, ...] = (handed[0],) if len(wanted) == 1 else (result,)
    if len(wanted) != 1:
        stmts = (*stmts, Op(result, prims.make_tuple, tuple(handed)))
    # what the compiled function hands out and what the caller gets are not the same variables
    fresh = {v: Var(v.hint, v.kind) for v in _all_defined(stmts)}
    whole = map_atoms(Block(stmts, outs), lambda a: fresh.get(a, a) if type(a) is Var else a, lambda v: fresh.get(v, v))
    native = Function(name, tuple(given), whole, function.doc, function.origin)
    made = [s.args[0] for s in walk(block) if isinstance(s, Op) and s.fn is prims.make_instance]
    classes = {a.value: a for a in made if isinstance(a, Const | Ref)}
    captures = {v for s in walk(function) if isinstance(s, Closure) for v in free_vars(s.function)}
    calls += received(native, passed, wanted, [*function.params, *captured], classes, captures)
    return native, calls


def _has_ranges(kind: K.Kind) -> bool:
    """Whether a value of this kind is a range, or holds one."""
    match kind:
        case K.Tuple(items):
            return any(map(_has_ranges, items))
        case K.List(item):
            return _has_ranges(item)
    return kind == _RANGE


def _copies(s: Stmt, shared: set[Var]) -> TypeGuard[Op]:
    """Whether a statement passes on copies of arrays that are to be changed, where they are not in one piece."""
    return isinstance(s, Op) and s.fn is as_tuples and s.args[0] in shared


def _all_defined(stmts: Sequence[Stmt]) -> list[Var]:
    from s2sad.ir.rewrite import all_vars

    return list(all_vars(Block(tuple(stmts))))
