"""Programs that choose functions at run time, and ask which one it is."""

from __future__ import annotations

import itertools
import math

import numpy as np
from program import program


def relu(x):
    return np.maximum(x, 0.0)


SHAPES = {"tanh": np.tanh, "relu": relu}


def told_apart(x, names):
    for name in names:
        f = SHAPES[name]
        x = f(x) * (2.0 if f is np.tanh else 3.0) + (0.5 if f != relu else 0.1)
    return np.sum(x)


def told_apart_in_a_branch(x, flag):
    f = np.tanh if flag else relu
    return np.sum(f(x)) * (2.0 if f is relu else 5.0) * (1.0 if f is np.sin else 3.0)


def same_twice(x, names):
    ops = {"tanh": np.tanh, "relu": relu, "sin": np.sin}
    total = 0.0
    for one, two in itertools.pairwise(names):
        f, g = ops[one], ops[two]
        total += np.sum(f(x) * g(x)) * (2.0 if f is g else 3.0)
    return total


def with_a_default(x, names):
    ops = {"tanh": np.tanh, "relu": relu}
    for name in names:
        x = ops.get(name, np.sin)(x)
    return np.sum(x)


def stack_machine(x, program):
    unary = {"sin": math.sin, "exp": math.exp, "neg": lambda v: -v}
    binary = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b}
    stack = [x]
    for op in program:
        if op in unary:
            stack.append(unary[op](stack.pop()))
        elif op not in binary:
            stack.append(stack[-1])
        else:
            b = stack.pop()
            a = stack.pop()
            stack.append(binary[op](a, b))
    return stack[0]


X = np.array([0.3, -0.6, 0.9])

PROGRAMS = [
    program(told_apart, X, ["tanh", "relu", "tanh"]),
    program(told_apart_in_a_branch, X, True),
    program(told_apart_in_a_branch, X, False, name="told_apart_in_the_other_branch"),
    program(same_twice, X, ["tanh", "relu", "relu", "sin"]),
    program(with_a_default, X, ["tanh", "other", "relu"]),
    program(stack_machine, 0.7, ["dup", "sin", "add", "exp", "dup", "mul", "neg"]),
]
