"""How fast the compiler and its derivatives are: ``python -m tests.benchmarks`` prints a table."""
