"""Entries: the functions that callers of a derivative run.

An entry has the signature of the function differentiated.  It tests by type which compiled
variant fits its arguments, the tests being code, and calls it; for arguments that no test
knows it calls the dispatcher.  For ``f(x, A)`` compiled for a float and a matrix it reads::

    def f(x, A):
        try:
            if type(x) is float and type(A) is ndarray and A.ndim == 2 and A.dtype is float64:
                return v0(x, A)
        except Exception as error:
            annotate(error)
            raise
        return dispatch((x, A))

Small scalar variants are not called but put in place: their statements follow the test.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import lru_cache, partial
from inspect import Parameter, Signature
from itertools import combinations
from types import CodeType, FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.frontend.frozen import distribution_in_stats, is_distribution
from s2sad.frontend.places import DEFINITION, METHOD, PRESENT, HeldItems, holds_objects, may_be_builtin, value_at
from s2sad.frontend.specs import Callee, Fixed, Leaf, ListOf, Spec, Struct
from s2sad.inlining import Case, Read, small_body
from s2sad.ir.kinds import BOOL, FLOAT, INT, Array, Other, Scalar
from s2sad.structure import describe, uniform
from s2sad.watched import Watched

if TYPE_CHECKING:
    from s2sad.ir.nodes import Ref

__all__ = ["Case", "build_entry", "is_inline", "outside_reads", "still_fit"]

_FEW_TESTS = 8  # of what is outside, beyond which it is watched
_MAX_TESTS = 24  # leaves tested in line; larger structures are described and looked up
_UNSET = object()  # in place of a default
_P = "__s2sad_"  # of all names in an entry but the parameters
_ITEM = _P + "item"
_BY_VALUE = (str, bytes, slice, range, np.dtype, HeldItems)  # what a variant relies on is what is equal
_DATA = (bool, int, float, complex, np.generic, np.ndarray, tuple, list, dict, *_BY_VALUE)
_DATA_ITSELF = frozenset((type(None), bool, int, float, complex, str, np.float64, np.ndarray))
_STARS: dict[int, str] = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}
_NUMBERS = (FLOAT, INT, BOOL)
_PYTHON: dict[str, type] = {"float": float, "int": int, "bool": bool, "complex": complex}


class _Names:
    """The objects an entry mentions, by the names it uses for them; whether it calls machine code."""

    def __init__(self, compiled: bool = False) -> None:
        self.compiled = compiled
        self.bound: dict[str, Any] = {_P + "type": type, _P + "len": len, _P + "ndarray": np.ndarray}
        self._known: dict[int, str] = {}

    def of(self, value: Any) -> str:
        """The name of an object, given one if it has none."""
        name = self._known.get(id(value))
        if name is None:
            name = self._known[id(value)] = f"{_P}{len(self._known)}"
            self.bound[name] = value
        return name


def guard(spec: Spec, value: str, names: _Names) -> list[str] | None:
    """Tests, in order, that hold only if ``value`` (an expression) has this spec; None if there are no cheap ones.

    Lists of mixed numbers, which a spec may join, go to the dispatcher.
    """
    match spec:
        case Fixed(value=bool() as fixed):
            return [f"{value} is {fixed}"]
        case Fixed(value=fixed):
            return [f"{_P}type({value}) is {names.of(str)}", f"{value} == {fixed!r}"]
        case Leaf(Scalar()):
            return [f"{_P}type({value}) is {names.of(_class_of(spec))}"]
        case Leaf(Array(dtype, rank)) if rank is not None:
            tests = [f"{_P}type({value}) is {_P}ndarray", f"{value}.ndim == {rank}"]
            return [*tests, f"{value}.dtype is {names.of(np.dtype(dtype))}"] if _has_one_dtype(dtype) else None
        case Leaf(Other(cls)) if cls is type(None):
            return [f"{value} is None"]
        case Leaf(Other(cls)) if cls is not None and cls not in (list, dict):
            return [f"{_P}type({value}) is {names.of(cls)}"]
        case Callee(function) if is_distribution(type(function)):
            return [f"{names.of(distribution_in_stats)}({value}) is {names.of(function)}"]
        case Callee(function):
            return [f"{value} is {names.of(function)}"]
        case Struct():
            return _guard_struct(spec, value, names)
        case ListOf(item, cls) if cls is list:
            return _guard_list(item, value, names)
    return None


def _guard_list(item: Spec, value: str, names: _Names) -> list[str] | None:
    """Tests of a list that is not empty; numbers in nested lists are looked at all at once."""
    tests = [f"{_P}type({value}) is {names.of(list)}"]
    depth, leaf = _innermost(item)
    if isinstance(leaf, Leaf) and isinstance(leaf.kind, Scalar):
        cls = _class_of(leaf)
        if names.compiled and (told := _told_by_machine_code(depth, cls)) is not None:
            return [f"{names.of(told)}({value})"]
        return [*tests, f"{names.of(uniform)}({value}) == {names.of((depth, cls))}"]
    found = guard(item, _ITEM, names)
    if found is None:
        return None
    return [*tests, value, f"{names.of(all)}([{' and '.join(found)} for {_ITEM} in {value}])"]


def _told_by_machine_code(depth: int, cls: type) -> Callable[[Any], Any] | None:
    """What tells in machine code whether a value is such a nest of lists, where there is any."""
    from s2sad.compiled import reading

    return reading.told(depth, cls)


def _innermost(item: Spec) -> tuple[int, Spec]:
    """How deep a nest of lists with such items is, and the spec of what is in it."""
    depth = 1
    while isinstance(item, ListOf) and item.cls is list:
        depth, item = depth + 1, item.item
    return depth, item


def _class_of(number: Leaf) -> type:
    """The class of the numbers of a spec."""
    dtype: str = number.kind.dtype  # type: ignore[attr-defined]
    return np.bool_ if number.numpys else _PYTHON.get(dtype) or np.dtype(dtype).type


def _guard_struct(spec: Struct, value: str, names: _Names) -> list[str] | None:
    tests = [f"{_P}type({value}) is {names.of(spec.cls)}"]
    if issubclass(spec.cls, dict):
        if spec.cls is not dict:
            return None
        tests.append(f"(*{value},) == {names.of(spec.keys)}")
        items = [f"{value}[{key!r}]" for key in spec.keys]
    elif issubclass(spec.cls, tuple | list):
        if spec.cls is tuple or spec.cls is list:
            tests.append(f"{_P}len({value}) == {len(spec.keys)}")
        items = [f"{value}[{i}]" for i in range(len(spec.keys))]
    elif is_dataclass(spec.cls):
        items = [f"{value}.{name}" for name in spec.keys]
    else:
        return None
    for item, text in zip(spec.items, items, strict=True):
        found = guard(item, text, names)
        if found is None:
            return None
        tests += found
    return tests


def _has_one_dtype(dtype: str) -> bool:
    """Whether arrays of this dtype all hold the same dtype object."""
    return dtype.rstrip("0123456789") in ("float", "int", "uint", "bool", "complex")


def build_entry(
    name: str,
    qualname: str,
    signature: Signature,
    arguments: Sequence[str],
    bound: dict[str, Any],
    cases: Sequence[Case],
    dispatch: Callable[[tuple[Any, ...]], Any],
    annotate: Callable[[BaseException], Any] | None = None,
    live: Mapping[str, FunctionType | partial[Any]] = MappingProxyType({}),
    partials: Sequence[partial[Any]] = (),
) -> FunctionType:
    """The entry for callers with this signature; ``arguments`` are what variants get, as expressions in its names.

    Of the parameters that are ``live`` the defaults are those that a function, or a partial, has when the entry is
    called. It refuses to be where ``partials`` bind other names than they did.
    """
    names = _Names(any(case.compiled for case in cases))
    names.bound |= {**bound, _P + "dispatch": dispatch, _P + "annotate": annotate, "__name__": "s2sad.entry"}
    lines = [line for case in cases for line in _case(case, arguments, names)]
    if lines:
        lines = [
            "    try:",
            *lines,
            *(_gone_attributes(names) if any(case.reads for case in cases) else ()),
            f"    except {names.of(Exception)} as {_P}error:",
            f"        {_P}annotate({_P}error)",
            "        raise",
        ]
    packed = "".join(f"{a}, " for a in arguments)
    live = {p.name: live[p.name] for p in signature.parameters.values() if p.default is not p.empty and p.name in live}
    header, defaults, keyword_defaults = _header(signature, live)
    now = [
        f"    if (*{names.of(p)}.keywords,) != {(*p.keywords,)}: {names.of(_refuse_names)}({names.of(p)})"
        for p in partials
    ]
    now += [f"    if {p} is {names.of(_UNSET)}: {p} = {names.of(f)}.{_default(f, p)}" for p, f in live.items()]
    text = "\n".join([f"def {_P}entry({header}):", *now, *lines, f"    return {_P}dispatch(({packed}))"])
    if cases and (body := small_body(cases[0], arguments)) is not None:
        names.bound = {**body.globals, **names.bound}
        tree = ast.parse(text)
        code = compile(tree, body.put_in(tree), "exec", dont_inherit=True)
    else:
        code = _code(text)
    exec(code, names.bound)
    entry: FunctionType = names.bound.pop(_P + "entry")
    entry.__defaults__, entry.__kwdefaults__ = defaults, keyword_defaults
    entry.__name__, entry.__qualname__ = name, qualname
    entry.__code__ = entry.__code__.replace(co_name=name, co_qualname=qualname)  # for tracebacks
    return entry


def _gone_attributes(names: _Names) -> list[str]:
    """Lines that leave it to the dispatcher where a test finds an attribute gone; what a variant raises goes on."""
    return [
        f"    except {names.of(AttributeError)} as {_P}error:",
        f"        if {_P}error.__traceback__.tb_next is not None:",
        f"            {_P}annotate({_P}error)",
        "            raise",
    ]


@lru_cache(maxsize=256)
def _code(text: str) -> CodeType:
    """The text of an entry, compiled: those of many derivatives are the same but for the objects they mention."""
    return compile(text, "<s2sad entry>", "exec", dont_inherit=True)


def is_inline(case: Case, arguments: Sequence[str]) -> bool:
    """Whether an entry can tell such arguments apart."""
    return _tests(case, arguments, _Names()) is not None


def _tests(case: Case, arguments: Sequence[str], names: _Names) -> list[str] | None:
    tests: list[str] = []
    for spec, argument in zip(case.specs, arguments, strict=True):
        passed = argument.isidentifier() and not argument.startswith(_P)
        found = guard(spec, argument, names) if passed else _guard_fixed(spec, argument, names)
        if found is None:
            return None
        tests += found
    return tests + _tests_of_reads(case.reads, names) if len(tests) <= _MAX_TESTS else None


def outside_reads(refs: Iterable[Ref]) -> tuple[Read, ...]:
    """What a variant relies on outside its function, as it is now: of containers, of what kinds they hold things."""

    def by_kind(r: Ref) -> bool:
        return isinstance(r.value, tuple | list | dict) and not r.exact and not _is_one_object(r)

    return tuple((r, _described(r.value) if by_kind(r) else None) for r in refs)


class _Same:
    """An object, equal to itself only."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def _described(value: Any) -> Any:
    """What a variant relies on of a container: its spec, and which objects it holds that are no data."""
    objects = tuple(map(_Same, _objects(value))) if isinstance(value, tuple | list | dict) else ()
    parted = _lists_apart(value)
    if not objects and parted is value:
        return describe(value)
    return describe(parted), objects


