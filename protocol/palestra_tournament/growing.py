"""A map that only grows, for a state whose every version is kept by somebody."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from itertools import islice
from typing import Any, TypeVar, cast

S = TypeVar("S")
V = TypeVar("V")


class GrowingMap(Mapping[str, V]):
    """An immutable map, in the order in which keys were added; `plus` costs as much as what is new.

    A version and the ones that it grew from share their entries, and each sees as many of them as it has. Only one
    version can grow where they lie: a second one that grows from the same map copies it first.
    """

    __slots__ = ("_folds", "_keys", "_places", "_size", "_values")

    def __init__(self, items: Iterable[tuple[str, V]] = ()) -> None:
        self._places: dict[str, int] = {}
        self._keys: list[str] = []
        self._values: list[V] = []
        # What came of `fold`, by what was folded: of so many values.
        self._folds: dict[Callable[[Any, V], None], tuple[int, Any]] = {}
        self._size = 0
        self._append(items)

    def plus(self, items: Iterable[tuple[str, V]]) -> GrowingMap[V]:
        """This map and these entries, whose keys must be new."""
        if len(self._keys) > self._size:
            grown = GrowingMap(self.items())
        else:
            grown = GrowingMap[V]()
            grown._places, grown._keys, grown._values = self._places, self._keys, self._values
            grown._folds = self._folds
        grown._append(items)
        return grown

    def _append(self, items: Iterable[tuple[str, V]]) -> None:
        for key, value in items:
            self._places[key] = len(self._keys)
            self._keys.append(key)
            self._values.append(value)
        self._size = len(self._keys)

    def fold(self, begin: Callable[[], S], add: Callable[[S, V], None]) -> S:
        """What `add` makes of `begin()` with one value after the other, in order; only for reading, and until the next.

        It goes on where the fold of an earlier version ended.
        """
        size, state = self._folds.pop(add, (0, None))
        if state is None or size > self._size:
            size, state = 0, begin()
        for place in range(size, self._size):
            add(state, self._values[place])
        self._folds[add] = self._size, state
        return cast(S, state)

    def same(self, other: GrowingMap[V]) -> int:
        """How many values at the beginning are identical in both: seen at once if one grew from the other."""
        both = min(self._size, other._size)
        if self._values is other._values:
            return both
        return next((place for place in range(both) if self._values[place] is not other._values[place]), both)

    def place(self, key: str) -> int:
        """How many keys were added before this one. Raises KeyError."""
        place = self._places[key]
        if place >= self._size:
            raise KeyError(key)
        return place

    def __getitem__(self, key: str) -> V:
        return self._values[self.place(key)]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._places.get(key, self._size) < self._size

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[str]:
        return islice(self._keys, self._size)

    def items(self) -> ItemsView[str, V]:
        return _Items(self)

    def values(self) -> Values[V]:
        return Values(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return GrowingMap, (tuple(self.items()),)

    def __repr__(self) -> str:
        return f"GrowingMap({dict(self)})"


class _Items(ItemsView[str, V]):
    _mapping: GrowingMap[V]

    def __iter__(self) -> Iterator[tuple[str, V]]:
        return zip(self._mapping, self._mapping.values(), strict=True)


class Values(ValuesView[V]):
    _mapping: GrowingMap[V]

    def __iter__(self) -> Iterator[V]:
        return islice(self._mapping._values, len(self._mapping))

    def __reversed__(self) -> Iterator[V]:
        return (self._mapping._values[place] for place in range(len(self._mapping) - 1, -1, -1))
