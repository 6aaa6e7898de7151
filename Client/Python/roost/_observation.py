"""Observations: iterators of the states of a list, or of a replica."""

from __future__ import annotations

import asyncio
import threading
import time
import weakref
from collections import deque
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, Mapping, Optional, TypeVar
from uuid import UUID

from ._errors import ClosedError, ForkedError, RoostError
from ._library import Library
from ._objects import LiveState, make
from ._values import Record, instant, records

Event = TypeVar("Event")

_SLICE = 0.2
"""Seconds of one wait in the library. Python runs signal handlers between two of them."""


@dataclass
class Section:
    """A part of a list, whose rows have one value in common."""

    name: Optional[str]
    rows: list[Record] = field(default_factory=list)


@dataclass(frozen=True)
class Update:
    """The state of a list, and what has changed since the one before."""

    sections: list[Section]
    """The parts of the list; one without a name where it is not divided."""
    origins: frozenset[str]
    """``initial``, ``local``, ``otherProgram`` or ``synchronisation``."""
    inserted: list[Record] = field(default_factory=list)
    """The rows that are new."""
    updated: list[Record] = field(default_factory=list)
    """The rows with other values."""
    moved: list[Record] = field(default_factory=list)
    """The rows that are elsewhere."""
    deleted: list[UUID] = field(default_factory=list)
    """The identifiers of rows that are gone."""

    @property
    def rows(self) -> list[Record]:
        """All rows, in order."""
        return [row for section in self.sections for row in section.rows]

    @property
    def is_initial(self) -> bool:
        """Whether it is the first state."""
        return "initial" in self.origins


@dataclass(frozen=True)
class StatusUpdate:
    """The state of a replica, as far as it changes often."""

    waiting: int
    """The number of records with changes that the server does not have."""
    last_contact: Any
    """The last successful exchange with the server, as a datetime."""
    live: LiveState
    """The state of live synchronisation."""


