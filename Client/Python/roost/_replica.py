"""Replicas: records, transactions, synchronisation."""

from __future__ import annotations

import os
import pathlib
import secrets
import time
import weakref
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Iterator, Literal, Mapping, Optional, Sequence, Union
from uuid import UUID

from ._errors import ClosedError, ForkedError, InvalidError
from ._library import Library, library
from ._objects import (
    Check,
    DeletedRecord,
    Device,
    Explanation,
    Invite,
    JournalEntry,
    LiveState,
    Membership,
    Status,
    SyncReport,
    make,
)
from ._observation import ListObservation, StatusObservation
from ._values import Record, Schema, arguments, record_id, records

Path = Union[str, "os.PathLike[str]"]
SchemaText = Union[str, Mapping[str, Any]]
Role = Literal["viewer", "editor", "owner"]
Durability = Literal["full", "normal"]
Identifiers = Literal["bytes", "text"]
RecordReference = Union[UUID, Mapping[str, Any]]


class Transaction:
    """Operations that are written together, at the end of the ``with`` block."""

    def __init__(self, replica: Replica, label: str) -> None:
        self._replica = replica
        self._label = label
        self._operations: list[Record] = []

    def _add(self, operation: Record) -> None:
        self._operations.append(operation)

    def _commit(self) -> None:
        if self._operations:
            self._replica._call("roost_write", {"label": self._label, "operations": self._operations})


_open: ContextVar[tuple[Transaction, ...]] = ContextVar("roost_transactions", default=())


