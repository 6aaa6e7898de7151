"""Puts in their canonical form (§5.3), read and written.

    put = Put({3: parent}, {1: Value("text", b"Taxi"), 2: Value("integer", 1250)})
    Put.decode(put.encode()) == put
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, NamedTuple, Optional, Tuple

from . import protobuf
from .errors import FormatError
from .protobuf import BYTES, FIXED64, VARINT, encode_varint, tagged

PROPERTY_MAX = (1 << 32) - 1


class Value(NamedTuple):
    """The value of an attribute: `kind` is text, integer, real, boolean, bytes, or null for an explicit nil.

    The value of a text is its bytes, for stored text need not be UTF-8.
    """

    kind: str
    value: Any = None


NULL = Value("null")
_KINDS = {2: ("text", BYTES), 3: ("integer", VARINT), 4: ("real", FIXED64), 5: ("boolean", VARINT), 6: ("bytes", BYTES)}
_NUMBERS = {kind: (number, wire_type) for number, (kind, wire_type) in _KINDS.items()}


def _encode_value(value: Value) -> bytes:
    if value.kind == "null":
        return b""
    number, wire_type = _NUMBERS[value.kind]
    if value.kind == "integer":
        payload = encode_varint(protobuf.zigzag(value.value))
    elif value.kind == "boolean":
        payload = b"\x01" if value.value else b"\x00"
    elif value.kind == "real":
        payload = protobuf.encode_double(value.value)
    else:
        payload = value.value
    return tagged(number, wire_type, payload)


def _decode_value(data: bytes) -> Tuple[int, Value]:
    """The property and the value of a `Field`."""
    number, value = 0, NULL
    for key, wire_type, raw in protobuf.fields(data):
        if key == 1 and isinstance(raw, int):
            number = raw
        elif key in _KINDS:
            kind, expected = _KINDS[key]
            if wire_type != expected:
                raise FormatError(f"the {kind} of property {number} has wire type {wire_type}")
            if isinstance(raw, int):
                value = Value(kind, raw != 0 if kind == "boolean" else protobuf.unzigzag(raw))
            else:
                value = Value(kind, protobuf.decode_double(raw) if kind == "real" else raw)
    return number, value


@dataclass
class Put:
    """The references and the attributes of a record, by their numbers."""

    references: Dict[int, bytes] = field(default_factory=dict)
    content: Dict[int, Value] = field(default_factory=dict)

    def encode(self) -> bytes:
        """The canonical bytes."""
        result = b""
        for number in sorted(self.references):
            reference = tagged(1, VARINT, encode_varint(number)) + tagged(2, BYTES, self.references[number])
            result += tagged(1, BYTES, reference)
        content = b"".join(
            tagged(1, BYTES, tagged(1, VARINT, encode_varint(number)) + _encode_value(self.content[number]))
            for number in sorted(self.content))
        return result + (tagged(2, BYTES, content) if content else b"")

    @classmethod
    def decode(cls, data: bytes) -> Put:
        """Reads a put leniently: unknown fields are passed over, and the order does not matter."""
        put = cls()
        for key, wire_type, raw in protobuf.fields(data):
            if key not in (1, 2) or wire_type != BYTES or not isinstance(raw, bytes):
                continue
            if key == 1:
                number, target = 0, b""
                for part, _, item in protobuf.fields(raw):
                    if part == 1 and isinstance(item, int):
                        number = item
                    elif part == 2 and isinstance(item, bytes):
                        target = item
                put.references[number] = target
            else:
                for part, _, item in protobuf.fields(raw):
                    if part == 1 and isinstance(item, bytes):
                        number, value = _decode_value(item)
                        put.content[number] = value
        return put


def canonical_fault(data: bytes) -> Optional[str]:
    """The rule of §5.3, 1 to 4, that a put breaks, or None. Unknown fields may follow the known ones, ascending."""
    try:
        put = Put.decode(data)
        numbers = list(put.references) + list(put.content)
        if any(not 1 <= number <= PROPERTY_MAX for number in numbers):
            return "rule 4: the number of a property is not 1 to 2^32 - 1"
        if any(len(target) != 16 for target in put.references.values()):
            return "rule 1: a target has not 16 bytes"
        if _known_part(data) != put.encode():
            return "rules 1 to 4: the bytes are not those of the canonical form"
    except FormatError as error:
        return f"no put: {error}"
    return None


def _known_part(data: bytes) -> bytes:
    """The put without fields that this version does not have."""
    parts, last = b"", 0
    for key, wire_type, raw in protobuf.fields(data):
        if key < last:
            return data + b"\x00"
        last = key
        if key == 2 and isinstance(raw, bytes):
            parts += tagged(2, BYTES, _known(raw, {1: None}))
        elif key == 1 and isinstance(raw, bytes):
            parts += tagged(1, BYTES, _known(raw, {1: None, 2: None}))
    consumed = sum(len(tagged(k, w, r if isinstance(r, bytes) else encode_varint(r))) for k, w,
                   r in protobuf.fields(data))
    return parts if consumed == len(data) else data + b"\x00"


def _known(data: bytes, known: Dict[int, None]) -> bytes:
    parts, last = b"", 0
    for key, wire_type, raw in protobuf.fields(data):
        if key < last:
            return data
        last = key
        if key in known:
            parts += tagged(key, wire_type, raw if isinstance(raw, bytes) else encode_varint(raw))
    return parts
