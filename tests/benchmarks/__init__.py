"""How fast derivatives are, and the compiler that writes them: ``python -m tests.benchmarks`` prints the tables."""

import os

for _pool in ("OMP", "OPENBLAS", "MKL", "VECLIB", "NUMBA"):  # before any of these libraries is imported
    os.environ[f"{_pool}_NUM_THREADS" if _pool != "VECLIB" else "VECLIB_MAXIMUM_THREADS"] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ.setdefault("JAX_PLATFORMS", "cpu")
