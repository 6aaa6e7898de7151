"""The members of a put in JSON (§5.6), in the names and types of a schema."""
from __future__ import annotations

import base64
import binascii
import datetime
import math
import re
import uuid
from typing import Any, Optional

from . import jsontext
from .errors import FormatError
from .hashing import content_hash
from .jsontext import Members
from .originals import edited
from .puts import NULL, Put, Value
from .schema import Attribute, Entity, Reference, Schema

_KINDS = {"string": "text", "date": "text", "json": "text", "integer": "integer", "timestamp": "integer",
          "double": "real", "boolean": "boolean", "uuid": "bytes", "data": "bytes"}
_DIGITS = re.compile(r"-?(0|[1-9][0-9]*)\Z", re.ASCII)
_REALS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def decode_base64(text: Any) -> bytes:
    """Strict Base64: padded, without line breaks, and with zeros as padding bits."""
    try:
        data = base64.b64decode(text, validate=True) if isinstance(text, str) else None
    except (ValueError, binascii.Error):
        data = None
    if data is None or base64.b64encode(data).decode() != text:
        raise FormatError(f"{text!r} is no Base64")
    return data


def whole_number(value: Any) -> int:
    """A whole number of 64 bits, or the string of its digits."""
    if isinstance(value, str) and _DIGITS.match(value) and value != "-0":
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not -(1 << 63) <= value < 1 << 63:
        raise FormatError(f"{value!r} is no whole number of 64 bits")
    return int(value)


def real_number(value: Any) -> float:
    if isinstance(value, str) and value in _REALS:
        return _REALS[value]
    if isinstance(value, (jsontext.WholeNumber, jsontext.RealNumber)):
        return float(value.text)  # "-0" keeps its sign
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise FormatError(f"{value!r} is no number")
    return float(value)


def real_member(value: float) -> Any:
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def spelled_out(value: Value) -> Members:
    """The form under `#` and a number."""
    if value.kind == "null":
        return {"null": True}
    if value.kind == "text":
        return {"text": value.value.decode(errors="replace")}
    if value.kind == "bytes":
        return {"bytes": base64.b64encode(value.value).decode()}
    return {value.kind: real_member(value.value) if value.kind == "real" else value.value}


def read_spelled_out(form: Any) -> Value:
    """The value of a form under `#` and a number. A reference gives a value of the kind `record`."""
    if not isinstance(form, dict) or len(form) != 1:
        raise FormatError(f"{form!r} is no spelled-out value")
    kind, value = next(iter(form.items()))
    if kind == "null" and value is True:
        return NULL
    if kind == "text" and isinstance(value, str):
        return Value("text", value.encode())
    if kind == "boolean" and isinstance(value, bool):
        return Value("boolean", value)
    if kind == "integer":
        return Value("integer", whole_number(value))
    if kind == "real":
        return Value("real", real_number(value))
    if kind == "bytes":
        return Value("bytes", decode_base64(value))
    if kind == "record":
        return Value("record", _uuid(value))
    raise FormatError(f"{form!r} is no spelled-out value")