class Live:
    """Live synchronisation. It runs until :meth:`stop`, the end of the ``with`` block, or the end of the replica."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        replica._call("roost_live_start")

    @property
    def state(self) -> LiveState:
        """The state now."""
        return self._replica.status().live

    def stop(self) -> SyncReport | None:
        """Stop. Pending changes stay in the replica.

        Returns the report; ``None`` where it was stopped before.
        """
        report = self._replica._wait("roost_live_stop")["report"]
        return None if report is None else make(SyncReport, report)

    def __enter__(self) -> Live:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.stop()
        except ClosedError:
            pass


class Replica:
    """One copy of the records of a group, in one file.

    Make one with :func:`roost.open`, :func:`roost.create` or :func:`roost.join`. All methods may be called from any
    thread. A method that reads or writes the file is short, and waits up to 30 s while another program holds the file;
    one that waits for a server can be ended by Ctrl-C, by :meth:`cancel` or by :meth:`close`.
    """

    def __init__(self, functions: Library, handle: int, answer: Mapping[str, Any]) -> None:
        self._library = functions
        self._handle = handle
        self.path = str(answer["path"])
        """The path of the file."""
        self.identifiers = str(answer["identifiers"])
        """The form in which the file stores identifiers."""
        self._finalizer = weakref.finalize(self, _close, functions, handle)
        self._schema = Schema(self._call("roost_schema")["schema"])

    # ---- Closing

    def close(self) -> None:
        """Close the file. Calls, observations and live synchronisation end; pending changes stay in the file.

        A replica that is closed already stays so.
        """
        if self._finalizer.detach() is not None:
            self._library.end("roost_close", self._handle)

    def cancel(self) -> None:
        """End the calls of other threads that wait for a server now. They raise CancelledError."""
        self._library.cancel(self._handle)

    def __enter__(self) -> Replica:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "open" if self._finalizer.alive else "closed"
        return f"<roost.Replica {self.path!r} ({state})>"

    def _call(self, name: str, request: Record | None = None) -> Record:
        return self._library.call(name, self._handle, request)

    def _wait(self, name: str, request: Record | None = None) -> Record:
        return self._library.wait(name, self._handle, _some(request or {}))

    # ---- Reading

    def fetch(
        self,
        entity: str,
        where: str | None = None,
        args: Sequence[Any] = (),
        *,
        sort: Sequence[str] = (),
        limit: int | None = None,
        offset: int = 0,
        properties: Sequence[str] | None = None,
        distinct: bool = False,
    ) -> list[Record]:
        """Return the records that a predicate selects, as mappings of native values.

        A record has ``id``, its attributes, and the identifiers of the records that it refers to. With ``properties`` a
        row has those paths, such as ``person.name``. A path of ``sort`` may end in ``:descending`` and ``:localized``.
        ``%@`` in the predicate is the next of ``args``.
        """
        request = _request(entity, where, args, sort, limit, offset)
        request.update(_some({"properties": _texts(properties, "properties"), "distinct": distinct or None}))
        answer = self._call("roost_fetch", request)
        return records(answer["rows"], answer["kinds"])

    def totals(
        self,
        entity: str,
        where: str | None = None,
        args: Sequence[Any] = (),
        *,
        group_by: Sequence[str] = (),
        count: bool = False,
        sum: Sequence[str] = (),
        average: Sequence[str] = (),
        minimum: Sequence[str] = (),
        maximum: Sequence[str] = (),
    ) -> list[Record]:
        """Return totals of records, or of each group of them.

        A row has the values of ``group_by``, and ``@count``, ``@sum.amount``, ``@avg.amount``, ``@min.amount`` and
        ``@max.amount`` for a path ``amount``.
        """
        request = _request(entity, where, args, (), None, 0)
        totals = {"groupBy": group_by, "sum": sum, "average": average, "minimum": minimum, "maximum": maximum}
        request.update({name: _texts(paths, name) for name, paths in totals.items() if paths})
        if count:
            request["count"] = True
        answer = self._call("roost_fetch", request)
        return records(answer["rows"], answer["kinds"])

    def count(self, entity: str, where: str | None = None, args: Sequence[Any] = ()) -> int:
        """Return the number of records that a predicate selects."""
        return int(self.totals(entity, where, args, count=True)[0]["@count"])

    def get(self, entity: str, id: RecordReference) -> Record | None:
        """Return one record; ``None`` where it does not exist, is deleted or hidden.

        It also has the identifiers of the records that its relationships to several name, in order.
        """
        answer = self._call("roost_get", {"entity": entity, "id": str(record_id(id, "id"))})
        if answer["record"] is None:
            return None
        relationships = {
            name: "uuid" for name, kind in self._schema.kinds(entity).items() if kind in ("record", "records")
        }
        return records([answer["record"]], {**answer["kinds"], **relationships})[0]

    # ---- Writing

    @contextmanager
    def transaction(self, label: str = "write") -> Iterator[Transaction]:
        """Write several records at once: all at the end of the block, or none if it raises.

        ``insert``, ``update`` and the other methods that write belong to it within the block, and are checked at its
        end. Reads within the block do not see them. Other devices get the transaction whole, and ``undo`` undoes it
        whole.
        """
        if any(each._replica is self for each in _open.get()):
            raise InvalidError(
                "invalidRequest",
                "Cannot begin a transaction within a transaction of the same replica.",
                "End the outer one first.",
            )
        current = Transaction(self, label)
        token = _open.set((*_open.get(), current))
        try:
            yield current
        finally:
            _open.reset(token)
        current._commit()

    def insert(
        self, entity: str, values: Mapping[str, Any] | None = None, *, id: UUID | None = None, **more: Any
    ) -> UUID:
        """Make a record, and return its identifier.

        ``replica.insert("Spending", content="Dinner", amount=30_00, person=ana)``; a reference is the identifier of a
        record, or the record.
        """
        new = id or _new_id()
        encoded = self._schema.encode(entity, {**(values or {}), **more})
        self._write("insert", {"insert": entity, "id": str(record_id(new, "id")), "values": encoded})
        return new

    def update(self, entity: str, id: RecordReference, values: Mapping[str, Any] | None = None, **more: Any) -> None:
        """Set values of a record."""
        encoded = self._schema.encode(entity, {**(values or {}), **more})
        self._write("update", {"update": entity, "id": str(record_id(id, "id")), "values": encoded})

    def delete(self, entity: str, id: RecordReference) -> None:
        """Delete a record. The delete rules apply; ``undelete`` brings it back with all that it hid."""
        self._write("delete", {"delete": entity, "id": str(record_id(id, "id"))})

    def undelete(self, entity: str, id: RecordReference) -> None:
        """Bring a deleted record back with its content, and with all that its delete hid."""
        self._write("undelete", {"undelete": entity, "id": str(record_id(id, "id"))})

    def add(
        self, entity: str, id: RecordReference, relationship: str, record: RecordReference, *, at: int | None = None
    ) -> None:
        """Add a record to a relationship to several, at an index where the relationship has an order."""
        operation = {
            "add": entity,
            "id": str(record_id(id, "id")),
            "relationship": relationship,
            "record": str(record_id(record, "record")),
        }
        self._write("add", _some({**operation, "at": at}))

    def remove(self, entity: str, id: RecordReference, relationship: str, record: RecordReference) -> None:
        """Remove a record from a relationship to several."""
        operation = {
            "remove": entity,
            "id": str(record_id(id, "id")),
            "relationship": relationship,
            "record": str(record_id(record, "record")),
        }
        self._write("remove", operation)

    def _write(self, label: str, operation: Record) -> None:
        for current in _open.get():
            if current._replica is self:
                return current._add(operation)
        self._call("roost_write", {"label": label, "operations": [operation]})

    def undo(self) -> str | None:
        """Undo the last transaction of this device, and return its label; ``None`` where there is none.

        Raises InvalidError where somebody has changed one of its records since.
        """
        return _optional(self._call("roost_undo")["label"])

    def redo(self) -> str | None:
        """Redo what was undone last, unless something was written since."""
        return _optional(self._call("roost_redo")["label"])

    def restore(self, number: int) -> tuple[str, UUID]:
        """Write the content of an entry of the journal as a new change, and return the entity and the record."""
        answer = self._call("roost_restore", {"number": number})
        return str(answer["entity"]), UUID(answer["id"])

    # ---- The scope

    def create_scope(
        self,
        server: str,
        admin_token: str,
        *,
        name: str | None = None,
        device: str | None = None,
        seed: bool = False,
    ) -> Membership:
        """Create a scope on a server from this replica, whose device becomes its owner.

        ``seed`` makes the replica's own scope again on a server that has lost it. The next ``sync`` sends everything.
        """
        request = {"server": server, "adminToken": admin_token, "name": name, "device": device, "seed": seed or None}
        return make(Membership, self._wait("roost_create_scope", request))

    def rejoin(self, link: str, *, device: str | None = None) -> Membership:
        """Join the replica's own scope again with this file."""
        return make(Membership, self._wait("roost_rejoin", {"link": link, "device": device}))

    def invite(self, *, role: Role = "editor", hours: int = 72, uses: int = 1) -> str:
        """Make a link with which others join. Everyone who has it can join."""
        return str(self._wait("roost_invite", {"role": role, "hours": hours, "uses": uses})["link"])

    def invites(self) -> list[Invite]:
        """List the open invites."""
        return [make(Invite, each) for each in self._wait("roost_invites")["invites"]]

    def revoke_invite(self, id: str) -> None:
        """Take an invite back."""
        self._wait("roost_invites", {"revoke": id})

    def devices(self) -> list[Device]:
        """List the devices of the scope."""
        return [make(Device, each) for each in self._wait("roost_devices")["devices"]]

    def revoke(self, device: Device | str, *, with_invited: bool = False) -> list[Device]:
        """Take a device's access away.

        Returns the devices that joined with its invites and keep their access.
        """
        request = {"device": _device(device), "withInvited": with_invited or None}
        return [make(Device, each) for each in self._wait("roost_revoke", request)["invited"]]

    def set_role(self, device: Device | str, role: Role) -> None:
        """Give a device another role."""
        self._wait("roost_set_role", {"device": _device(device), "role": role})

    def rotate_token(self) -> None:
        """Replace the replica's token."""
        self._wait("roost_rotate_token")

    # ---- Synchronising

    def sync(self, timeout: float = 3600, *, file_bytes_max: int | None = None) -> SyncReport:
        """Synchronise once, for at most ``timeout`` seconds.

        A server that cannot be reached is a state of the report, not an error.
        """
        request = {"timeoutMilliseconds": _milliseconds(timeout), "fileBytesMax": file_bytes_max}
        return make(SyncReport, self._wait("roost_sync", request))

    def live(self) -> Live:
        """Keep the replica synchronised, until the result is stopped: ``with replica.live(): …``"""
        return Live(self)

    def synced(self, timeout: float = 60) -> None:
        """Wait until the server has everything that was written before, and this replica everything of the server.

        Raises TimedOutError when the time is over.
        """
        self._wait("roost_synced", {"timeoutMilliseconds": _milliseconds(timeout)})

    # ---- Observing

    def observe(
        self,
        entity: str,
        where: str | None = None,
        args: Sequence[Any] = (),
        *,
        sort: Sequence[str] = (),
        limit: int | None = None,
        offset: int = 0,
        sectioned_by: str | None = None,
    ) -> ListObservation:
        """Iterate over the states of a list, with ``for`` or ``async for``.

        The first is there at once. Changes by this program, other programs and other devices arrive alike, and those
        that happen while the loop is busy form one state.
        """
        request = _request(entity, where, args, sort, limit, offset)
        return ListObservation(self._library, self._handle, _some({**request, "sectionedBy": sectioned_by}))

    def observe_status(self) -> StatusObservation:
        """Iterate over the states of the replica: what waits, and how live synchronisation stands."""
        return StatusObservation(self._library, self._handle, {})

    # ---- The state

    def status(self) -> Status:
        """Return what waits, since when, and why. Needs no server."""
        answer = self._call("roost_status")
        return make(Status, answer, live=make(LiveState, answer["live"]))

    def explain(self, entity: str, id: RecordReference) -> Explanation:
        """Say why a record is visible or not."""
        answer = self._call("roost_explain", {"entity": entity, "id": str(record_id(id, "id"))})
        because = answer.get("because")
        return Explanation(
            str(answer["state"]),
            None if because is None else (str(because["entity"]), UUID(because["id"])),
            [(str(each["entity"]), UUID(each["id"])) for each in answer.get("by", [])],
        )

    def journal(self, *, all: bool = False) -> list[JournalEntry]:
        """List the changes that are not current; with ``all`` also those whose content is current all the same."""
        entries = self._call("roost_journal", {"all": all})["entries"]
        return [make(JournalEntry, each, **self._content(each)) for each in entries]

    def deleted(self) -> list[DeletedRecord]:
        """List the deleted records that can come back."""
        found = self._call("roost_journal", {"deleted": True})["deleted"]
        return [make(DeletedRecord, each, **self._content(each)) for each in found]

    def keep_journal(self, days: int) -> None:
        """Keep entries of the journal for so many days from now on, 0 for ever."""
        self._call("roost_journal", {"keepDays": days})

    def _content(self, entry: Mapping[str, Any]) -> Record:
        put = entry.get("put")
        if put is not None:
            put = records([put], self._schema.readable(entry["entity"]))[0]
        return {"id": UUID(entry["id"]), "put": put}

    def check(self) -> Check:
        """Search the file for damage."""
        return make(Check, self._call("roost_check"))

    def backup(self, path: Path) -> None:
        """Copy the file as it is now. Nothing may exist at the path."""
        self._call("roost_backup", {"path": os.fspath(path)})

    def schema(self) -> Record:
        """Return the schema of the replica, as the JSON of its file."""
        return dict(self._call("roost_schema")["schema"])

    @property
    def schema_version(self) -> int:
        """The version of the schema."""
        return int(self._call("roost_schema")["version"])

    def migrate(self, schema: SchemaText | Path | None = None) -> tuple[int, int]:
        """Bring the replica to a later version of its schema: the one given, or the newest one of the scope.

        Returns the versions before and after, which are equal where there is nothing to migrate.
        """
        answer = self._call("roost_migrate", {} if schema is None else {"schema": schema_text(schema)})
        self._schema = Schema(self._call("roost_schema")["schema"])
        return int(answer["from"]), int(answer["to"])


