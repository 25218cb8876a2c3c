"""Named things that tests share, each made when a test first asks for it."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class Lazily(Mapping[str, T]):
    """A mapping whose values are made by functions; each function is called once, when its value is first used.

    Tests can be parametrised by the names. Nothing is fitted or compiled while tests are collected: every test process
    collects all tests, and would do that work again.
    """

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers, self._made = makers, dict[str, T]()

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
