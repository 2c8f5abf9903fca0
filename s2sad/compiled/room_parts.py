"""Parts of a piece of memory as arrays, in machine code.

Numba's slices and reshapes would be ten times the instructions, and count references that nobody drops.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import arrayobj

from s2sad.compiled.own_calls import put_empty

__all__ = ["part_of_room"]


@intrinsic
def part_of_room(_: Any, room: Any, start: Any, shape: Any) -> Any:
    """The numbers of room from start on, as an array by rows; one of its own where the room has none."""
    result = types.Array(types.float64, len(shape), "C")

    def put(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds, whole = signature.args, context.make_array(signature.args[0])(context, builder, args[0])
        there = builder.icmp_signed("!=", whole.nitems, whole.nitems.type(0))
        with builder.if_else(there) as (then, otherwise):
            with then:
                start = context.cast(builder, args[1], kinds[1], types.intp)
                taken = _taken(context, builder, result, whole, start, (kinds[2], args[2]))
                of_room = builder.block
            with otherwise:
                apart = put_empty(result, context, builder, [(kinds[2], args[2])])
                on_its_own = builder.block
        value = builder.phi(taken.type)
        value.add_incoming(taken, of_room)
        value.add_incoming(apart, on_its_own)
        return value

    return result(room, start, shape), put


def _taken(context: Any, builder: Any, result: Any, room: Any, start: Any, shape: tuple[Any, Any]) -> Any:
    """The array in a room that has numbers."""
    kinds, value = shape
    tools: Any = cgutils
    given = zip(tools.unpack_tuple(builder, value), kinds, strict=True)
    lengths = [context.cast(builder, n, kind, types.intp) for n, kind in given]
    size = context.get_constant(types.intp, 8)
    strides = [size]
    for n in reversed(lengths[1:]):
        strides.insert(0, builder.mul(n, strides[0]))
    out = context.make_array(result)(context, builder)
    fill: Any = arrayobj.populate_array
    data = builder.gep(room.data, [start])
    fill(out, data=data, shape=lengths, strides=strides, itemsize=size, meminfo=room.meminfo)
    context.nrt.incref(builder, result, out._getvalue())
    return out._getvalue()
