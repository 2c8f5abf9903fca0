"""Programs that s2sad differentiates: plain Python and NumPy, each runnable by itself."""