# ---- Opening


def open(path: Path, *, durability: Durability = "full", repair: bool = False) -> Replica:
    """Open a replica file. ``repair`` rebuilds a damaged one from its readable parts first."""
    functions = library()
    request = {"path": os.fspath(path), "durability": durability, "repair": repair}
    return Replica(functions, *functions.open("roost_open", request))


def create(
    path: Path, schema: SchemaText | Path, *, identifiers: Identifiers = "bytes", durability: Durability = "full"
) -> Replica:
    """Make a replica file. ``schema`` is a mapping, the text of one, or the path of its file."""
    functions = library()
    request = {
        "path": os.fspath(path),
        "schema": schema_text(schema),
        "identifiers": identifiers,
        "durability": durability,
    }
    return Replica(functions, *functions.open("roost_create", request))


def join(
    link: str,
    path: Path,
    *,
    device: str | None = None,
    identifiers: Identifiers = "bytes",
    durability: Durability = "full",
) -> Replica:
    """Join the scope of an invite, and make a replica file for it. ``sync`` then brings its records."""
    functions = library()
    request = {
        "link": link,
        "path": os.fspath(path),
        "device": device,
        "identifiers": identifiers,
        "durability": durability,
    }
    return Replica(functions, *functions.join(_some(request)))


def schema_text(schema: SchemaText | Path) -> Any:
    """Return a schema as the library takes it: a mapping, a text, or what the file at a path has."""
    if isinstance(schema, Mapping):
        return dict(schema)
    if isinstance(schema, str) and schema.lstrip().startswith("{"):
        return schema
    return pathlib.Path(schema).read_text(encoding="utf-8")


