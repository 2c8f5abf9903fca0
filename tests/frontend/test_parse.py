"""Sources are found for every way to define a function, and never the wrong one."""

from __future__ import annotations

import functools
import gc
import linecache
import os
import subprocess
import sys
import textwrap
import types
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gast
import pytest

from s2sad import grad
from s2sad.errors import SourceUnavailable, UnsupportedSyntax
from s2sad.frontend import parse as parse_module
from s2sad.frontend.parse import FunctionSource, parse_function

HERE = Path(__file__)


def body(fn: Callable[..., Any]) -> str:
    """The result expression of a lambda or of a function of one return statement."""
    node = parse_function(fn).node
    return gast.unparse(node.body if isinstance(node, gast.Lambda) else node.body[-1].value).strip()


def load(tmp_path: Path, text: str, name: str = "program") -> types.ModuleType:
    """A module made from a file with this text."""
    path = tmp_path / f"{name}.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    module = types.ModuleType(name)
    module.__file__ = str(path)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True), module.__dict__)
    return module


def plain(x: float, y: float = 2.0, *, z: float = 3.0) -> float:
    """A function at the top level."""
    return x + y * z


def nested(a: float) -> Callable[[float], float]:
    def inner(x: float) -> float:
        return x * a

    return inner


def passthrough(f: Any) -> Any:
    return f


def configured(*_: Any) -> Callable[[Any], Any]:
    return passthrough


@configured(
    1,
    2,
)
@passthrough
def decorated(x: float) -> float:
    return x - 1.0


class Model:
    scale = 2.0

    def method(self, x: float) -> float:
        return self.scale * x

    @staticmethod
    def static(x: float) -> float:
        return x + 10.0

    @classmethod
    def of_class(cls, x: float) -> float:
        return cls.scale + x

    def private(self, __x: float) -> Any:
        return self.__hidden + __x.__abs__()  # type: ignore[attr-defined]


def test_top_level_function() -> None:
    source = parse_function(plain)
    assert isinstance(source.node, gast.FunctionDef)
    assert source.filename == __file__
    assert source.node.lineno == plain.__code__.co_firstlineno
    assert source.globals is globals()
    assert (source.defaults, source.kwdefaults, source.closure) == ((2.0,), {"z": 3.0}, {})
    assert source.qualname == "plain"
    assert source.function is plain
    assert source.text(source.node.body[-1]) == "return x + y * z"
    assert source.text(source.node).startswith("def plain(x: float, y: float=2.0")


def test_closure_cells_are_live_and_per_function() -> None:
    first, second = nested(1.5), nested(2.5)
    sources = parse_function(first), parse_function(second)
    assert [s.closure["a"].cell_contents for s in sources] == [1.5, 2.5]
    assert sources[0].node is sources[1].node
    assert sources[0].qualname == "nested.<locals>.inner"


def test_decorators_are_stripped_and_lines_stay_true() -> None:
    source = parse_function(decorated)
    assert source.node.decorator_list == []
    assert source.lines[source.node.lineno - 1].startswith("def decorated")
    assert source.lines[source.node.body[0].lineno - 1].strip() == "return x - 1.0"


def test_methods() -> None:
    assert body(Model.method) == "self.scale * x"
    assert body(Model().method) == "self.scale * x"
    assert body(Model.static) == "x + 10.0"
    assert body(Model.__dict__["static"]) == "x + 10.0"
    assert body(Model.of_class) == "cls.scale + x"


def test_private_names_are_spelled_out_as_the_interpreter_does() -> None:
    source = parse_function(Model.private)
    assert [a.id for a in source.node.args.args] == ["self", "_Model__x"]
    assert body(Model.private) == "self._Model__hidden + _Model__x.__abs__()"


# fmt: off
PAIR = (lambda x: x * 2.0, lambda x: x * 3.0)
ALIKE = (lambda x: x + 1.0, lambda x: x + 1.0)
CONSTANT = (lambda x: 1.0, lambda x: 2.0, lambda x: -0.0, lambda x: 0.0, lambda x: True, lambda x: 1)
NESTED = (lambda x: (lambda y: y * x)); INNER = NESTED(2.0)
SPANNING = (lambda x, y=(1,
                         2): x *
            5.0, lambda z: z)
DEFAULTED = lambda x, f=lambda x: x * 7.0: f(x)
WIDE = ("αβγ", lambda δ: δ * 2.0, lambda δ: δ * 4.0)
# fmt: on


def test_lambdas_on_one_line() -> None:
    assert [body(f) for f in PAIR] == ["x * 2.0", "x * 3.0"]
    assert [body(f) for f in CONSTANT] == ["1.0", "2.0", "-0.0", "0.0", "True", "1"]
    assert [parse_function(f).node.col_offset for f in ALIKE] == [9, 28]
    assert body(NESTED) == "lambda y: y * x"
    assert body(INNER) == "y * x"
    assert body(DEFAULTED) == "f(x)"
    assert body(DEFAULTED.__defaults__[0]) == "x * 7.0"  # type: ignore[index]
    assert [body(f) for f in WIDE[1:]] == ["δ * 2.0", "δ * 4.0"]  # type: ignore[arg-type]


