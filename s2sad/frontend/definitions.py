"""What operation gave each variable, and what of that is asked of all of them at once."""

import operator

from s2sad.frontend.real_parts import may_turn_complex
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Op, Var

__all__ = ["Definitions", "is_followed"]


class Definitions(dict[Var, Op]):
    """The operation that gave each variable of a function that is being lowered.

    Requires that each is noted with :meth:`add`. What is asked of all of them, again and again while they are made, is
    kept as they come: a function twice as long must not take four times as long.
    """

    def __init__(self) -> None:
        super().__init__()
        self.unfollowed: dict[Var, None] = {}  # the dicts that come from outside, or from where they are not followed
        self.may_turn_complex = False  # some power of floats, where it is of a negative one to a fraction

    def add(self, op: Op) -> None:
        """Note an operation that has a target."""
        assert op.target is not None
        self[op.target] = op
        self.may_turn_complex = self.may_turn_complex or may_turn_complex(op)
        if isinstance(op.target.kind, K.Dict) and not is_followed(op):
            self.unfollowed[op.target] = None


def is_followed(op: Op) -> bool:
    """Whether it is known of which containers the dict that an operation gives may be an item."""
    if op.fn is operator.getitem or op.fn is prims.list_pop:
        return isinstance(op.args[0], Var) and isinstance(op.args[0].kind, K.List | K.Dict)
    return op.fn is prims.make_dict
