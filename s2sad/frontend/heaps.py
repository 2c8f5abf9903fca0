"""``heapq`` on lists: its functions are lowered from source, item by item as the library moves them.

So the list holds its items in the library's own order at any time, whatever they are compared by: as numbers, as tuples
or by a method of the user's class.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

from s2sad.frontend.interface import Lowering
from s2sad.frontend.tables import Handler, builtin
from s2sad.frontend.values import AVal, PyFunc

__all__: list[str] = []


def _rise(heap: list[Any], top: int, place: int) -> None:
    """Move an item towards the top, past those that it is less than."""
    item = heap[place]
    while place > top:
        above = (place - 1) >> 1
        other = heap[above]
        if not item < other:
            break
        heap[place] = other
        place = above
    heap[place] = item


def _sink(heap: list[Any], top: int) -> None:
    """Move an item to the bottom, along the lesser of two each, and up again to where it belongs."""
    n = len(heap)
    place = top
    item = heap[place]
    below = 2 * place + 1
    while below < n:
        if below + 1 < n and not heap[below] < heap[below + 1]:
            below += 1
        heap[place] = heap[below]
        place = below
        below = 2 * place + 1
    heap[place] = item
    _rise(heap, top, place)


def _heapify(heap: list[Any]) -> None:
    for place in range(len(heap) // 2 - 1, -1, -1):
        _sink(heap, place)


def _push(heap: list[Any], item: Any) -> None:
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def _pop(heap: list[Any]) -> Any:
    item = heap.pop()
    if len(heap) > 0:
        last = item
        item = heap[0]
        heap[0] = last
        _sink(heap, 0)
    return item


def _replace(heap: list[Any], item: Any) -> Any:
    first = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return first


def _push_and_pop(heap: list[Any], item: Any) -> Any:
    if len(heap) > 0 and heap[0] < item:
        return _replace(heap, item)
    return item


def _by_source(function: Callable[..., Any]) -> Handler:
    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        return lo.call(PyFunc.of(function), args, {}, hint)

    return handler


builtin(heapq.heapify, takes=lambda heap, /: ...)(_by_source(_heapify))
builtin(heapq.heappush, takes=lambda heap, item, /: ...)(_by_source(_push))
builtin(heapq.heappop, takes=lambda heap, /: ...)(_by_source(_pop))
builtin(heapq.heapreplace, takes=lambda heap, item, /: ...)(_by_source(_replace))
builtin(heapq.heappushpop, takes=lambda heap, item, /: ...)(_by_source(_push_and_pop))
