"""Derivatives as callables: compiled on demand, one variant per kinds of arguments.

:class:`Derivative` is what ``grad`` and the other operators return.  Calling one runs its
*entry* (:mod:`s2sad.guards`), generated code that picks the compiled variant; the first call
with arguments of a new kind comes to :meth:`Derivative.dispatch`, which compiles.
"""

from __future__ import annotations

import functools
import operator
import sys
import threading
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from s2sad import structure
from s2sad.backends import INTERPRETED, Backend, backend_of
from s2sad.errors import CompileError, NotDifferentiable, NotScalar, S2sadError, UnsupportedSyntax
from s2sad.flags import fixed_specs
from s2sad.frontend.specs import Items, Leaf, Place, Spec
from s2sad.guards import Case, build_entry, is_inline, still_fit
from s2sad.inside import make_known
from s2sad.ir import kinds
from s2sad.remade import made_by, remade_or
from s2sad.runtime import helpers
from s2sad.tangents import floated, naming, within
from s2sad.targets import Target, call_of_primitive, required, resolve_wrt, target_of

if TYPE_CHECKING:
    from s2sad.natives import NativeVariant
    from s2sad.pipeline import Variant

__all__ = ["Binder", "Derivative", "Variants", "active_argument", "counting_among", "guarded", "variants_of"]

_MAX_CASES = 4  # variants that an entry tells apart by itself
_MAX_VARIANTS = 256  # kept per function and mode
_MAX_FUNCTIONS = 64  # whose variants outlive the derivatives that use them
_MAX_ALIKE = 8  # of these, made by one def or lambda
_lock = threading.RLock()
_UNTOLD = "annotate the parameters, or ask for the text for arguments like yours: source_for(*args), or --for 'ARGS'."


# ---- compiled variants


_Key: TypeAlias = tuple[tuple[int | Items, ...], Any]


class Variants:
    """The compiled variants of one function in one mode, by what to differentiate by and specs."""

    def __init__(self, fn: Callable[..., Any], mode: str, backend: Backend) -> None:
        self.fn = fn
        self.mode = mode
        self.backend = backend
        self._known: dict[_Key, tuple[Variant | NativeVariant, ...]] = {}
        self._refused: set[tuple[Spec, ...]] = set()  #: specs that do not tell enough: see :meth:`fitting`

    def get(self, wrt: tuple[int | Items, ...], specs: tuple[Spec | None, ...] | None) -> Variant | NativeVariant:
        """The variant for these arguments, compiled if it is new or globals have changed their kinds."""
        key = (wrt, specs)
        return self._fitting(key) or self._compile(key)

    def fitting(
        self, wrt: tuple[int | Items, ...], specs: tuple[Spec, ...], values: tuple[Any, ...]
    ) -> tuple[tuple[Spec, ...], Variant | NativeVariant]:
        """The variant for these values, and the specs that it is for: where those given are refused, less general ones.

        Raises what the first are refused with, if nothing helps.
        """
        if self._refused and specs in self._refused:
            fixed = fixed_specs(specs, values)
            return fixed, self.get(wrt, fixed)
        try:
            return specs, self.get(wrt, specs)
        except (UnsupportedSyntax, CompileError, NotScalar) as refusal:  # others are raised for these flags as well
            fixed = fixed_specs(specs, values)
            if fixed == specs:
                raise
            try:
                variant = self.get(wrt, fixed)
            except (S2sadError, NotScalar):
                raise refusal from None
            self._refused.add(specs)
            return fixed, variant

    def _fitting(self, key: _Key) -> Variant | NativeVariant | None:
        return next((v for v in self._known.get(key, ()) if still_fit(v.reads)), None)

    def _compile(self, key: _Key) -> Variant | NativeVariant:
        with _lock:
            variant = self._fitting(key)
            if variant is None:
                make = functools.partial(self._made, *key)
                told = key[1] is not None  # else the kinds of defaults tell
                variant = remade_or(self.fn, (self.mode, self.backend, *key), make) if told else make()
                if len(self._known) >= _MAX_VARIANTS:
                    del self._known[next(iter(self._known))]
                self._known[key] = (variant, *self._known.get(key, ())[:_MAX_CASES])
        return variant

    def _made(self, wrt: tuple[int | Items, ...], specs: tuple[Spec | None, ...] | None) -> Variant | NativeVariant:
        if self.backend.compiled:
            from s2sad.natives import native_variant

            return native_variant(self.fn, self.mode, wrt, specs, self.backend)
        from s2sad import pipeline

        return pipeline.compile_variant(self.fn, self.mode, wrt, specs)


