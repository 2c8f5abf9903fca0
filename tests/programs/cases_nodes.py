"""Objects that refer to each other: neighbours, chains and lists of them, gone through by index."""

from __future__ import annotations

import numpy as np
from program import program

x = np.array([1.0, 2.0, 3.0, 0.5])


class Cell:
    def __init__(self, v):
        self.v = v
        self.near = []


class Node:
    def __init__(self, value, after=None):
        self.value = value
        self.after = after


def neighbours(x):
    cells = [Cell(x[i]) for i in range(4)]
    for i in range(4):
        cells[i].near.append(cells[(i + 1) % 4])
        cells[i].near.append(cells[i - 1])
    for _ in range(3):
        new = [c.v + 0.1 * sum((n.v - c.v) ** 2 for n in c.near) for c in cells]
        for c, v in zip(cells, new):
            c.v = v
    cells[0].near[0].v *= 2.0
    return sum((i + 1) * c.v for i, c in enumerate(cells))


def pairs_by_index(x, n):
    cells = [Cell(x[i]) for i in range(4)]
    for _ in range(n):
        for i in range(4):
            for j in range(i):
                d = cells[i].v - cells[j].v
                cells[i].v -= 0.1 * d
                cells[j].v += 0.1 * d * d
    return sum((i + 1) * c.v for i, c in enumerate(cells))


def all_but_one(x):
    cells = [Cell(x[i]) for i in range(4)]
    for i in range(4):
        if i == 2:
            continue
        cells[i].v = cells[i].v * cells[2].v
    return sum(c.v**2 for c in cells)


def up_to_the_first(x):
    cells = [Cell(x[i]) for i in range(4)]
    for i in range(4):
        if cells[i].v > 2.5:
            cells[i].v *= 3.0
            break
        cells[i].v = cells[i].v * cells[i - 1].v
    else:
        cells[0].v = 7.0
    return sum((i + 1) * c.v**2 for i, c in enumerate(cells))


def chain(x):
    head = None
    for i in range(4):
        head = Node(x[i] * x[i], head)
    total, k, node = 0.0, 1, head
    while node is not None:
        total += k * node.value
        k += 1
        node = node.after
    return total


def turned_chain(x):
    head = None
    for i in range(4):
        head = Node(x[i] ** 2, head)
    before = None
    while head is not None:
        head.after, before, head = before, head, head.after
    total, k = 0.0, 1.0
    while True:
        total += k * before.value
        k *= 2.0
        before = before.after
        if before is None:
            break
    return total


def found_in_a_chain(x):
    head = None
    for i in range(4):
        head = Node(x[i] ** 2, head)
    node = head
    while node is not None:
        if node.value > 5.0:
            node.value *= 3.0
        node = node.after
    return head.value * head.after.value


def by_turns(x):
    a, b = Cell(x[0]), Cell(x[1])
    current = a
    for k in range(5):
        current.v = current.v * x[2] + k
        current = b if current is a else a
    return a.v * b.v + current.v


class Branch:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right


def tree_by_a_stack(x):
    root = Branch(x[0], Branch(x[1] * x[0], None, Branch(x[3])), Branch(x[2]))
    stack, total, k = [root], 0.0, 1
    while stack:
        node = stack.pop()
        total += k * node.v**2
        k += 1
        for below in (node.left, node.right):
            if below is not None:
                stack.append(below)
    return total


def tree_by_levels(x):
    root = Branch(x[0], Branch(x[1] * x[0], None, Branch(x[3])), Branch(x[2]))
    waiting, total = [root], 0.0
    while len(waiting) > 0:
        node = waiting.pop(0)
        total = 0.5 * total + node.v**2
        for below in (node.left, node.right):
            if below is not None:
                waiting.append(below)
    return total


def left_in_the_middle(x):
    cells = [Cell(x[i]) for i in range(4)]
    for i in range(4):
        if cells[i].v > 2.5:
            return cells[i].v * cells[0].v
        cells[i].v = cells[i].v * cells[i - 1].v
        if cells[i].v < 0:
            continue
        cells[i - 1].v += 1.0
    return sum(c.v for c in cells)


class Matrix:
    """A matrix in lists, by whose items all is done."""

    def __init__(self, rows):
        self.rows = rows

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

    def __getitem__(self, at):
        return self.rows[at[0]][at[1]]

    def __setitem__(self, at, v):
        self.rows[at[0]][at[1]] = v

    def __matmul__(self, other):
        (n, k), m = self.shape, other.shape[1]
        out = Matrix([[0.0] * m for _ in range(n)])
        for i in range(n):
            for j in range(m):
                for l in range(k):
                    out[i, j] += self[i, l] * other[l, j]
        return out

    @property
    def T(self):
        return Matrix([list(c) for c in zip(*self.rows)])


def matrix_of_lists(a):
    m = Matrix(a.tolist())
    g = m @ m.T
    g[0, 0] *= g[1, 2]
    g[1, 1] = g[0, 1]
    h = g @ g
    return sum(h[i, i] for i in range(3)) + h[0, 2]


def lists_of_three_axes(a):
    blocks = a.reshape(3, 2, 2).tolist()
    blocks[0][1][0] *= blocks[2][1][1]
    blocks[1] = blocks[0]
    total = 0.0
    for block in blocks:
        for row in block:
            for v in row:
                total = 0.9 * total + v * v
    return total


a = np.arange(12.0).reshape(3, 4) / 5 - 1

PROGRAMS = [
    program(matrix_of_lists, a, name="a matrix of lists"),
    program(lists_of_three_axes, a, name="lists of three axes"),
    program(tree_by_a_stack, x, name="a tree by a stack"),
    program(tree_by_levels, x, name="a tree by levels"),
    program(left_in_the_middle, x, name="cells left in the middle"),
    program(neighbours, x, name="cells and their neighbours"),
    program(pairs_by_index, x, 3, name="pairs of cells by index"),
    program(all_but_one, x, name="all cells but one"),
    program(up_to_the_first, x, name="cells up to the first"),
    program(chain, x, name="a chain of nodes"),
    program(turned_chain, x, name="a chain that is turned"),
    program(found_in_a_chain, x, name="found in a chain"),
    program(by_turns, x, name="two cells by turns"),
]
