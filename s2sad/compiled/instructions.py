"""From Numba's IR of a compiled derivative to LLVM's: as Numba does it, in fewer instructions for loops and items.

Most of what derivatives do is to read and write single items of arrays, in loops over ranges. For each item Numba puts
down some fifty instructions, and for each loop a hundred, which LLVM has to reduce to five; that is a good part of what
compiling takes. Here they are few to begin with. What is computed is the same, with two things said of it that LLVM
cannot find:

- which memory an access is to, and to which it is not (:mod:`s2sad.compiled.sites`): so a loop becomes vector code
  without comparing addresses, and numbers stay in registers while others are stored;
- that numbers of a range do not overflow.

What is not such an item or loop is left to Numba, and so is everything where indices are checked
(``NUMBA_BOUNDSCHECK``). Requires Numba's IR with types, as its own last pass does; ensures a function that gives the
same.

>>> import numpy as np
>>> from numba import njit
>>> from s2sad.compiled.machine import DerivativeCompiler
>>> def differences(x):
...     out = np.empty(x.shape[0])
...     for i in range(x.shape[0]):
...         out[i] = x[i] - x[i - 1]
...     return out
...
>>> x = np.array([1.0, 4.0, 9.0])
>>> compiled = njit(pipeline_class=DerivativeCompiler)(differences)
>>> compiled(x)
array([-8.,  3.,  5.])
>>> ["alias.scope" in text for text in compiled.inspect_llvm().values()]
[True]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any

from llvmlite import ir as ll
from numba.core import cgutils, ir, types
from numba.core.compiler import Flags
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import BaseNativeLowering, NopythonTypeInference
from numba.core.unsafe.eh import mark_try_block
from numba.np.arrayobj import load_item, store_item

from s2sad.compiled.holding import Holding
from s2sad.compiled.libraries import library_for, set_environments
from s2sad.compiled.own_calls import OwnSignature, of_own_calls
from s2sad.compiled.references import count_alone, keeps_nothing, uncounted
from s2sad.compiled.sites import Sites
from s2sad.compiled.unsigned import unsigned

__all__ = ["DerivativeLowering", "DerivativeTypes"]

#: The types of ranges of 64 bits, of their iterators, and of what these give: a number, and whether there is one.
_RANGE, _ITERATOR = types.range_state64_type, types.range_iter64_type
_NEXT = types.Pair(types.int64, types.boolean)
#: The type of a reference to memory that is counted.
_REFERENCE = types.MemInfoPointer(types.voidptr)
#: What the two of a pair are asked for by, and their types.
_OF_PAIR = {"pair_first": (0, types.int64), "pair_second": (1, types.boolean)}


class _Lower(Lower):
    """Puts down the instructions of one function."""

    def init(self) -> None:
        """Find what is said of accesses and indices."""
        super().init()
        self.memory = Sites(self.blocks, self.fndesc.typemap, self.fndesc.calltypes)
        self.memory.note_result(self.func_ir.func_id.func, self.fndesc.argtypes)
        self.unsigned = unsigned(self.memory.definitions, self.fndesc.typemap)
        self.keeps_nothing = self.generator_info is None and keeps_nothing(self.memory, self.fndesc.argtypes)
        if self.keeps_nothing:
            count_alone(self.library)
        self.domain: Any = None
        self.holding = Holding(self.blocks, [n for n in self.fndesc.typemap if self._holds_references(n)])
        self.scopes: dict[str, Any] = {}
        self.lists: dict[frozenset[str], Any] = {}

    def extract_function_arguments(self) -> Any:
        """Numba's, but what keeps nothing of its arguments does not count the references to them."""
        given = super().extract_function_arguments()
        if self.keeps_nothing:
            pairs = zip(self.fndesc.argtypes, given, strict=True)
            self.fnargs = given = [uncounted(self.context, self.builder, ty, value) for ty, value in pairs]
        return given

    def post_lower(self) -> None:
        """Mark where errors of callees are handed on, as Numba marks where errors are raised.

        Numba drops the counting of references that is for nothing, but not where a way out is unmarked.
        """
        super().post_lower()
        if self._tries():
            return
        excinfo = self.call_conv._get_excinfo_argument(self.function)
        error = self.module.add_metadata([ll.IntType(1)(1)])
        for block in self.function.blocks:
            for store in block.instructions:
                if isinstance(store, ll.StoreInstr) and store.operands[1] is excinfo:
                    store.set_metadata("numba_exception_output", error)

    def _tries(self) -> bool:
        """Whether errors are caught in this function, so that storing one may not be the end of it."""
        return any(
            isinstance(s.value, ir.Global) and s.value.value is mark_try_block
            for block in self.blocks.values()
            for s in block.find_insts(ir.Assign)
        )

    # ------------------------------------------------------------ items

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """An item of an array, or what Numba makes of it."""
        array = self.typeof(value.name)
        if not self._is_item(array, index):
            return super().lower_getitem(resty, expr, value, index, signature)
        place = self._place(array, value, index)
        with self._told(value.name):
            item = load_item(self.context, self.builder, array, place)
        return self.context.cast(self.builder, item, array.dtype, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        """A store to an item of an array, or what Numba makes of it."""
        array = self.typeof(target_var.name)
        if not self._is_item(array, index_var):
            return super().lower_setitem(target_var, index_var, value_var, signature)
        value = self.loadvar(value_var.name)
        for before, after in ((self.typeof(value_var.name), signature.args[2]), (signature.args[2], array.dtype)):
            value = self.context.cast(self.builder, value, before, after)
        place = self._place(array, target_var, index_var)
        with self._told(target_var.name):
            store_item(self.context, self.builder, array, value, place)
        return None

    def _is_item(self, array: Any, index: Any) -> bool:
        """Whether an index that is not checked denotes one item of an array, which is a number."""
        if self.context.enable_boundscheck or type(array) is not types.Array:
            return False
        along = _along_axes(self.typeof(index.name))
        numbers = isinstance(array.dtype, (types.Number, types.Boolean))
        return numbers and 0 < len(along) == array.ndim and all(isinstance(t, types.Integer) for t in along)

    def _place(self, array: Any, var: Any, index: Any) -> Any:
        """The address of an item."""
        builder = self.builder
        lengths = _Field(self, array, var.name, "shape")
        along = [types.unliteral(t) for t in _along_axes(self.typeof(index.name))]
        parts = self._parts(self.loadvar(index.name), len(along))
        axes = range(array.ndim)
        forwards = self._are_unsigned(index.name, len(along))
        indices = [self._index(parts[k], along[k], lengths, k, forwards[k]) for k in axes]
        data = self._field(array, var.name, "data")
        if array.layout == "A":
            strides = _Field(self, array, var.name, "strides")
            return cgutils.pointer_add(
                builder, data, reduce(builder.add, [builder.mul(strides[k], indices[k]) for k in axes])
            )
        inwards = axes if array.layout == "C" else axes[::-1]
        steps = [[lengths[other] for other in inwards[n + 1 :]] for n in axes]
        offsets = [
            builder.mul(indices[k], reduce(builder.mul, s)) if s else indices[k]
            for k, s in zip(inwards, steps, strict=True)
        ]
        return builder.gep(data, [reduce(builder.add, offsets)])

    def _are_unsigned(self, index: str, count: int) -> list[bool]:
        """Of the parts of an index, whether they are known not to be negative."""
        if count == 1 and isinstance(types.unliteral(self.typeof(index)), types.Integer):
            return [index in self.unsigned]
        made = self.memory.definition(index)
        if made is None or made.op != "build_tuple":
            return [False] * count
        return [v.name in self.unsigned for v in made.items]

    def _index(self, value: Any, ty: Any, lengths: _Field, axis: int, forwards: bool) -> Any:
        """An index along an axis, counted from the end if it is negative."""
        builder = self.builder
        if not ty.signed:
            return self.context.cast(builder, value, ty, types.uintp)
        value = self.context.cast(builder, value, ty, types.intp)
        if forwards or (isinstance(value, ll.Constant) and value.constant >= 0):
            return value
        negative = builder.icmp_signed("<", value, value.type(0))
        return builder.select(negative, builder.add(value, lengths[axis]), value)

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """Tell LLVM of the accesses that are put down within to which memory they are, and to which not."""
        instructions = self.builder.block.instructions
        count = len(instructions)
        yield
        within, others = self.memory.of(name)
        for instruction in instructions[count:]:
            if others and isinstance(instruction, (ll.instructions.LoadInstr, ll.instructions.StoreInstr)):
                instruction.set_metadata("alias.scope", self._scopes(within))
                instruction.set_metadata("noalias", self._scopes(others))

    def _scopes(self, sites: frozenset[str]) -> Any:
        """What stands for memory from these sites: a list of scopes."""
        if sites not in self.lists:
            scopes = [self._scope(site) for site in sorted(sites)]
            self.lists[sites] = self.module.add_metadata(scopes)
        return self.lists[sites]

    def _scope(self, site: str) -> Any:
        """What stands for memory from a site.

        It is declared where the function begins. When the function is put in place of a call, the code at each place
        gets scopes of its own, and in a loop such that hold for an iteration: what one call has made may be passed to
        the next.
        """
        if site not in self.scopes:
            if self.domain is None:
                self.domain = _Own(self.module)
            self.scopes[site] = _Own(self.module, self.domain)
            declare = cgutils.get_or_insert_function(
                self.module, ll.FunctionType(ll.VoidType(), [ll.MetaDataType()]), "llvm.experimental.noalias.scope.decl"
            )
            with self.builder.goto_entry_block():
                self.builder.call(declare, [self._scopes(frozenset({site}))])
        return self.scopes[site]

    # ------------------------------------------------------------ loops

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Loops over ranges, calls that are put down here, and what Numba makes of all else."""
        match expr.op:
            case "call" | "binop" if isinstance(called_for := self.fndesc.calltypes.get(expr), OwnSignature):
                return self._own_call(resty, expr, called_for)
            case "getiter" if (step := self._unit_step(expr.value.name)) is not None:
                return self._iterator(resty, expr.value.name, step)
            case "iternext" if self.typeof(expr.value.name) is _ITERATOR and resty == _NEXT:
                return self._next(resty, expr.value.name)
            case "pair_first" | "pair_second" if self.typeof(expr.value.name) == _NEXT:
                place, ty = _OF_PAIR[expr.op]
                if resty == ty:
                    return self._parts(self.loadvar(expr.value.name), 2)[place]
        return super().lower_expr(resty, expr)

    def _own_call(self, resty: Any, expr: Any, called_for: OwnSignature) -> Any:
        """What a call gives that is put down here."""
        names = [expr.lhs, expr.rhs] if expr.op == "binop" else expr.args
        args = [(self.typeof(v.name), self.loadvar(v.name)) for v in names]
        if expr.op == "call" and expr.vararg is not None:
            rest = self.typeof(expr.vararg.name)
            args += zip(rest, cgutils.unpack_tuple(self.builder, self.loadvar(expr.vararg.name)), strict=True)
        value = called_for.put(self.context, self.builder, args)
        return self.context.cast(self.builder, value, called_for.return_type, resty)

    def _unit_step(self, name: str) -> int | None:
        """The step of a range, where it is known to be 1 or -1."""
        call = self.memory.definition(name) if self.typeof(name) is _RANGE else None
        if call is None or call.op != "call" or call.kws or call.vararg:
            return None
        if len(call.args) < 3:
            return 1
        step = self.typeof(call.args[2].name)
        return step.literal_value if isinstance(step, types.IntegerLiteral) and step.literal_value in (1, -1) else None

    def _iterator(self, ty: Any, name: str, step: int) -> Any:
        """Numba's iterator of a range; to know how many numbers there are, nothing is divided."""
        builder = self.builder
        start, stop, _ = self._parts(self.loadvar(name), 3)
        count = builder.sub(stop, start, flags=["nsw"]) if step == 1 else builder.sub(start, stop, flags=["nsw"])
        slots = [cgutils.alloca_once_value(builder, value) for value in (start, count)]
        fields = {"iter": slots[0], "stop": stop, "step": start.type(step), "count": slots[1]}
        return self._structure(ty, fields)

    def _next(self, ty: Any, name: str) -> Any:
        """The next number, and whether there is one; once there is none, the iterator is not used any more."""
        builder = self.builder
        place, step, count_place = (self._field(_ITERATOR, name, field) for field in ("iter", "step", "count"))
        value, count = builder.load(place), builder.load(count_place)
        builder.store(builder.add(value, step, flags=["nsw"]), place)
        builder.store(builder.sub(count, count.type(1), flags=["nsw"]), count_place)
        return self._structure(ty, {"first": value, "second": builder.icmp_signed(">", count, count.type(0))})

    # ------------------------------------------------------------ variables and structures

    def _structure(self, ty: Any, fields: dict[str, Any]) -> Any:
        model = self.context.data_model_manager[ty]
        whole = ll.Constant(self.context.get_value_type(ty), ll.Undefined)
        for field, value in fields.items():
            whole = self.builder.insert_value(whole, value, model.get_field_position(field))
        return whole

    def _parts(self, value: Any, count: int) -> list[Any]:
        """The fields of a structure, as they were before they were put into it; of a number, that."""
        if isinstance(value.type, ll.IntType):
            return [value]
        known: dict[int, Any] = {}
        whole = value
        while isinstance(whole, ll.instructions.InsertValue):
            [place] = whole.indices
            known.setdefault(place, whole.operands[1])
            whole = whole.operands[0]
        return [known[k] if k in known else self.builder.extract_value(value, k) for k in range(count)]

    def _field(self, ty: Any, name: str, field: str, item: int | None = None) -> Any:
        """A field of a variable that is a structure, or an item of it; nothing else of the variable is read."""
        position = self.context.data_model_manager[ty].get_field_position(field)
        path: Sequence[int] = [position] if item is None else [position, item]
        if name in self._blk_local_varmap:
            return self.builder.extract_value(self._blk_local_varmap[name], path)
        return self.builder.load(cgutils.gep_inbounds(self.builder, self.getvar(name), 0, *path))

    def lower_inst(self, inst: Any) -> None:
        """Numba's."""
        self.statement = inst
        super().lower_inst(inst)

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        """Room for a variable, with zeros in it if one may ask for what it holds before it is assigned."""
        if name not in self.holding.bits or self.holding.is_asked_at_first(name):
            return super().alloca_lltype(name, lltype, datamodel)
        with self.builder.goto_entry_block():
            return self.builder.alloca(lltype, name=name)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Numba's, but what a variable held is read only if it may hold references."""
        local = argidx is not None or name in self._singly_assigned_vars
        if local or (name in self.holding.bits and self.holding.may_hold(self.statement)):
            super().storevar(value, name, argidx)
        else:
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """Numba's, but nothing is put down for a variable that holds no references."""
        if name in self._blk_local_varmap:
            if self._holds_references(name):
                super().delvar(name)
            return
        self._singly_assigned_vars.discard(name)  # deleted before it is assigned: in another order than in Python
        self._alloca_var(name, self.typeof(name))
        if name not in self.holding.bits or not self.holding.may_hold(self.statement):
            return
        place = self.getvar(name)
        if type(ty := self.typeof(name)) is types.Array:
            super().decref(_REFERENCE, self._field(ty, name, "meminfo"))
        else:
            self.decref(ty, self.builder.load(place))
        if self.holding.is_asked_after(self.statement):
            self.builder.store(place.type.pointee(None), place)

    def incref(self, typ: Any, val: Any) -> None:
        """Numba's, but nothing is taken apart that has no reference in it, and of an array no more than that."""
        if self._has_references(typ):
            super().incref(*self._counted(typ, val))

    def decref(self, typ: Any, val: Any) -> None:
        """Likewise."""
        if self._has_references(typ):
            super().decref(*self._counted(typ, val))

    def _counted(self, ty: Any, value: Any) -> tuple[Any, Any]:
        """The only reference in an array, with its type; else the value itself."""
        if type(ty) is not types.Array:
            return ty, value
        position = self.context.data_model_manager[ty].get_field_position("meminfo")
        return _REFERENCE, self.builder.extract_value(value, position)

    def _holds_references(self, name: str) -> bool:
        return self._has_references(self.typeof(name))

    def _has_references(self, ty: Any) -> bool:
        return bool(self.context.data_model_manager[ty].contains_nrt_meminfo())


class _Own(ll.MDValue):  # type: ignore[misc]
    """Metadata that begins with itself, so that LLVM takes no two for the same."""

    def __init__(self, module: Any, *others: Any) -> None:
        super().__init__(module, others, name=str(len(module.metadata)))
        self.operands = (self, *others)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


class _Field:
    """The items of a field of an array, each read when it is first asked for."""

    def __init__(self, lower: _Lower, array: Any, name: str, field: str) -> None:
        self.lower, self.of = lower, (array, name, field)
        self.known: dict[int, Any] = {}

    def __getitem__(self, axis: int) -> Any:
        if axis not in self.known:
            self.known[axis] = self.lower._field(*self.of, axis)
        return self.known[axis]


def _along_axes(index: Any) -> tuple[Any, ...]:
    """The types of an index along each axis."""
    axes: Any = index if isinstance(index, types.BaseTuple) else (index,)
    return tuple(axes)


class _Unchanging(Flags):
    """Flags that are not set any more, so that what tells them apart is computed once: Numba looks up by it what a
    function is compiled to, at each of its calls."""

    __slots__ = ("_hash", "_items")

    def __init__(self, copy_from: Any) -> None:
        super().__init__(copy_from)
        self._items = super().values()
        self._hash = super().__hash__()

    def __hash__(self) -> int:
        return int(self._hash)

    __eq__ = Flags.__eq__

    def values(self) -> Any:
        """The values of all of them, by name."""
        return self._items

    def copy(self) -> Any:
        """Flags that may be set."""
        return Flags(self)


def _for_callees(flags: Any) -> Any:
    """A context in which Numba compiles what a function calls as it does for any other function of ours.

    It compiles its own functions anew for each set of flags they are called under, of which whether the caller can be
    called from Python, or from C, says nothing of them.
    """
    flags = flags.copy()
    flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    return ConfigStack().enter(_Unchanging(flags))


@register_pass(mutates_CFG=True, analysis_only=False)
class DerivativeLowering(BaseNativeLowering):
    """The pass that takes the place of Numba's."""

    _name: Any = "s2sad_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        """What does it, for one function."""
        return _Lower

    def run_pass(self, state: Any) -> bool:
        """Put down a function's instructions."""
        if state.library is None:
            state.library = library_for(state)
        with _for_callees(state.flags):
            done = bool(super().run_pass(state))
        set_environments(state.library)
        return done


@register_pass(mutates_CFG=True, analysis_only=False)
class DerivativeTypes(NopythonTypeInference):
    """Numba's pass that finds types, which knows the calls of :mod:`s2sad.compiled.own_calls` besides."""

    _name: Any = "s2sad_types"

    def run_pass(self, state: Any) -> bool:
        """Find the types of a function's variables and calls."""
        context = state.typingctx
        state.typingctx = of_own_calls(context)
        try:
            with _for_callees(state.flags):
                return bool(super().run_pass(state))
        finally:
            state.typingctx = context
