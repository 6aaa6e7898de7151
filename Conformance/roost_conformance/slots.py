"""Slots of records and their merging (§11.1)."""
from __future__ import annotations

from typing import Dict, Iterable, Tuple

from .hashing import content_hash
from .messages import Change, Record

Key = Tuple[int, bytes]


def as_record(change: Change) -> Record:
    """A change as the slots that it fills."""
    if change.put is None:
        return Record(change.entity, change.record, delete_stamp=change.stamp)
    return Record(change.entity, change.record, change.stamp, change.put, change.base)


def merge(slots: Dict[Key, Record], record: Record) -> None:
    """Merges the slots of a record: the greater stamp wins, and for one stamp the greater content hash."""
    held = slots.setdefault((record.entity, record.id), Record(record.entity, record.id))
    if record.put_stamp:
        rank = (record.put_stamp, content_hash(record.put or b""))
        if not held.put_stamp or rank > (held.put_stamp, content_hash(held.put or b"")):
            held.put_stamp, held.put, held.base = record.put_stamp, record.put, record.base
    held.delete_stamp = max(held.delete_stamp, record.delete_stamp)


def merged(records: Iterable[Record]) -> Dict[Key, Record]:
    """The slots after merging all records."""
    slots: Dict[Key, Record] = {}
    for record in records:
        merge(slots, record)
    return slots