def _lists_apart(value: Any) -> Any:
    """A container with tuples for the lists in it that hold functions or objects: these are taken apart as well."""
    match value:
        case list() if holds_objects(value):
            return "list", *map(_lists_apart, value)
        case tuple() | dict() if holds_objects(value):
            items = [*(value.values() if isinstance(value, dict) else value)]
            parted = [*map(_lists_apart, items)]
            if all(map(operator.is_, items, parted)):
                return value
            return dict(zip(value, parted, strict=True)) if isinstance(value, dict) else (type(value), *parted)
    return value


def _objects(value: Any) -> Iterator[Any]:
    """The objects that tuples, lists and dicts hold besides numbers, strings and arrays, and functions in lists."""
    items = value.values() if isinstance(value, dict) else value
    if _DATA_ITSELF.issuperset(map(type, items)):
        return
    for item in items:
        match item:
            case tuple() | list() | dict():
                yield from _objects(item)
            case None | bool() | int() | float() | complex() | str() | np.generic() | np.ndarray():
                pass
            case FunctionType() | np.ufunc() if not isinstance(value, list):
                pass  # of which a spec says the same
            case _:
                yield item


def _tests_of_reads(reads: Sequence[Read], names: _Names) -> list[str]:
    """Tests that globals and closure cells are of the kinds they were, and functions the same."""
    tests: list[str] = []
    for ref, spec in reads:
        if isinstance(ref.value, HeldItems):
            tests += _tests_of_items(ref, names)
            continue
        value = _text(ref, names)
        if _is_one_object(ref):
            tests.append(f"{value} is {names.of(ref.value)}")
            continue
        if isinstance(ref.value, _BY_VALUE) or ref.exact:
            tests += [f"{_P}type({value}) is {names.of(type(ref.value))}", f"{value} == {names.of(ref.value)}"]
            continue
        if spec is not None:
            found = guard(spec, value, names) if _is_told_by_tests(ref.value, spec) else None
            few = found is not None and len(found) <= _FEW_TESTS
            tests += (found or []) if few else [f"{names.of(Watched(_described, spec))}({value})"]
            continue
        leaf = Leaf(ref.kind, isinstance(ref.value, np.bool_))
        numeric = guard(leaf, value, names) if isinstance(ref.kind, Scalar | Array) else None
        tests += numeric or [f"{_P}type({value}) is {names.of(type(ref.value))}"]
    return tests


