"""Random programs of nested loops that take and store items, rows and parts of matrices by sums of loop indices.

Some indices count from the end, some of them by chance; some stores come into what was read before, some do not.
"""

from __future__ import annotations

import random

__all__ = ["SIZE", "loop_text"]

SIZE = 5  #: rows and columns of each matrix


def loop_text(seed: int) -> str:
    """The text of ``f(A, n)``, a number from a SIZE by SIZE matrix; it may raise IndexError when it is run."""
    return _Writer(random.Random(seed)).function()


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.known: list[str] = []
        self.matrices = ["A"]
        self.names = 0

    def function(self) -> str:
        rng = self.rng
        lines = ["def f(A, n):", "    s = 0.1"]
        if rng.random() < 0.7:
            made = rng.choice([f"np.zeros(({SIZE}, {SIZE}))", "A.copy()", "np.ones_like(A)", "A.T", "A * 2.0"])
            lines.append(f"    B = {made}")
            self.matrices.append("B")
        for _ in range(rng.randint(1, 2)):
            lines += self.loop()
        rest = [m for m in self.matrices if m == "A" or rng.random() < 0.8]
        return "\n".join([*lines, "    return s + " + " + ".join(f"np.sum(np.cos({m}))" for m in rest)]) + "\n"

    def loop(self) -> list[str]:
        rng = self.rng
        lines, last = self.counted() if rng.random() < 0.3 else ([f"    for i in {self.span()}:"], [])
        self.known = ["i"]
        outer = self.matrices
        if rng.random() < 0.25:
            lines.append(f"        C = np.ones(({SIZE}, {SIZE})) * s")
            self.matrices = [*outer, "C"]
        lines += self.statements(rng.randint(0, 2), 8)
        if rng.random() < 0.75:
            lines.append(f"        for j in {self.span()}:")
            self.known = ["i", "j"]
            lines += self.statements(rng.randint(1, 3), 12)
            self.known = ["i"]
        lines += self.statements(rng.randint(0, 1), 8)
        self.matrices, self.known = outer, []
        return [*lines, "        s = np.sin(s)", *last]

    def counted(self) -> tuple[list[str], list[str]]:
        """The head of a loop that counts for itself, and its last line."""
        if self.rng.random() < 0.5:
            return ["    i = n - 1", "    while i >= 0:"], ["        i -= 1"]
        step = self.rng.choice([1, 1, 2])
        return [f"    i = {self.rng.choice([0, 1])}", "    while i < n and s < 9.0:"], [f"        i += {step}"]

    def span(self) -> str:
        low = self.rng.choice(["0", "1", *self.known])
        high = self.rng.choice(["n", "n - 1", *(f"{v} + 1" for v in self.known)])
        step = self.rng.choice(["1", "1", "1", "-1", "2"])
        return f"range({high} - 1, {low} - 1, -1)" if step == "-1" else f"range({low}, {high}, {step})"

    def statements(self, count: int, indent: int) -> list[str]:
        return [line for _ in range(count) for line in self.statement(indent)]

    def statement(self, indent: int) -> list[str]:
        rng, item, part, number = self.rng, self.item, self.part, self.number
        match rng.randrange(11):
            case 0 | 1 | 2 | 3:
                lines = [f"{item()} = 0.5 * {number()} + 0.1 * {number()}"]
            case 4:
                lines = [f"{item()} {rng.choice(['+=', '-=', '*='])} 0.3 * {number()}"]
            case 5:
                lines = [f"s += {number()} * {number()}"]
            case 6:
                lines = [f"{part()} {rng.choice(['=', '+=', '*='])} {number()}"]
            case 7:
                t = self.name()
                lines = [f"{t} = {number()} + 0.2", f"{item()} = {t}", f"s += {t} * {t} * 0.1"]
            case 8:
                t = self.name()
                row = f"{t} = {rng.choice(self.matrices)}[{self.index()}]"
                lines = [row, f"{t}[{self.index()}] = 0.4 * {number()}", f"s += {t}[{self.index()}] ** 2 * 0.2"]
            case 9:
                t = self.name()
                lines = [f"{t} = {part()}", f"{item()} = np.sum({t} ** 2) * 0.2", f"s += np.sum({t}) * 0.1"]
            case _:
                lines = [f"if s > {rng.choice(['0.3', '1.0', '2.0'])}:", *self.statement(4)]
                if rng.random() < 0.5:
                    lines += ["else:", *self.statement(4)]
        return [" " * indent + line for line in lines]

    def name(self) -> str:
        self.names += 1
        return f"t{self.names}"

    def index(self) -> str:
        number = self.rng.choice([*self.known, *self.known, "0", "-1", "2"])
        return number + (self.rng.choice(["", " - 1", " + 1", "", " - 2"]) if number in self.known else "")

    def slice(self) -> str:
        number = self.rng.choice([*self.known, "1", "-1", "2"])
        end = number + (self.rng.choice(["", " + 1", " - 1", ""]) if number in self.known else "")
        return self.rng.choice([f"{end}:", f":{end}"])

    def item(self) -> str:
        matrix = self.rng.choice(self.matrices)
        row = f"({self.index()}) % {SIZE}" if self.rng.random() < 0.1 else self.index()
        return f"{matrix}[{row}, {self.index()}]"

    def part(self) -> str:
        matrix, i, s = self.rng.choice(self.matrices), self.index(), self.slice()
        return matrix + self.rng.choice([f"[{i}, {s}]", f"[{s}, {i}]", f"[{i}]", f"[:, {i}]", f"[{i}][{s}]"])

    def number(self) -> str:
        match self.rng.randrange(7):
            case 0 | 1 | 2:
                return self.item()
            case 3:
                return f"np.sin({self.item()} * {self.item()})"
            case 4:
                return f"np.exp(-({self.item()} ** 2))"
            case 5:
                return f"np.sum(np.tanh({self.part()}))"
        return "s * 0.3"
