"""Values: the native types of Python, and their JSON by the types of the schema."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping as AbstractMapping
from datetime import date, datetime, timedelta, timezone
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence
from uuid import UUID

from ._errors import InvalidError, NotFoundError

Record = Dict[str, Any]
"""A record or a row: values by their names."""

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_SAFE_DEPTH = 64


def milliseconds(value: datetime) -> int:
    """Return an instant in milliseconds since 1970."""
    return (value - _EPOCH) // timedelta(milliseconds=1)


def instant(value: Optional[int]) -> Optional[datetime]:
    """Return an instant of the library; ``None`` for none."""
    return None if value is None else _EPOCH + timedelta(milliseconds=value)


# ---- From the library


def _timestamp(value: Any) -> Any:
    try:
        return instant(value)
    except OverflowError:
        # Python has no years after 9999.
        return value


def _date(value: Any) -> Any:
    try:
        return date.fromisoformat(value)
    except ValueError:
        return value


def _uuid(value: Any) -> Any:
    return UUID(value) if isinstance(value, str) else [UUID(each) for each in value]


_READERS: dict[str, Callable[[Any], Any]] = {
    "date": _date,
    "timestamp": _timestamp,
    "uuid": _uuid,
    "data": base64.b64decode,
    "double": float,
}


def records(rows: Iterable[Record], kinds: Mapping[str, str]) -> list[Record]:
    """Convert rows in place to native types."""
    readers = [(name, _READERS[kind]) for name, kind in kinds.items() if kind in _READERS]
    result = []
    for row in rows:
        for name, reader in readers:
            value = row.get(name)
            if value is not None:
                row[name] = reader(value)
        result.append(row)
    return result


# ---- To the library


class Schema:
    """The names and types of a schema, by which values are written."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.name = str(value["name"])
        self.version = int(value.get("version", 1))
        self.entities: dict[str, dict[str, str]] = {}
        self.destinations: dict[tuple[str, str], str] = {}
        for entity in value["entities"]:
            kinds = {each["name"]: str(each["type"]) for each in entity.get("attributes", [])}
            for each in entity.get("relationships", []):
                is_one = each["kind"] == "toOne" or each.get("single", False)
                kinds[each["name"]] = "record" if is_one else "records"
                self.destinations[entity["name"], each["name"]] = str(each["destination"])
            self.entities[entity["name"]] = kinds

    def kinds(self, entity: str) -> dict[str, str]:
        """Return the types of an entity's properties."""
        if entity not in self.entities:
            raise NotFoundError(
                "unknown",
                f'There is no entity "{entity}" in the schema "{self.name}". It has {_list(self.entities)}.',
                "Check the name.",
            )
        return self.entities[entity]

    def readable(self, entity: str) -> dict[str, str]:
        """Return the types by which a record of the journal is read."""
        return {name: "uuid" if kind == "record" else kind for name, kind in self.entities.get(entity, {}).items()}

    def encode(self, entity: str, values: Mapping[str, Any]) -> Record:
        """Return values as the JSON that an operation takes."""
        kinds = self.kinds(entity)
        encoded: Record = {}
        for name, value in values.items():
            if name not in kinds:
                raise NotFoundError(
                    "unknown", f'{entity} has no property "{name}". It has {_list(kinds)}.', "Check the name."
                )
            encoded[name] = None if value is None else _encode(value, kinds[name], f'"{name}" of {entity}')
        return encoded