def _tests_of_items(ref: Ref, names: _Names) -> list[str]:
    """Tests that a dict holds the very objects that it held."""
    held, then = ".".join((names.of(ref.root), *ref.path[1:-1])), ref.value.items
    unset = names.of(_UNSET)
    keys = {key: repr(key) if type(key) is str else names.of(key) for key in then}
    same = [f"{held}.get({keys[key]}, {unset}) is {names.of(item)}" for key, item in then.items()]
    return [f"{_P}len({held}) == {len(then)}", *same]


def _is_told_by_tests(value: Any, spec: Any) -> bool:
    """Whether tests by type tell a container: not one of lists, nor of a class like that of ``sys.version_info``."""
    return isinstance(spec, Struct) and type(value) is spec.cls and not _has_lists(spec)


def _has_lists(spec: Spec) -> bool:
    """Whether it is the spec of lists, or of what holds some."""
    return isinstance(spec, ListOf) or (isinstance(spec, Struct) and any(map(_has_lists, spec.items)))


def _text(ref: Ref, names: _Names) -> str:
    """An expression for what :func:`~s2sad.frontend.outside.value_at` gives for a reference."""
    root, path = ref.root, ref.path
    if len(path) == 2 and may_be_builtin(root, path[1]):
        return f"{names.of(vars(root))}.get({path[1]!r}, {names.of(getattr(builtins, path[1]))})"
    if path[-1] == PRESENT:
        return f"{names.of(hasattr)}({'.'.join((names.of(root), *path[1:-2]))}, {path[-2]!r})"
    if path[-1] != METHOD:
        return ".".join((names.of(root), *path[1:]))
    return f"{names.of(getattr)}({'.'.join((names.of(root), *path[1:-1]))}, {METHOD!r}, None)"