class _Observation(Generic[Event]):
    """An iterator of events, also for ``async for``. It ends when it is closed, and when its replica is."""

    def __init__(self, library: Library, handle: int, request: Record) -> None:
        self._library = library
        self._handle = library.observe(handle, request)
        self._finalizer = weakref.finalize(self, _end, library, self._handle)
        self._reading = threading.Lock()
        self._events: deque[Event] = deque()

    def next(self, timeout: float | None = None) -> Event | None:
        """Wait for the next event.

        Returns ``None`` when the time is over. Ctrl-C ends the wait. Raises ClosedError once the observation is closed.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _SLICE if end is None else min(_SLICE, max(0.0, end - time.monotonic()))
            event = self._poll(left)
            if event is not None:
                return event
            if end is not None and time.monotonic() >= end:
                return None

    def close(self) -> None:
        """End the observation. Iterations end."""
        self._finalizer()

    def _poll(self, seconds: float) -> Event | None:
        self._wait(seconds)
        return self._take()

    def _wait(self, seconds: float) -> None:
        """Wait for an event, and keep it: the task that waits may be cancelled meanwhile, and the next one gets it."""
        request = {"timeoutMilliseconds": int(seconds * 1000)}
        with self._reading:
            if self._events:
                return
            event = self._library.call("roost_next_event", self._handle, request)["event"]
            if event is not None:
                self._events.append(self._read(event))

    def _take(self) -> Event | None:
        try:
            return self._events.popleft()
        except IndexError:
            return None

    def _read(self, event: Mapping[str, Any]) -> Event:
        raise NotImplementedError

    def __iter__(self) -> _Observation[Event]:
        return self

    def __next__(self) -> Event:
        try:
            event = self.next()
        except ClosedError:
            raise StopIteration from None
        assert event is not None  # without a timeout there is one
        return event

    def __aiter__(self) -> _Observation[Event]:
        return self

    async def __anext__(self) -> Event:
        loop = asyncio.get_running_loop()
        while True:
            try:
                await loop.run_in_executor(None, self._wait, _SLICE)
            except ClosedError:
                raise StopAsyncIteration from None
            except asyncio.CancelledError:
                self._library.cancel(self._handle)
                raise
            event = self._take()
            if event is not None:
                return event

    def __enter__(self) -> _Observation[Event]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _end(library: Library, handle: int) -> None:
    try:
        library.end("roost_unobserve", handle)
    except (ClosedError, ForkedError):
        # The replica was closed, or this is a forked child, which ends nothing of its parent.
        pass


class ListObservation(_Observation[Update]):
    """The states of a list."""

    def __init__(self, library: Library, handle: int, request: Record) -> None:
        self._sections: list[Section] = []
        self._kinds: dict[str, str] = {}
        super().__init__(library, handle, request)

    def _read(self, event: Mapping[str, Any]) -> Update:
        origins = frozenset(event["origins"])
        if "sections" in event:
            self._kinds = event["kinds"]
            self._sections = [
                Section(section["name"], records(section["rows"], self._kinds)) for section in event["sections"]
            ]
            return Update(self._copy(), origins)
        return self._apply(event["difference"], origins)

    def _copy(self) -> list[Section]:
        return [Section(section.name, list(section.rows)) for section in self._sections]

    def _row(self, change: Mapping[str, Any]) -> Record | None:
        return records([change["row"]], self._kinds)[0] if "row" in change else None

    def _apply(self, difference: Mapping[str, Any], origins: frozenset[str]) -> Update:
        sections = self._sections
        # Rows that leave their place, the last first.
        moves = difference["moved"]
        leaving = [(tuple(move["from"]), move["id"]) for move in moves]
        leaving += [(tuple(change["at"]), None) for change in difference["deleted"]]
        taken: dict[str, Record] = {}
        for (section, row), moved in sorted(leaving, key=lambda each: each[0], reverse=True):
            record = sections[section].rows.pop(row)
            if moved is not None:
                taken[moved] = record
        # Sections, which are empty where they are deleted.
        gone = [(change["index"], None) for change in difference["deletedSections"]]
        gone += [(change["from"], change["to"]) for change in difference["movedSections"]]
        arriving: list[tuple[int, Section]] = []
        for index, place in sorted(gone, key=lambda each: int(each[0] or 0), reverse=True):
            section_taken = sections.pop(index)
            if place is not None:
                arriving.append((place, section_taken))
        arriving += [(change["index"], Section(change["name"])) for change in difference["insertedSections"]]
        for index, section_placed in sorted(arriving, key=lambda each: each[0]):
            sections.insert(index, section_placed)
        return self._place(difference, origins, taken)

    def _place(self, difference: Mapping[str, Any], origins: frozenset[str], taken: dict[str, Record]) -> Update:
        inserted: list[Record] = []
        moved: list[Record] = []
        arriving: list[tuple[tuple[int, int], Record]] = []
        for change in difference["inserted"]:
            row = self._row(change) or {"id": UUID(change["id"])}
            inserted.append(row)
            arriving.append((tuple(change["at"]), row))
        for change in difference["moved"]:
            row = self._row(change) or taken[change["id"]]
            moved.append(row)
            arriving.append((tuple(change["to"]), row))
        for (section, index), row in sorted(arriving, key=lambda each: each[0]):
            self._sections[section].rows.insert(index, row)
        updated: list[Record] = []
        for change in difference["updated"]:
            section, index = change["at"]
            row = self._row(change) or self._sections[section].rows[index]
            updated.append(row)
            self._sections[section].rows[index] = row
        deleted = [UUID(change["id"]) for change in difference["deleted"]]
        return Update(self._copy(), origins, inserted, updated, moved, deleted)


class StatusObservation(_Observation[StatusUpdate]):
    """The states of a replica: what waits, and how live synchronisation stands."""

    def _read(self, event: Mapping[str, Any]) -> StatusUpdate:
        return StatusUpdate(event["waiting"], instant(event.get("lastContact")), make(LiveState, event["live"]))


__all__ = ["ListObservation", "RoostError", "Section", "StatusObservation", "StatusUpdate", "Update"]