def _close(functions: Library, handle: int) -> None:
    try:
        functions.end("roost_close", handle)
    except (ClosedError, ForkedError):
        # A forked child closes nothing of its parent.
        pass


# ---- Requests


def _some(request: Record) -> Record:
    """Leave out members that are not given."""
    return {name: value for name, value in request.items() if value is not None}


def _texts(values: Optional[Sequence[str]], name: str) -> list[str] | None:
    if isinstance(values, str):
        raise InvalidError("invalidRequest", f"Cannot use a text as {name}.", f"Write {name}=[…].")
    return None if values is None else list(values)


def _request(
    entity: str, where: str | None, args: Sequence[Any], sort: Sequence[str], limit: int | None, offset: int
) -> Record:
    request: Record = {"entity": entity, "where": where, "limit": limit, "offset": offset or None}
    if args:
        request["arguments"] = arguments(args)
    if sort:
        request["sort"] = _texts(sort, "sort")
    return _some(request)


def _milliseconds(seconds: float) -> int:
    if not 0 <= seconds <= 366 * 86_400:
        raise InvalidError("outOfRange", f"Cannot wait for {seconds} s.", "Give it 0 s to a year.")
    return int(seconds * 1000)


def _device(device: Device | str) -> str:
    return device.replica if isinstance(device, Device) else device


def _optional(value: Any) -> str | None:
    return None if value is None else str(value)


def _new_id() -> UUID:
    """Make an identifier that is ordered by time: a UUID of version 7."""
    milliseconds = time.time_ns() // 1_000_000 & (1 << 48) - 1
    number = milliseconds << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)
    return UUID(int=number)
