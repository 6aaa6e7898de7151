"""The registry of requirements: what protocol.md demands of a server, numbered by its section.

    @requirement("6.3", 2, "a repeated push gets the same bytes", both=True)
    def repeated_push(run: Run) -> None:
        ...

A check returns where the requirement holds, and raises Violation where it does not.
"""
from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

if TYPE_CHECKING:
    from .actors import Run

Check = Callable[["Run"], None]


class Violation(Exception):
    """A requirement that does not hold. `reply` is the reply that shows it, where there is one."""

    def __init__(self, message: str, reply: Any = None) -> None:
        super().__init__(message)
        self.reply = reply


class NotTested(Exception):
    """A requirement that cannot be tested with this server or these options."""


@dataclass(frozen=True)
class Requirement:
    """A requirement with its check, or with the reason why there is none."""

    section: str
    number: int
    text: str
    check: Optional[Check] = None
    reason: str = ""
    both: bool = False
    """Whether the check runs in both encodings of §5.2."""
    last: int = 0
    """1 for a check that runs alone after all others, for it hinders them; 2 for one that runs after those."""

    @property
    def id(self) -> str:
        return f"{self.section}-{self.number}"

    @property
    def order(self) -> Tuple[List[int], int]:
        return [int(part) for part in self.section.split(".")], self.number


_registry: Dict[str, Requirement] = {}


def _register(item: Requirement) -> None:
    if item.id in _registry:
        raise ValueError(f"two requirements have the number {item.id}: {item.text!r} and {_registry[item.id].text!r}")
    _registry[item.id] = item


def requirement(section: str, number: int, text: str, both: bool = False,
                last: int = 0) -> Callable[[Check], Check]:
    """Registers a check. With `both` it runs once in JSON and once in Protocol Buffers."""

    def register(check: Check) -> Check:
        _register(Requirement(section, number, text, check, both=both, last=last))
        return check

    return register


def operated(section: str, number: int, text: str, both: bool = False) -> Callable[[Check], Check]:
    """Registers a check that runs commands of the operator, after all others."""
    return requirement(section, number, text, both, last=1)


def not_tested(section: str, number: int, text: str, reason: str) -> None:
    """Registers a requirement that no request can test, with the reason."""
    _register(Requirement(section, number, text, reason=reason))


def requirements() -> List[Requirement]:
    """All requirements in the order of protocol.md."""
    from . import checks

    for module in pkgutil.iter_modules(checks.__path__):
        importlib.import_module(f"{checks.__name__}.{module.name}")
    return sorted(_registry.values(), key=lambda item: item.order)


def selected(prefixes: List[str]) -> List[Requirement]:
    """The requirements whose number or section begins with a prefix; all where there is none.

    A prefix ends at a part of the number: `6` selects 6.1-1 and not 60-1, `6.3` selects 6.3-12, `6.3-1` only itself.
    """
    def matches(item: Requirement) -> bool:
        return any(item.id == prefix or item.section == prefix or item.section.startswith(prefix + ".")
                   for prefix in prefixes)

    return [item for item in requirements() if not prefixes or matches(item)]
