"""Loop lowering: array statements of a derivative as loops over elements, for a compiler of scalar code."""

from s2sad.loops.lower import lower_to_loops

__all__ = ["lower_to_loops"]
