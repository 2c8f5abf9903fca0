"""Both modes on random loops over matrices: forward mode has no tapes, and restores nothing."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from s2sad import grad, jvp
from tests.fuzz.loop_texts import SIZE, loop_text

#: Programs in one test, and their first seeds.
EACH, SEEDS = 50, range(0, 300, 50)


@pytest.mark.parametrize("first", SEEDS)
def test_modes_agree(first: int, tmp_path) -> None:
    agreed = 0
    for seed in range(first, first + EACH):
        file = tmp_path / f"loops_{seed}.py"
        file.write_text("import numpy as np\n\n\n" + loop_text(seed), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        rng = np.random.default_rng(seed)
        A, direction = rng.uniform(0.2, 0.9, (SIZE, SIZE)), rng.normal(size=(SIZE, SIZE))
        with np.errstate(all="ignore"):
            try:
                value = module.f(A.copy(), SIZE)
            except IndexError:
                continue
            if not np.abs(value) < 1e6:
                continue
            gradient = grad(module.f)(A.copy(), SIZE)
            _, slope = jvp(module.f, (A.copy(), SIZE), (direction, None))
        np.testing.assert_allclose(np.sum(gradient * direction), slope, rtol=1e-9, atol=1e-9, err_msg=loop_text(seed))
        agreed += 1
    assert agreed > EACH / 4  # the others take items that there are not, or grow beyond measure