def _is_one_object(ref: Ref) -> bool:
    """Whether a variant relies on this very object: on any but data, of which kinds and values matter."""
    return callable(ref.value) or not isinstance(ref.value, _DATA) or ref.path[-1] in DEFINITION


def still_fit(reads: Sequence[Read]) -> bool:
    """Whether what a variant found in globals and closure cells is still of its kind, and functions are the same."""
    try:
        return all(_is_alike(ref, spec, value_at(ref.root, ref.path)) for ref, spec in reads)
    except AttributeError:  # an attribute is gone
        return False


def _is_alike(ref: Ref, spec: Any, now: Any) -> bool:
    then = ref.value
    if spec is not None:
        return bool(_described(now) == spec)
    if then is now or _is_one_object(ref):
        return then is now
    if isinstance(then, _BY_VALUE) or ref.exact:
        return type(now) is type(then) and bool(now == then)
    numeric = isinstance(then, np.ndarray | np.generic)
    return type(now) is type(then) and (not numeric or (now.dtype, now.ndim) == (then.dtype, then.ndim))


def _case(case: Case, arguments: Sequence[str], names: _Names) -> list[str]:
    tests = _tests(case, arguments, names)
    if tests is None:
        return []
    looking = _call(_machine_code(case) or case.function, case, arguments, names)
    apart = _tests_of_own_memory(case.function, arguments)
    if apart:
        direct = _call(case.function.__wrapped__, case, arguments, names)  # type: ignore[attr-defined]
        looking = f"{direct} if {' and '.join(apart)} else {looking}"
    if not tests:
        return [f"        return {looking}"]
    return [f"        if {' and '.join(tests)}:", f"            return {looking}"]


