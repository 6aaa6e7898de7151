"""What calls return: reports, status, devices, the journal."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Mapping, Optional, TypeVar
from uuid import UUID

from ._values import Record, instant

Made = TypeVar("Made")


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match.group(1).upper(), name)


def make(kind: type[Made], value: Mapping[str, Any], **given: Any) -> Made:
    """Make an object of the members of a JSON object, whose names are in camel case."""
    values = dict(given)
    for each in fields(kind):  # type: ignore[arg-type]
        name = each.metadata.get("json", _camel(each.name))
        if each.name in given or name not in value:
            continue
        member = value[name]
        values[each.name] = instant(member) if each.metadata.get("time") else member
    return kind(**values)


def _time() -> Any:
    return field(default=None, metadata={"time": True})


@dataclass(frozen=True)
class SyncReport:
    """The report of a synchronisation."""

    up_to_date: bool = False
    """Whether everything is pushed and pulled."""
    state: str = ""
    """``up to date``, or the reason why not."""
    is_temporary: bool = False
    """Whether a later attempt may succeed without the user."""
    pushed: int = 0
    """The number of changes that the server accepted."""
    pulled: int = 0
    """The number of records that a pull has changed."""
    beaten: int = 0
    """The number of local changes that later ones beat. The journal keeps them."""
    refused: int = 0
    """The number of local changes that were refused. The journal keeps them."""
    hidden: int = 0
    """The number of records that others' deletes hid."""
    shown: int = 0
    """The number of records that are visible again."""
    brought_back: int = 0
    """The number of records that the server had lost and has again."""
    lost: int = 0
    """The number of records that the server had lost and did not accept."""
    forgotten: int = 0
    """The number of records that the server has purged."""
    corrected: int = 0
    """The number of records whose damaged content was replaced."""
    notices: list[str] = field(default_factory=list)
    """Further events, in plain words."""
    digest: Optional[str] = None
    """The digest of the replica at the end."""


@dataclass(frozen=True)
class LiveState:
    """The state of live synchronisation."""

    state: str = "notRunning"
    """``notRunning``, ``pushing``, ``pulling``, ``upToDate``, ``offline``, ``waiting``, ``blocked`` or ``stopped``."""
    reason: Optional[str] = None
    """Why synchronisation is impeded, and the next step."""


@dataclass(frozen=True)
class Status:
    """The state of a replica."""

    waiting: int = 0
    """The number of records with changes that the server does not have."""
    waiting_since: Optional[datetime] = _time()
    last_contact: Optional[datetime] = _time()
    """The last successful exchange with the server."""
    failure: Optional[str] = None
    """Why the last attempt failed."""
    failing_since: Optional[datetime] = _time()
    next_attempt: Optional[datetime] = _time()
    scope: Optional[str] = None
    scope_name: Optional[str] = None
    server: Optional[str] = None
    replica: Optional[str] = None
    role: Optional[str] = None
    device: Optional[str] = None
    has_credentials: Optional[bool] = None
    sync_process: Optional[int] = None
    """The process that synchronises the replica now."""
    digest: str = ""
    identifiers: str = "bytes"
    schema_version: int = 0
    next_schema_version: Optional[int] = None
    pulling_anew: Optional[str] = None
    missing: int = 0
    is_log_off: bool = False
    names: int = 1
    damaged: int = 0
    to_bring_back: int = 0
    journal_days: int = 0
    journal_removed: int = 0
    lost: int = 0
    beaten: int = 0
    refused: int = 0
    hidden: int = 0
    kept: int = 0
    unfit: int = 0
    live: LiveState = field(default_factory=LiveState)
    """The state of :meth:`Replica.live`."""


@dataclass(frozen=True)
class Check:
    """The result of a search for damage."""

    sound: bool = False
    faults: list[str] = field(default_factory=list)
    waiting: int = 0
    waiting_fault: Optional[str] = None
    comparable: bool = False
    compared: int = 0
    irregular: int = 0
    irregular_records: list[dict[str, str]] = field(default_factory=list)
    damaged: list[dict[str, str]] = field(default_factory=list)
    bookkeeping_damaged: bool = False
    dangling: list[dict[str, Any]] = field(default_factory=list)
    unreadable: Optional[str] = None


@dataclass(frozen=True)
class Membership:
    """The scope that a replica belongs to."""

    scope: str
    scope_name: str
    role: str
    server: str
    replica: str


@dataclass(frozen=True)
class Device:
    """A device of the scope, as the server has it."""

    replica: str
    """The name that :meth:`Replica.revoke` and :meth:`Replica.set_role` take."""
    name: str
    role: str
    created: Optional[datetime] = _time()
    last_seen: Optional[datetime] = _time()
    revoked: bool = False
    renewal_of: Optional[str] = None
    invited_by: Optional[str] = None
    is_this: bool = False
    """Whether it is the device of this replica."""


@dataclass(frozen=True)
class Invite:
    """An open invite, without its link, which is shown only once."""

    id: str
    """The name that :meth:`Replica.revoke_invite` takes."""
    role: str
    expires: Optional[datetime] = _time()
    uses_left: int = 0


@dataclass(frozen=True)
class JournalEntry:
    """A change that is not current."""

    outcome: str
    """``beaten``, ``refused``, ``lost``, ``damaged``, ``reverted``, ``hidden``, ``kept`` or ``unfit``."""
    entity: str
    id: UUID
    reason: str
    number: Optional[int] = None
    """The number that :meth:`Replica.restore` takes; ``None`` for a state that lasts."""
    at: Optional[datetime] = _time()
    stamp: Optional[str] = None
    by: Optional[str] = None
    by_device: Optional[str] = None
    """The device whose change is current instead."""
    is_current: bool = False
    """Whether the record has this content all the same."""
    put: Optional[Record] = None
    """The content of the change; ``None`` for a delete."""


@dataclass(frozen=True)
class DeletedRecord:
    """A deleted record that :meth:`Replica.undelete` can bring back."""

    entity: str
    id: UUID
    put: Optional[Record] = None
    """The content of the record."""
    deleted_by: Optional[str] = None
    """The device that has deleted it."""


@dataclass(frozen=True)
class Explanation:
    """Why a record is visible or not."""

    state: str
    """``visible``, ``kept``, ``hidden``, ``deleted`` or ``absent``."""
    because: Optional[tuple[str, UUID]] = None
    """The entity and the identifier of the record that is the reason of ``hidden``."""
    by: list[tuple[str, UUID]] = field(default_factory=list)
    """The records that refer to a ``kept`` one."""

    @property
    def is_visible(self) -> bool:
        """Whether the record is visible."""
        return self.state in ("visible", "kept")
