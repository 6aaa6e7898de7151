"""The messages of protocol.md §5.5, in the shape that they have in Protocol Buffers.

A put is kept as its bytes; `puts.py` reads and writes what is in them, and `jsonform.py` has the JSON form (§5.6).
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, Optional

from .protobuf import Field, Message


@dataclass
class Change(Message):
    """A put or a delete of one record."""

    FIELDS = (Field(1, "entity", "uint"), Field(2, "record", "bytes"), Field(3, "stamp", "bytes"),
              Field(4, "put", "optional bytes"), Field(5, "base", "bytes"), Field(6, "delete", "bool"))
    entity: int = 0
    record: bytes = b""
    stamp: bytes = b""
    put: Optional[bytes] = None
    base: bytes = b""
    delete: bool = False


@dataclass
class Transaction(Message):
    FIELDS = (Field(1, "changes", Change, True), Field(2, "continues", "bool"))
    changes: List[Change] = field(default_factory=list)
    continues: bool = False


@dataclass
class PushRequest(Message):
    FIELDS = (Field(1, "number", "uint"), Field(2, "checkpoint", "bytes"), Field(3, "transactions", Transaction, True))
    number: int = 0
    checkpoint: bytes = b""
    transactions: List[Transaction] = field(default_factory=list)


BEATEN, REPLACED = 1, 2
OUTCOME_NAMES: Dict[int, str] = {BEATEN: "beaten", REPLACED: "replaced"}


@dataclass
class Outcome(Message):
    FIELDS = (Field(1, "index", "uint"), Field(2, "kind", "uint"), Field(3, "other", "bytes"))
    index: int = 0
    kind: int = 0
    other: bytes = b""


@dataclass
class Refusal(Message):
    """Why a transaction was not stored. `index` counts from 0, and is None where no single change is at fault."""

    FIELDS = (Field(1, "code", "text"), Field(2, "message", "text"), Field(3, "index", "optional index"))
    code: str = ""
    message: str = ""
    index: Optional[int] = None


@dataclass
class Result(Message):
    FIELDS = (Field(1, "sequence", "uint"), Field(2, "outcomes", Outcome, True), Field(3, "staged", "bool"),
              Field(4, "refused", Refusal))
    sequence: int = 0
    outcomes: List[Outcome] = field(default_factory=list)
    staged: bool = False
    refused: Optional[Refusal] = None


@dataclass
class Record(Message):
    """The slots of a record (§2). An empty slot has an empty stamp, and an empty put slot has None as its put."""

    FIELDS = (Field(1, "entity", "uint"), Field(2, "id", "bytes"), Field(3, "put_stamp", "bytes"),
              Field(4, "put", "optional bytes"), Field(5, "base", "bytes"), Field(6, "delete_stamp", "bytes"))
    entity: int = 0
    id: bytes = b""
    put_stamp: bytes = b""
    put: Optional[bytes] = None
    base: bytes = b""
    delete_stamp: bytes = b""

    @classmethod
    def decode(cls, data: bytes) -> Record:
        """A put of zero bytes may be left out next to its stamp: proto3 does not send empty bytes."""
        record = super().decode(data)
        if record.put_stamp and record.put is None:
            record.put = b""
        return record


@dataclass
class RecordName(Message):
    FIELDS = (Field(1, "entity", "uint"), Field(2, "id", "bytes"))
    entity: int = 0
    id: bytes = b""


@dataclass
class PullReply(Message):
    """A page."""

    FIELDS = (Field(1, "records", Record, True), Field(2, "checkpoint", "bytes"), Field(3, "has_more", "bool"),
              Field(4, "digest", "bytes"), Field(5, "schema_version", "uint"), Field(6, "server_time", "uint"),
              Field(7, "purged", RecordName, True))
    records: List[Record] = field(default_factory=list)
    checkpoint: bytes = b""
    has_more: bool = False
    digest: bytes = b""
    schema_version: int = 0
    server_time: int = 0
    purged: List[RecordName] = field(default_factory=list)


@dataclass
class PushReply(Message):
    FIELDS = (Field(1, "number", "uint"), Field(2, "results", Result, True), Field(3, "current", Record, True),
              Field(4, "server_time", "uint"), Field(5, "page", PullReply))
    number: int = 0
    results: List[Result] = field(default_factory=list)
    current: List[Record] = field(default_factory=list)
    server_time: int = 0
    page: Optional[PullReply] = None


@dataclass
class RecoverRequest(Message):
    FIELDS = (Field(1, "records", Record, True),)
    records: List[Record] = field(default_factory=list)


@dataclass
class RecoverReply(Message):
    FIELDS = (Field(1, "stored", "uint"), Field(2, "server_time", "uint"), Field(3, "purged", RecordName, True))
    stored: int = 0
    server_time: int = 0
    purged: List[RecordName] = field(default_factory=list)