def _machine_code(case: Case) -> Callable[..., Any] | None:
    """What Numba compiled a variant of numbers to, once it has been called: the tests told their types already."""
    overloads = list(getattr(case.function, "overloads", {}).values())
    numbers = all(isinstance(s, Leaf) and s.kind in _NUMBERS for s in case.specs)
    return getattr(overloads[0], "entry_point", None) if numbers and len(overloads) == 1 else None


def _call(function: Callable[..., Any], case: Case, arguments: Sequence[str], names: _Names) -> str:
    """A call of a variant, as an expression."""
    passed = [f"{names.of(float)}({a})" if i in case.floats else a for i, a in enumerate(arguments)]
    call = f"{names.of(function)}({', '.join(passed)})"
    return call if case.result is None else f"{names.of(case.result)}({call})"


def _tests_of_own_memory(function: Callable[..., Any], arguments: Sequence[str]) -> list[str]:
    """Tests that hold only if arrays that a function looks at share no memory, so that it need not look."""
    watch = getattr(function, "watch", None)
    arrays = [arguments[k] for k in (watch.arrays if watch is not None else None) or ()]
    different = [f"{a} is not {b}" for a, b in combinations(arrays, 2)]
    return [*different, *(f"{a}.flags.owndata" for a in arrays)]


def _guard_fixed(spec: Spec, argument: str, names: _Names) -> list[str] | None:
    """Tests of an argument that callers do not pass themselves."""
    if argument in ("()", "{}"):
        return []
    if not argument.startswith(_P):
        return None
    match spec:
        case Leaf(Scalar() | Other()) | Callee():
            return []  # it is the same object each time, and such a one does not change
    return guard(spec, argument, names)


def _refuse_names(changed: partial[Any]) -> None:
    names = ", ".join(changed.keywords) or "nothing"
    raise TypeError(f"the functools.partial binds other names by now ({names}): differentiate it anew")


def _default(function: FunctionType | partial[Any], parameter: str) -> str:
    """Where a function has the default of a parameter, or a partial what it binds."""
    if isinstance(function, partial):
        return f"keywords[{parameter!r}]"
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    if parameter in positional:
        return f"__defaults__[{positional.index(parameter) - len(positional)}]"
    return f"__kwdefaults__[{parameter!r}]"


def _header(
    signature: Signature, live: Mapping[str, FunctionType | partial[Any]]
) -> tuple[str, tuple[Any, ...] | None, dict[str, Any] | None]:
    """The parameter list as text, its defaults left to be set on the function: none yet of those that are live."""
    parts: list[str] = []
    last = None
    for p in signature.parameters.values():
        if last is Parameter.POSITIONAL_ONLY and p.kind is not last:
            parts.append("/")
        if p.kind is Parameter.KEYWORD_ONLY and last not in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL):
            parts.append("*")
        default = "=None" if p.default is not p.empty else ""
        parts.append(_STARS.get(p.kind, "") + p.name + default)
        last = p.kind
    if last is Parameter.POSITIONAL_ONLY:
        parts.append("/")
    given = [p for p in signature.parameters.values() if p.default is not p.empty]
    values = {p.name: _UNSET if p.name in live else p.default for p in given}
    positional = tuple(values[p.name] for p in given if p.kind is not Parameter.KEYWORD_ONLY)
    keyword = {p.name: values[p.name] for p in given if p.kind is Parameter.KEYWORD_ONLY}
    return ", ".join(parts), positional or None, keyword or None