def _list(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _wrong(place: str, value: Any, expected: str) -> InvalidError:
    return InvalidError(
        "invalidValue", f"Cannot set {place} to a value of type {type(value).__name__}.", f"Give it {expected}."
    )


def _encode(value: Any, kind: str, place: str) -> Any:
    if kind == "string" and isinstance(value, str):
        return value
    if kind == "integer" and isinstance(value, int) and not isinstance(value, bool):
        return integer(value, place)
    if kind == "double" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _double(value, place)
    if kind == "boolean" and isinstance(value, bool):
        return value
    if kind == "date" and isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if kind == "timestamp" and isinstance(value, datetime):
        return aware(value, place)
    if kind == "uuid" and isinstance(value, UUID):
        return str(value)
    if kind == "data" and isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode("ascii")
    if kind == "json":
        return _json(value, place, 0)
    if kind == "record":
        return str(record_id(value, place))
    if kind == "records":
        raise InvalidError("invalidValue", f"Cannot set {place}: it names several records.", "Use add() and remove().")
    raise _wrong(place, value, _EXPECTED.get(kind, f"a value of type {kind}"))


_EXPECTED = {
    "string": "a str",
    "integer": "an int",
    "double": "a float",
    "boolean": "a bool",
    "date": "a datetime.date",
    "timestamp": "a datetime.datetime with a time zone",
    "uuid": "a uuid.UUID",
    "data": "bytes",
}


def integer(value: int, place: str) -> int:
    """Check that an integer has at most 64 bits."""
    if not -(2**63) <= value < 2**63:
        raise InvalidError(
            "invalidValue",
            f"Cannot use an integer of more than 64 bits for {place}.",
            "Give it one from -2^63 to 2^63 - 1.",
        )
    return value


def _double(value: float, place: str) -> Any:
    try:
        number = float(value)
    except OverflowError:
        raise InvalidError("invalidValue", f"Cannot set {place}: no float holds it.", "Give it a float.") from None
    if math.isnan(number):
        raise InvalidError("invalidValue", f"Cannot set {place}: NaN is not a number.", "Give it a number, or None.")
    return number if math.isfinite(number) else ("inf" if number > 0 else "-inf")


def aware(value: datetime, place: str) -> int:
    """Return an instant in milliseconds, which needs a time zone."""
    if value.utcoffset() is None:
        raise InvalidError(
            "invalidValue",
            f"Cannot use a datetime without a time zone for {place}.",
            "Give it one, such as datetime.now(timezone.utc).",
        )
    return milliseconds(value)


def record_id(value: Any, place: str) -> UUID:
    """Return the identifier of a record: of a UUID, or of a record with ``id``."""
    if isinstance(value, AbstractMapping):
        value = value.get("id")
    if isinstance(value, UUID):
        return value
    raise _wrong(place, value, 'the uuid.UUID of a record, or a record with an "id"')


def _json(value: Any, place: str, depth: int) -> Any:
    """Check a value of a JSON attribute."""
    if depth > _SAFE_DEPTH:
        raise InvalidError("invalidValue", f"Cannot set {place}: it is nested more than 64 deep.", "Flatten it.")
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise InvalidError("invalidValue", f"Cannot set {place}: JSON has no {value}.", "Give it a number, or None.")
    if isinstance(value, (list, tuple)):
        return [_json(each, place, depth + 1) for each in value]
    if isinstance(value, AbstractMapping) and all(isinstance(name, str) for name in value):
        return {name: _json(each, place, depth + 1) for name, each in value.items()}
    raise _wrong(place, value, "JSON: dict, list, str, int, float, bool or None")


# ---- Arguments of predicates


def arguments(values: Sequence[Any]) -> list[Any]:
    """Return the arguments of a predicate as JSON."""
    if isinstance(values, (str, bytes)):
        raise InvalidError("argument", "Cannot use a text as the list of arguments.", "Write args=[…].")
    return [_argument(value) for value in values]


def _argument(value: Any) -> Any:
    place = "an argument of the predicate"
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return integer(value, place)
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise InvalidError("argument", f"Cannot use {value} as {place}.", "Give it a number.")
    if isinstance(value, datetime):
        return {"timestamp": aware(value, place)}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID):
        return {"uuid": str(value)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"data": base64.b64encode(value).decode("ascii")}
    if isinstance(value, AbstractMapping):
        return {"uuid": str(record_id(value, place))}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_argument(each) for each in value]
    raise InvalidError(
        "argument", f"Cannot use a value of type {type(value).__name__} as {place}.", "Give it a value of a record."
    )