def test_lambdas_spanning_lines() -> None:
    assert body(SPANNING[0]) == "x * 5.0"
    assert parse_function(SPANNING[0]).node.args.defaults
    assert body(SPANNING[1]) == "z"


def test_lambda_as_argument_of_a_call() -> None:
    def apply(f: Any, g: Any) -> str:
        return f"{body(f)}; {body(g)}"

    assert apply(lambda x: x**2, g=lambda x: x**3) == "x ** 2; x ** 3"


def test_a_function_with_an_assertion_here_is_rewritten_by_pytest_but_found() -> None:
    def checked(x: float) -> float:
        assert x > 0.0
        return x * 6.0

    assert body(checked) == "x * 6.0"


def test_text_of_statements_is_on_one_line() -> None:
    # fmt: off
    def f(x: float) -> float:
        é = (x +
             1.0)
        for i in range(3):  # three times
            x = x * é * i; x = x + 1.0  # and so on
        return x
    # fmt: on

    source = parse_function(f)
    wide, loop, _ = source.node.body
    assert source.text(wide) == "é = x + 1.0"
    assert source.text(loop) == "for i in range(3):"
    assert [source.text(s) for s in loop.body] == ["x = x * é * i", "x = x + 1.0"]
    origin = source.origin(loop.body[0])
    assert (origin.filename, origin.lineno, origin.text) == (__file__, loop.body[0].lineno, "x = x * é * i")


def test_refuse_raises_a_located_error() -> None:
    source = parse_function(plain)
    with pytest.raises(UnsupportedSyntax) as caught:
        source.refuse(UnsupportedSyntax, source.node.body[-1].value, "no.", "try.")
    assert str(caught.value).splitlines()[1:] == [
        "    return x + y * z",
        "           ^^^^^^^^^",
        "no.",
        "help: try.",
    ]


def test_wrappers() -> None:
    @functools.cache
    def cached(x: float) -> float:
        return x * 8.0

    @functools.wraps(plain)
    def doubled(x: float) -> float:
        return 2.0 * plain(x)

    assert body(cached) == "x * 8.0"
    assert body(doubled) == "2.0 * plain(x)", "a Python wrapper may do more than it wraps"


def test_numba_dispatchers() -> None:
    numba = pytest.importorskip("numba")
    assert body(numba.njit(plain)) == "x + y * z"


@pytest.mark.parametrize("thing", [len, abs, 3, functools.partial(plain, 1.0), Model()])
def test_other_callables_have_no_source(thing: Any) -> None:
    with pytest.raises(SourceUnavailable, match="is not a Python function"):
        parse_function(thing)


def test_generators_and_async_functions_are_refused_where_they_are() -> None:
    def values(x: float) -> Any:
        y = x + 1.0
        yield y

    async def later(x: float) -> Any:
        return x

    async def stream(x: float) -> Any:
        yield x

    with pytest.raises(UnsupportedSyntax, match="values is a generator") as caught:
        parse_function(values)
    assert str(caught.value).splitlines()[1:3] == ["    yield y", "    ^^^^^^^"]
    assert caught.value.lineno == values.__code__.co_firstlineno + 2
    for fn in (later, stream):
        with pytest.raises(UnsupportedSyntax, match="is an async function"):
            parse_function(fn)
    with pytest.raises(UnsupportedSyntax, match="is a generator"):
        parse_function(lambda x: (yield x))


def test_code_without_source() -> None:
    names: dict[str, Any] = {}
    exec("def f(x):\n    return x\n", names)
    with pytest.raises(SourceUnavailable) as caught:
        parse_function(names["f"])
    assert (caught.value.filename, caught.value.lineno) == ("<string>", 1)
    assert "define it in a file" in str(caught.value) or "in linecache" in str(caught.value)


def test_code_with_registered_source(request: pytest.FixtureRequest) -> None:
    text = "def f(x):\n    return x * 9.0\ng = lambda x: x + 9.0\n"
    name = "<generated for a test>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    request.addfinalizer(lambda: linecache.cache.pop(name))
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    assert [body(names[n]) for n in "fg"] == ["x * 9.0", "x + 9.0"]


def test_an_edited_file_is_refused_not_believed(tmp_path: Path) -> None:
    module = load(tmp_path, "def f(x):\n    return x * 2.0\n\ndef g(x):\n    return x\n")
    path = tmp_path / "program.py"
    path.write_text("def f(x):\n    return x * 3.0\n\ndef g(x):\n    return x\n")
    os.utime(path, (1, 1))
    with pytest.raises(SourceUnavailable, match="is not what it was compiled from") as caught:
        parse_function(module.f)
    assert "import it again" in str(caught.value)
    assert body(module.g) == "x"


def test_equal_functions_of_two_files_stay_distinct(tmp_path: Path) -> None:
    text = "def f(x):\n    return x\n"
    first, second = load(tmp_path, text, "first"), load(tmp_path, text, "second")
    assert first.f.__code__ == second.f.__code__
    assert parse_function(first.f).filename.endswith("first.py")
    assert parse_function(second.f).filename.endswith("second.py")