def _uuid(value: Any) -> bytes:
    if not isinstance(value, str) or not re.match(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z", value):
        raise FormatError(f"{value!r} is no UUID")
    return uuid.UUID(value).bytes


def _timestamp(value: Any) -> int:
    if isinstance(value, str) and not _DIGITS.match(value):
        try:
            moment = datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
        except ValueError as error:
            raise FormatError(f"{value!r} is no time") from error
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        return (moment - epoch) // datetime.timedelta(milliseconds=1)
    return whole_number(value)


def _date(value: Any) -> bytes:
    try:
        datetime.date.fromisoformat(value if re.match(r"\d{4}-\d\d-\d\d\Z", value, re.ASCII) else "")
    except (TypeError, ValueError) as error:
        raise FormatError(f"{value!r} is no day") from error
    return bytes(value, "ascii")


def read_value(attribute: Attribute, member: Any) -> Value:
    """The value of an attribute from its member. Raises FormatError for one that does not fit the type."""
    kind = _KINDS[attribute.type]
    if attribute.type == "json":
        if jsontext.depth(member) > 64:
            raise FormatError("JSON with more than 64 levels")
        return Value(kind, jsontext.write(member).encode())
    if attribute.type == "boolean" and isinstance(member, bool):
        return Value(kind, member)
    if attribute.type == "string" and isinstance(member, str):
        return Value(kind, member.encode())
    if attribute.type == "date":
        return Value(kind, _date(member))
    if attribute.type == "uuid":
        return Value(kind, _uuid(member))
    if attribute.type == "data":
        return Value(kind, decode_base64(member))
    if attribute.type in ("integer", "timestamp"):
        number = _timestamp(member) if attribute.type == "timestamp" else whole_number(member)
        return _narrowed(attribute, Value(kind, number))
    if attribute.type == "double":
        return _narrowed(attribute, Value(kind, real_number(member)))
    raise FormatError(f"{member!r} is no {attribute.type}")


def _narrowed(attribute: Attribute, value: Value) -> Value:
    """The form of the type that an attribute had earlier, for a value that it holds (§8.6, `widens`)."""
    if attribute.widens == "boolean" and value.value in (0, 1):
        return Value("boolean", value.value == 1)
    if attribute.widens == "integer" and math.isfinite(value.value):
        is_whole = value.value == int(value.value) and abs(value.value) <= 1 << 53
        if is_whole and (value.value != 0 or math.copysign(1, value.value) > 0):
            return Value("integer", int(value.value))
    return value


def member(attribute: Attribute, value: Value) -> Any:
    """The member of a value under its name. Raises FormatError for one that does not fit the type of its attribute."""
    kind, raw = value
    if attribute.widens == "boolean" and kind == "boolean":
        return int(raw)
    if attribute.widens == "integer" and kind == "integer":
        return float(raw)
    if kind != _KINDS[attribute.type]:
        raise FormatError(f"{kind} is no {attribute.type}")
    if kind == "text":
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            raise FormatError("text that is not UTF-8") from error
        if attribute.type == "json":
            return jsontext.parse(text)
        return _date(text).decode() if attribute.type == "date" else text
    if kind == "bytes":
        if attribute.type == "data":
            return base64.b64encode(raw).decode()
        if len(raw) != 16:
            raise FormatError("a uuid has 16 bytes")
        return str(uuid.UUID(bytes=raw))
    return real_member(raw) if kind == "real" else raw


class PutForm:
    """Writes puts as members and reads members as puts, in the names of one schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    @staticmethod
    def hash(put: bytes) -> str:
        return content_hash(put).hex()

    def members(self, entity: int, data: bytes) -> Members:
        """The members of a put, with the member `#` where they do not give its bytes again."""
        description, put = self.schema.with_id(entity), Put.decode(data)
        result: Members = {}
        for number, value in sorted(put.content.items()):
            property = description.property(number)
            try:
                if not isinstance(property, Attribute):
                    raise FormatError("no attribute")
                if value == NULL:
                    if not property.has_default:
                        raise FormatError("an explicit nil without a default")
                    result[property.name] = None
                else:
                    result[property.name] = member(property, value)
            except FormatError:
                result[f"#{number}"] = spelled_out(value)
        for number, target in sorted(put.references.items()):
            property = description.property(number)
            text = str(uuid.UUID(bytes=target)) if len(target) == 16 else ""
            if isinstance(property, Reference):
                result[property.name] = text
            else:
                result[f"#{number}"] = {"record": text}
        try:
            is_whole = self.put(entity, result) == data
        except FormatError:
            is_whole = False
        if not is_whole:
            result["#"] = base64.b64encode(data).decode()
        return result

    def put(self, entity: int, members: Any) -> bytes:
        """The bytes of a put from its members. Raises FormatError for a name or value that the schema does not have."""
        if not isinstance(members, dict):
            raise FormatError("a put is no object")
        description, whole = self.schema.with_id(entity), members.get("#")
        said = Put()
        for name, value in members.items():
            if name != "#":
                self._read_member(description, name, value, said)
        if whole is None:
            return said.encode()
        data = decode_base64(whole)
        try:
            held = Put.decode(data)
        except FormatError:
            return data  # a put that no reader can read has no other member
        numbers = {number for number in {*held.references, *said.references}
                   if held.references.get(number) != said.references.get(number)}
        numbers |= {number for number in {*held.content, *said.content}
                    if not self._reads_alike(description, number, held.content.get(number), said.content.get(number))}
        return edited(data, said, numbers) if numbers else data

    @staticmethod
    def _reads_alike(entity: Entity, number: int, held: Optional[Value], said: Optional[Value]) -> bool:
        """Whether a stored value and that of a member are one for a reader, so that the stored bytes stay."""
        if held is None or said is None or held.kind != said.kind:
            return held == said or _is_plain_nil(entity, number, held) and said is None
        first = _readable(held)
        if held.kind == "real" and math.isnan(held.value) and math.isnan(said.value):
            return True
        property = entity.property(number)
        if isinstance(property, Attribute) and property.type == "json" and held.kind == "text":
            try:
                return bool(jsontext.write(jsontext.parse(first.value)).encode() == said.value)
            except FormatError:
                pass
        return bool(first == said)

    @staticmethod
    def _read_member(description: Entity, name: str, value: Any, put: Put) -> None:
        if name.startswith("#"):
            number = whole_number(name[1:])
            spelled = read_spelled_out(value)
            if spelled.kind == "record":
                put.references[number] = spelled.value
            else:
                put.content[number] = spelled
            return
        attribute: Optional[Attribute] = description.attributes.get(name)
        reference = description.references.get(name)
        if attribute is not None and value is None:
            if attribute.has_default:
                put.content[attribute.id] = NULL
        elif attribute is not None:
            put.content[attribute.id] = read_value(attribute, value)
        elif reference is not None:
            if value is not None:
                put.references[reference.id] = _uuid(value)
        else:
            raise FormatError(f"the entity {description.name!r} has no property {name!r}")


def _is_plain_nil(entity: Entity, number: int, value: Optional[Value]) -> bool:
    """Whether a stored explicit nil belongs to an attribute without a default, whose member may be left out."""
    property = entity.property(number)
    return value == NULL and isinstance(property, Attribute) and not property.has_default


def _readable(value: Value) -> Value:
    """Text with U+FFFD in place of what is not UTF-8."""
    return Value("text", value.value.decode(errors="replace").encode()) if value.kind == "text" else value