_shared: OrderedDict[Any, list[Variants]] = OrderedDict()


def variants_of(fn: Callable[..., Any], mode: str, backend: Backend = INTERPRETED) -> Variants:
    """The variants of a function, the same ones each time it is asked about before long.

    Of functions made by one ``lambda`` only the last few have theirs kept: each holds what is in its cells.
    """
    fn = structure.canonical(fn)
    key = (made_by(fn), mode, backend)
    with _lock:
        alike = _shared.pop(key, [])
        variants = next((v for v in alike if v.fn is fn), None) or Variants(fn, mode, backend)
        _shared[key] = [variants, *(v for v in alike if v is not variants)][:_MAX_ALIKE]
        while len(_shared) > _MAX_FUNCTIONS:
            _shared.popitem(last=False)
    return variants


def annotate(error: BaseException, function: Callable[..., Any] | None = None) -> None:
    """Say in a note of ``error``, raised by a compiled function, which line of the user's program it comes from.

    Raises the :class:`~s2sad.errors.CompileError` that an error of Numba's amounts to, and
    :class:`~s2sad.errors.NotDifferentiable` for what only the run shows to be so.
    """
    compiled = "s2sad.compiled.errors" in sys.modules
    if compiled:
        from s2sad.compiled.errors import place_of_check, translated

        if (refusal := translated(error, function)) is not None:
            raise refusal from error
    from s2sad.backend.load import annotate, origin_of

    message = str(error)
    if message in helpers.REFUSALS:
        place = origin_of(error) or (place_of_check(error, function) if compiled else None)
        raise NotDifferentiable(f"{message}.", helpers.REFUSALS[message], origin=place) from error
    annotate(error)