def test_one_name_defined_many_times(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        """
        import sys
        if sys.version_info < (3, 0):
            def f(x): return 1 * x
        else:
            def f(x): return 2 * x
        first = f
        def f(x):
            return 3 * x
        class A:
            def f(self, x): return 4 * x
        def f2(x): return (
        5 * x)
        """,
    )
    assert [body(f) for f in (module.first, module.f, module.A.f, module.f2)] == ["2 * x", "3 * x", "4 * x", "5 * x"]


def test_calls_of_attributes_of_imported_names(tmp_path: Path) -> None:
    """Python compiles these in a way of its own, which depends on the rest of the module."""
    module = load(
        tmp_path,
        """
        from __future__ import annotations
        import math, os.path as path
        try:
            import numpy as np
        except ImportError:
            pass
        from string import ascii_letters as letters
        xp = math
        def f1(x): return math.sin(x)
        def f2(x): return path.join(x) + np.sin(x)
        def f3(x): return letters.index(x)
        def f4(x): return xp.sin(x)
        def f5(x):
            import json
            return json.dumps(x)
        def f6(json): return json.dumps(np.sin(1))
        class A:
            def f7(self, x): return np.sin(x) + letters.index(x) + xp.sin(x)
        f8 = lambda x: np.cos(x) + xp.sin(x)
        """,
    )
    functions = [module.f1, module.f2, module.f3, module.f4, module.f5, module.f6, module.A.f7, module.f8]
    assert [body(f) for f in functions] == [
        "math.sin(x)",
        "path.join(x) + np.sin(x)",
        "letters.index(x)",
        "xp.sin(x)",
        "json.dumps(x)",
        "json.dumps(np.sin(1))",
        "np.sin(x) + letters.index(x) + xp.sin(x)",
        "np.cos(x) + xp.sin(x)",
    ]


def test_text_that_hides_where_a_function_ends(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        '''
        from __future__ import annotations
        def f(x: Unknown):
            """Text
        at the margin
            """
            y = x  # a comment
        # and one at the margin
            s = """
        def g(x):
            """
            return y * 2
        def h(x): return x
        ''',
    )
    assert body(module.f) == "y * 2"
    assert body(module.h) == "x"


def test_trees_are_cached_and_go_with_the_code(tmp_path: Path) -> None:
    module = load(tmp_path, "def f(x):\n    return x\n")
    assert parse_function(module.f).node is parse_function(module.f).node
    before = len(parse_module._known)
    gone = weakref.ref(module.f.__code__)
    del module
    gc.collect()
    assert gone() is None
    assert len(parse_module._known) < before


def test_a_source_is_frozen() -> None:
    source = parse_function(plain)
    with pytest.raises(AttributeError):
        source.node = None  # type: ignore[misc]
    assert isinstance(source, FunctionSource)


def run_python(*args: str, **variables: str) -> str:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **variables}
    done = subprocess.run([sys.executable, *args], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_command_line_option_c_either_works_or_says_why() -> None:
    text = (
        "from s2sad.frontend.parse import parse_function\n"
        "from s2sad.errors import S2sadError\n"
        "def f(x):\n    return x * 2\n"
        "try: print('found', len(parse_function(f).node.body))\n"
        "except S2sadError as e: print(e)\n"
    )
    out = run_python("-c", text)
    assert out == "found 1" or "define it in a file or a notebook cell" in out


def test_without_column_information(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import gast\nfrom s2sad.frontend.parse import parse_function\n"
        "fs = [lambda x: x * 2, lambda x: x * 3, lambda x: x * 3]\n"
        "print([gast.unparse(parse_function(f).node.body).strip() for f in fs])\n"
    )
    assert run_python("-X", "no_debug_ranges", str(script)) == "['x * 2', 'x * 3', 'x * 3']"


def test_optimised_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from s2sad.frontend.parse import parse_function\n"
        "def f(x):\n    'text'\n    assert x > 0\n    return x\n"
        "print(len(parse_function(f).node.body))\n"
    )
    assert run_python("-OO", str(script)) == "3"


def test_constants_without_an_order_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "sets.py").write_text("def f(x):\n    return x in {'a', 'b', 'c', 'd'}\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import sets\nfrom s2sad.frontend.parse import parse_function\nprint(parse_function(sets.f).qualname)"
    )
    # The first run leaves byte code behind that the second reads.
    assert [run_python(str(script), PYTHONHASHSEED=seed) for seed in ("1", "2")] == ["f", "f"]


def test_a_sum_of_many_terms_is_no_deeper_than_the_stack() -> None:
    text = f"def f(x):\n    return {' + '.join(f'{k % 7 + 1}.0 * x**{k % 5}' for k in range(600))}\n"
    linecache.cache["<a long sum>"] = (len(text), None, text.splitlines(True), "<a long sum>")
    namespace: dict[str, Any] = {"__name__": "sums"}
    exec(compile(text, "<a long sum>", "exec"), namespace)
    limit = sys.getrecursionlimit()
    slope = grad(namespace["f"])(0.7)
    f = namespace["f"]
    assert slope == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-7)
    assert sys.getrecursionlimit() == limit
