"""The part of Protocol Buffers (proto3) that protocol.md uses: varints, length-delimited fields and doubles.

A message is a dataclass whose `FIELDS` name the number, attribute and kind of each field in ascending order:

    @dataclass
    class RecordName(Message):
        FIELDS = (Field(1, "entity", "uint"), Field(2, "id", "bytes"))
        entity: int = 0
        id: bytes = b""

    RecordName.decode(RecordName(1, bytes(16)).encode())
"""
from __future__ import annotations

import struct
from typing import Any, ClassVar, Iterator, NamedTuple, Tuple, Type, TypeVar, Union

from .errors import FormatError

M = TypeVar("M", bound="Message")
WireValue = Union[int, bytes]
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def encode_varint(value: int) -> bytes:
    """The shortest varint of a number from 0 to 2^64 − 1."""
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def decode_varint(data: bytes, offset: int) -> Tuple[int, int]:
    """The number at `offset`, and the offset after it."""
    value = 0
    for index in range(10):
        if offset >= len(data):
            raise FormatError("a varint is cut off")
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            if value >= 1 << 64:
                raise FormatError("a varint has more than 64 bits")
            return value, offset
    raise FormatError("a varint has more than 10 bytes")


def zigzag(value: int) -> int:
    """The varint of a `sint64`."""
    return value << 1 if value >= 0 else (-value << 1) - 1


def unzigzag(value: int) -> int:
    return (value >> 1) ^ -(value & 1)


def tagged(number: int, wire_type: int, payload: bytes) -> bytes:
    """A field: its tag and its payload, with a length where the wire type has one."""
    length = encode_varint(len(payload)) if wire_type == BYTES else b""
    return encode_varint(number << 3 | wire_type) + length + payload


def fields(data: bytes) -> Iterator[Tuple[int, int, WireValue]]:
    """All fields as number, wire type and value, in the order in which they are stored."""
    offset = 0
    while offset < len(data):
        tag, offset = decode_varint(data, offset)
        number, wire_type = tag >> 3, tag & 7
        if number == 0 or number >= 1 << 29:
            raise FormatError(f"{number} is not a field number")
        if wire_type == VARINT:
            value, offset = decode_varint(data, offset)
            yield number, wire_type, value
            continue
        if wire_type == BYTES:
            length, offset = decode_varint(data, offset)
        elif wire_type in (FIXED64, FIXED32):
            length = 8 if wire_type == FIXED64 else 4
        else:
            raise FormatError(f"{wire_type} is not a wire type")
        if offset + length > len(data):
            raise FormatError(f"field {number} is cut off")
        yield number, wire_type, data[offset:offset + length]
        offset += length


class Field(NamedTuple):
    """A field of a message. `kind` is uint, bool, bytes, text, optional bytes, optional index, or a message type."""

    number: int
    name: str
    kind: Any
    repeated: bool = False


class Message:
    """Base of the messages: encodes and decodes by `FIELDS`."""

    FIELDS: ClassVar[Tuple[Field, ...]] = ()

    def encode(self) -> bytes:
        """The message with its fields in ascending order; empty and false ones are left out."""
        parts = []
        for field in self.FIELDS:
            value = getattr(self, field.name)
            for item in value if field.repeated else [value]:
                parts.append(_encode_field(field, item))
        return b"".join(parts)

    @classmethod
    def decode(cls: Type[M], data: bytes) -> M:
        """Reads a message, and passes over fields that this version does not know (§3)."""
        message = cls()
        known = {field.number: field for field in cls.FIELDS}
        for number, wire_type, value in fields(data):
            field = known.get(number)
            if field is None:
                continue
            item = _decode_field(cls.__name__, field, wire_type, value)
            if field.repeated:
                getattr(message, field.name).append(item)
            else:
                setattr(message, field.name, item)
        return message


def _encode_field(field: Field, value: Any) -> bytes:
    kind = field.kind
    if isinstance(kind, type):
        repeated_or_set = field.repeated or value is not None
        return tagged(field.number, BYTES, value.encode()) if repeated_or_set else b""
    if kind == "optional bytes":
        return tagged(field.number, BYTES, value) if value is not None else b""
    if kind == "optional index":  # one more than the index, 0 for none
        return tagged(field.number, VARINT, encode_varint(value + 1)) if value is not None else b""
    if not value:
        return b""
    if kind == "uint":
        return tagged(field.number, VARINT, encode_varint(value))
    if kind == "bool":
        return tagged(field.number, VARINT, b"\x01")
    return tagged(field.number, BYTES, value.encode() if kind == "text" else value)


def _decode_field(message: str, field: Field, wire_type: int, value: WireValue) -> Any:
    kind = field.kind
    is_number = kind in ("uint", "bool", "optional index")
    if wire_type != (VARINT if is_number else BYTES):
        raise FormatError(f"{message}.{field.name} has wire type {wire_type}")
    if isinstance(value, int):
        if kind == "bool":
            return value != 0
        if kind == "optional index":
            return value - 1 if value else None
        return value
    if isinstance(kind, type) and issubclass(kind, Message):
        return kind.decode(value)
    if kind == "text":
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise FormatError(f"{message}.{field.name} is not UTF-8") from error
    return value


def encode_double(value: float) -> bytes:
    return struct.pack("<d", value)


def decode_double(data: bytes) -> float:
    result: float = struct.unpack("<d", data)[0]
    return result