def guarded(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a compiled function; an exception says where in the user's program it arose."""
    try:
        return function(*arguments)
    except Exception as error:
        annotate(error, function)
        raise


# ---- arguments


class Binder:
    """Binds the arguments of calls to the parameters of the function that is compiled."""

    def __init__(self, target: Target, name: str, qualname: str) -> None:
        arguments, bound = target.arguments()
        nothing = [p.replace(default=None) if p.default is not p.empty else p for p in _parameters(target)]
        build = functools.partial(build_entry, name, qualname)
        self.values = build(target.signature, arguments, bound, (), _same, live=target.live, partials=target.partials)
        through = {id(f) for f in target.into_rest.values()}
        empty = {name: _binding_none(value) if id(value) in through else None for name, value in bound.items()}
        self.tangents = build(Signature(nothing), arguments, empty, (), _same)


def _parameters(target: Target) -> list[Parameter]:
    return list(target.signature.parameters.values())


def _same(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return values


def _binding_none(f: functools.partial[Any]) -> functools.partial[Any]:
    """What binds None to the names that a partial binds: what is bound has no tangent."""
    return functools.partial(f.func, **dict.fromkeys(f.keywords))


_NOWHERE: frozenset[Place] = frozenset()


def active_argument(
    value: Any, where: str, keys: list[Any] | None = None, counting: frozenset[Place] = _NOWHERE
) -> tuple[Any, Spec]:
    """``value`` as an argument to differentiate by, and its spec: integers made floats, what has no float refused.

    ``keys``, for a packed ``*args`` or ``**kwargs``, are the items to differentiate by; the integers at the places
    ``counting`` stay as they are.
    """
    if keys is not None:
        value = _active_items(value, where, keys, counting)
        return value, structure.describe(value)
    value = floated(value, where, counting)
    spec = structure.describe(value)
    if not structure.has_floats(spec):
        raise TypeError(f"{where} is {naming(value)}, with no float to differentiate by")
    return value, spec


def _active_items(value: Any, where: str, keys: list[Any], counting: frozenset[Place]) -> Any:
    items = dict(value) if isinstance(value, dict) else dict(enumerate(value))
    for key in keys:
        if key not in items:
            raise TypeError(f"{where} has no item {key!r} to differentiate by")
        items[key], _ = active_argument(items[key], f"{where}[{key!r}]", counting=within(counting, key))
    return items if isinstance(value, dict) else tuple(items.values())


def counting_among(fn: Callable[..., Any], specs: tuple[Spec, ...], positions: Iterable[int]) -> frozenset[Place]:
    """The places of integers that count in arguments of these specs, asked of the structures at ``positions``."""
    if not any(structure.holds_integers(specs[i]) for i in positions):
        return _NOWHERE
    from s2sad.lowerings import counting_places

    return counting_places(fn, specs)


def judge(fn: Callable[..., Any]) -> None:
    """Refuse a function whose own syntax is not handled; what it calls is judged when it is compiled."""
    from s2sad.frontend.parse import parse_function
    from s2sad.frontend.syntax import refuse_unsupported

    if isinstance(fn, types.FunctionType):
        refuse_unsupported(parse_function(fn))


# ---- derivatives


class Derivative:
    """A derivative of a function: called as the function is.

    ``primal`` is the function, ``mode`` says which derivative it is and ``wrt`` by what, as they
    were given; ``source`` is the text of the derivative.
    """

    _s2sad_derivative: ClassVar[bool] = True
    _family: ClassVar[type[Derivative]]
    by_own_parameters: ClassVar[bool] = False  #: whether ``wrt`` names those of a wrapper that passes on all it gets

    primal: Callable[..., Any]
    mode: str
    wrt: Any
    backend: str
    __signature__: Signature
    __name__: str
    __qualname__: str

    def __init_subclass__(cls, own: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not own:
            cls._family = cls

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """A derivative has a class of its own, for calling finds ``__call__`` (the entry) there."""
        body = {"__doc__": cls.__doc__, "__module__": cls.__module__, "__qualname__": cls.__qualname__}
        own = types.new_class(cls.__name__, (cls._family,), {"own": True}, lambda namespace: namespace.update(body))
        return object.__new__(own)

    def __init__(self, f: Callable[..., Any], mode: str, wrt: Any = 0, backend: Any = "python") -> None:
        self._backend = backend_of(backend, function=f)
        if self._backend.compiled:
            make_known(Derivative)
        self._target = self._aim(f)
        judge(self._target.fn)
        self._wrt = resolve_wrt(wrt, self._target)
        self._look_like(f)
        self.primal, self.mode, self.wrt, self.backend = f, mode, wrt, self._backend.name
        self.__signature__ = self._signature()
        self._variants = self._make_variants()
        self._cases: list[Case] = []
        self._learned: set[tuple[tuple[Spec, ...], Any]] = set()
        self._calls: dict[Any, Derivative] = {}
        self._install()

    def _aim(self, f: Any) -> Target:
        """The function behind ``f``."""
        return target_of(f)

    def _look_like(self, f: Any) -> None:
        """Take over name, module, documentation and attributes."""
        named = f
        while isinstance(named, functools.partial):
            named = named.func
        if isinstance(named, types.FunctionType):
            given = vars(named).items()
            self.__dict__.update({k: v for k, v in given if not k.startswith("_") and not hasattr(Derivative, k)})
        for attribute in functools.WRAPPER_ASSIGNMENTS:
            if hasattr(named, attribute):
                setattr(self, attribute, getattr(named, attribute))
        name = type(named).__name__
        self.__dict__.setdefault("__name__", name)
        self.__dict__.setdefault("__qualname__", self.__name__)
        self.__wrapped__ = f

    def _signature(self) -> Signature:
        """What callers see."""
        return self._target.signature

    def _make_variants(self) -> Variants:
        return variants_of(self._target.fn, self.mode, self._backend)

    def _compiled(self, specs: tuple[Spec, ...], backend: Backend) -> tuple[Any, ...]:
        """The function that is called for arguments of these specs, for this backend.

        Of two, the first gives whether it has a result, and this, and the second is called if it has none.
        """
        return (variants_of(self._variants.fn, self._variants.mode, backend).get(self.positions, specs).function,)

    def __repr__(self) -> str:
        wrt = ", ".join(map(str, self.wrt)) if isinstance(self.wrt, tuple | list) else self.wrt
        return f"<s2sad {self.mode} of {self.__qualname__} wrt {wrt}>"

    # ---- source

    @property
    def fn(self) -> Callable[..., Any]:
        """The plain function behind ``primal``: without bound arguments and the like."""
        return self._target.fn

    @property
    def positions(self) -> tuple[int, ...]:
        """Which of the parameters of ``fn`` it differentiates by."""
        return self._wrt.positions

    @functools.cached_property
    def source(self) -> str:
        """The derivative as the formatted text of a module; for arguments of any kinds."""
        if self._target.primitive:
            derivative, _ = self._for_call(tuple(object() for _ in required(self._target.signature)), {})
            return derivative.source
        bound = self._target.bound
        names = [p.name for p in self._target.parameters]
        known = tuple(structure.describe(bound[n]) if n in bound else None for n in names)
        try:
            return self._text(known if bound else None)
        except CompileError as error:
            if None in known:  # of a parameter of any kind much cannot be compiled that can be for a number
                error.help = _UNTOLD
            raise

    def source_for(self, *args: Any, **kwargs: Any) -> str:
        """The source specialised to arguments like these."""
        if self._target.primitive:
            derivative, values = self._for_call(args, kwargs)
            return derivative.source_for(*values)
        return self._text(self.specs_for(*args, **kwargs))

    def specs_for(self, *args: Any, **kwargs: Any) -> tuple[Spec, ...]:
        """The specs that variants are compiled for where the arguments are like these."""
        arguments, specs = self._prepared(self._binder.values(*args, **kwargs))
        return self._variants.fitting(self._wrt.independents, specs, arguments)[0]

    def _text(self, specs: tuple[Spec | None, ...] | None) -> str:
        text: str = self._variants.get(self._wrt.independents, specs).text()
        return text

    # ---- calling

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The derivative at these arguments."""
        raise NotImplementedError  # the entry, in the derivative's own class, comes before this

    def _install(self) -> None:
        """Make the entry; anew when more variants are known."""
        entry = self._call_primitive if self._target.primitive else self._entry()
        type(self).__call__ = staticmethod(entry)  # type: ignore[method-assign]

    def _entry(self) -> Callable[..., Any]:
        arguments, bound = self._target.arguments()
        look = self.__name__, self.__qualname__, self.__signature__
        known = self._cases[-1].function if self._cases else None
        note = functools.partial(annotate, function=known)
        outside = self._target.live, self._target.partials
        return build_entry(*look, arguments, bound, self._cases, self.dispatch, note, *outside)

    @functools.cached_property
    def _binder(self) -> Binder:
        return Binder(self._target, self.__name__, self.__qualname__)

    def dispatch(self, values: tuple[Any, ...]) -> Any:
        """Call the variant for these values of the parameters of ``fn``, compiled if it is new."""
        arguments, specs = self._prepared(values)
        specs, variant = self._variant(arguments, specs)
        returned = guarded(variant.function, *arguments)
        compiled = self._backend.compiled
        case = Case(specs, variant.function, reads=variant.reads, result=self._result, compiled=compiled)
        self._learn(values, arguments, case)
        return returned if self._result is None else self._result(returned)

    def _variant(
        self, arguments: tuple[Any, ...], specs: tuple[Spec, ...]
    ) -> tuple[tuple[Spec, ...], Variant | NativeVariant]:
        """The variant for arguments of these specs; where the result is an array, the refusal gives its shape."""
        try:
            return self._variants.fitting(self._wrt.independents, specs, arguments)
        except NotScalar as refusal:
            if not refusal.rank:
                raise
            _, primal = variants_of(self.fn, "vjp").fitting(self._wrt.independents, specs, arguments)
            helpers.unit_seed(guarded(primal.function, *arguments)[0])
            raise

    def _prepared(self, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Spec, ...]]:
        """The arguments of the variant, those differentiated by checked and converted, and their specs."""
        arguments, specs = list(values), list(map(structure.describe, values))
        counting = counting_among(self.fn, tuple(specs), self.positions)
        for i, position in enumerate(self.positions):
            where = f"argument {self._target.parameters[position].name!r} of {self.__name__}"
            places = within(counting, position)
            taken = active_argument(values[position], where, self._wrt.keys(i), places)
            arguments[position], specs[position] = taken
        return tuple(arguments), tuple(specs)

    def _learn(self, values: tuple[Any, ...], arguments: tuple[Any, ...], case: Case) -> None:
        """Have the entry tell apart values like these, if it can; ``arguments`` are what the variant gets for them."""
        if len(self._cases) >= _MAX_CASES:
            return
        same = map(operator.is_, values, arguments)
        raw = tuple(s if kept else structure.describe(v) for s, kept, v in zip(case.specs, same, values, strict=True))
        if (raw, case.function) in self._learned:
            return
        changed = [i for i, (old, new) in enumerate(zip(raw, case.specs, strict=True)) if old != new]
        with _lock:
            self._learned.add((raw, case.function))
            if all(raw[i] == Leaf(kinds.INT) for i in changed):
                case = replace(case, specs=raw, floats=frozenset(changed))
                if is_inline(case, self._target.arguments()[0]):
                    self._cases = [*self._cases, case]
                    self._install()

    @functools.cached_property
    def _result(self) -> Callable[[Any], Any] | None:
        """What makes of a variant's result what callers get; None for nothing to do."""
        if self._wrt.plain:
            return None
        select = self._wrt.select
        return select if self.mode == "grad" else lambda pair: (pair[0], select(pair[1]))

    # ---- primitives with optional arguments

    def _call_primitive(self, *args: Any, **kwargs: Any) -> Any:
        derivative, values = self._for_call(args, kwargs)
        return derivative(*values)

    def _for_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Derivative, tuple[Any, ...]]:
        """The derivative of a primitive for the arguments given, and those that it takes."""
        wanted = self.wrt if isinstance(self.wrt, tuple | list) else (self.wrt,)
        call = call_of_primitive(self._target, args, kwargs, wanted)
        names = tuple(call.parameter(w) for w in wanted)
        key = (call.function, names)
        derivative = self._calls.get(key)
        if derivative is None:
            wrt = names if isinstance(self.wrt, tuple | list) else names[0]
            derivative = self._calls[key] = self._alike(call.function, wrt)
        return derivative, call.values

    # ---- as a member of classes and modules

    def _alike(self, f: Callable[..., Any], wrt: Any) -> Derivative:
        """The same derivative of another function."""
        mode, _, backend = self._options()
        return self._family(f, mode, wrt, backend)

    def _options(self) -> tuple[Any, ...]:
        """What it was made with besides the function."""
        return self.mode, self.wrt, self._backend

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind as the function would: ``wrt`` then counts the parameters after ``self``."""
        if instance is None or not hasattr(type(self.primal), "__get__") or isinstance(self.primal, staticmethod):
            return self
        return types.MethodType(self._as_method, instance)

    @functools.cached_property
    def _as_method(self) -> Derivative:
        single = not isinstance(self.wrt, tuple | list)
        after = [w + 1 if isinstance(w, int) and w >= 0 else w for w in ([self.wrt] if single else self.wrt)]
        return self._alike(self.primal, after[0] if single else tuple(after))

    def __reduce__(self) -> Any:
        """Pickle by name where a module has the derivative itself under it, else by its function."""
        if _named(self) is self:
            return self.__qualname__
        arguments = (self._family, *self._options())
        holder = _named(self.primal)
        if isinstance(holder, Derivative) and holder.primal is self.primal:
            return _restored, (holder, True, *arguments)
        return _restored, (self.primal, False, *arguments)


Derivative._family = Derivative


def _named(f: Any) -> Any:
    """What the module of a function has under its name."""
    found: Any = sys.modules.get(getattr(f, "__module__", None) or "")
    for name in getattr(f, "__qualname__", "").split("."):
        found = getattr(found, name, None)
    return found


def _restored(f: Any, decorated: bool, family: type[Derivative], mode: str, wrt: Any, backend: Any) -> Derivative:
    return family(f.primal if decorated else f, mode, wrt, backend)
