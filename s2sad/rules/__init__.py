"""The derivative rules of primitives, by topic, and what is known of their results."""

from s2sad.rules import choosing, elementwise, linalg, options, reductions, shape, standard, structural

__all__ = ["choosing", "elementwise", "linalg", "options", "reductions", "shape", "standard", "structural"]
