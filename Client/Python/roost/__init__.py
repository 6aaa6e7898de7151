"""Records that a group shares, on every member's device, in a file that works without a server.

    import roost

    with roost.open("trip.roost") as replica:
        with replica.transaction("groceries"):
            replica.insert("Spending", content="Milk", amount=1_20)
        for spending in replica.fetch("Spending", where="amount > %@", args=[1_00]):
            print(spending["content"], spending["amount"])

Client/Python/README.md has a tutorial.
"""

from __future__ import annotations

from ._errors import (
    BusyError,
    CancelledError,
    ClosedError,
    FileError,
    ForkedError,
    InternalError,
    InvalidError,
    MisuseError,
    NotFoundError,
    RefusedError,
    RoostError,
    TimedOutError,
    UnavailableError,
)
from ._library import library as _loaded_library
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
)
from ._observation import ListObservation, Section, StatusObservation, StatusUpdate, Update
from ._replica import Live, Replica, Transaction, create, join, open
from ._values import Record

__all__ = [
    "BusyError",
    "CancelledError",
    "Check",
    "ClosedError",
    "DeletedRecord",
    "Device",
    "Explanation",
    "FileError",
    "ForkedError",
    "InternalError",
    "InvalidError",
    "Invite",
    "JournalEntry",
    "ListObservation",
    "Live",
    "LiveState",
    "Membership",
    "MisuseError",
    "NotFoundError",
    "Record",
    "RefusedError",
    "Replica",
    "RoostError",
    "Section",
    "Status",
    "StatusObservation",
    "StatusUpdate",
    "SyncReport",
    "TimedOutError",
    "Transaction",
    "UnavailableError",
    "Update",
    "create",
    "join",
    "open",
    "version",
]


def version() -> str:
    """Return the version of the library."""
    return _loaded_library().version
