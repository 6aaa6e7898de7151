"""The registry of scenarios: what protocol.md demands of a client, numbered by its section.

    @scenario("6.3", 2, "a push whose reply is lost is sent again with the same bytes", "writer")
    def reply_lost(world: World) -> None:
        ...

A scenario returns where the requirement holds, and raises Violation where it does not. Afterwards the checks of
`checks.py` run, for which every device must have synchronised.
"""
from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import Callable, Dict, List, Tuple

from .world import World

Play = Callable[[World], None]


@dataclass(frozen=True)
class Scenario:
    """A numbered requirement and the scenario that tests it."""

    section: str
    number: int
    text: str
    profile: str
    """The least profile that has to pass it: mirror, writer, minimal or full."""
    play: Play
    codes: Tuple[str, ...]
    """Errors that the scenario provokes of the correct server."""
    requests_max: int
    renewals_max: int
    is_checked: bool

    @property
    def id(self) -> str:
        return f"{self.section}-{self.number}"

    @property
    def order(self) -> Tuple[List[int], int]:
        return [int(part) for part in self.section.split(".")], self.number


_registry: Dict[str, Scenario] = {}


def scenario(section: str, number: int, text: str, profile: str, codes: Tuple[str, ...] = (), requests_max: int = 60,
             renewals_max: int = 0, is_checked: bool = True) -> Callable[[Play], Play]:
    """Registers a scenario. Without `is_checked` the checks that need a synchronised device are left to it."""

    def register(play: Play) -> Play:
        item = Scenario(section, number, text, profile, play, codes, requests_max, renewals_max, is_checked)
        if item.id in _registry:
            raise ValueError(f"two scenarios have the number {item.id}: {text!r} and {_registry[item.id].text!r}")
        _registry[item.id] = item
        return play

    return register


def scenarios() -> List[Scenario]:
    """All scenarios in the order of protocol.md."""
    from . import scenarios as package

    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return sorted(_registry.values(), key=lambda item: item.order)


def selected(prefixes: List[str]) -> List[Scenario]:
    """The scenarios of sections, such as 6 or 6.3, or single ones, such as 6.3-2; all where there is no prefix."""
    def matches(item: Scenario) -> bool:
        return any(item.id == prefix or item.section == prefix or item.section.startswith(prefix + ".")
                   for prefix in prefixes)

    return [item for item in scenarios() if not prefixes or matches(item)]
