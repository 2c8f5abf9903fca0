"""Differentiation: from a primal IR function to the IR of its derivative."""
