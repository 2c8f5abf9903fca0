"""Optimisation: from the IR of a mechanical derivative to the IR of one a person would write."""

from s2sad.optimise.pipeline import optimise, stages

__all__ = ["optimise", "stages"]
