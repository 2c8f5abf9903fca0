"""How fast the compiler and its derivatives are: ``python -m tests.benchmarks`` prints a table."""

import os

for _pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_pool] = "1"  # before NumPy is imported
