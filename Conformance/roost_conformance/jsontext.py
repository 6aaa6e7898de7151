"""JSON, read strictly (§3) and written in the form of JSON text (§5.6). Numbers keep the text in which they came.

    value = parse(b'{"a" : [1.50, "\\u00e9\\/"]}')
    write(value) == '{"a":[1.50,"é/"]}'
"""
from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Tuple, Union

from .errors import FormatError

Members = Dict[str, Any]
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED = re.compile('[\x00-\x1f\x7f"\\\\]')


class WholeNumber(int):
    """A JSON number without fraction and exponent, with its text."""

    text: str


class RealNumber(float):
    """A JSON number with a fraction or an exponent, with its text."""

    text: str


def _whole(text: str) -> WholeNumber:
    number = WholeNumber(text)
    number.text = text
    return number


def _real(text: str) -> RealNumber:
    number = RealNumber(text)
    number.text = text
    return number


def _object(pairs: List[Tuple[str, Any]]) -> Members:
    result: Members = {}
    for name, value in pairs:
        if name in result:
            raise FormatError(f"the name {name!r} is in one object twice")
        result[name] = value
    return result


def _constant(text: str) -> None:
    raise FormatError(f"{text} is no JSON")


def depth(value: Any) -> int:
    """The levels of arrays and objects in a value."""
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


def parse(data: Union[bytes, str]) -> Any:
    """The value of one JSON text.

    Raises FormatError for text that is not UTF-8 or no JSON, a name that is in one object twice, a lone surrogate, and
    text after the value.
    """
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        value = json.loads(text, parse_int=_whole, parse_float=_real, parse_constant=_constant,
                           object_pairs_hook=_object)
        write(value).encode("utf-8")  # refuses lone surrogates
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"no JSON: {error}") from error
    return value


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _ESCAPES.get(character) or f"\\u{ord(character):04x}"


def write(value: Any) -> str:
    """The text of a value: no space, members in their order, and numbers as they came."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (WholeNumber, RealNumber)):
        return value.text
    if isinstance(value, (int, float)):
        return json.dumps(value, allow_nan=False)
    if isinstance(value, str):
        return '"' + _ESCAPED.sub(_escape, value) + '"'
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return "{" + ",".join(f"{write(name)}:{write(member)}" for name, member in value.items()) + "}"
