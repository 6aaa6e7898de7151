"""Expectations of a check. Each raises Violation with what was expected and what came."""
from __future__ import annotations

import re
from typing import Any, Callable, Dict, Optional, TypeVar

from .errors import FormatError
from .requirements import Violation
from .wire import Reply

T = TypeVar("T")
TOKEN = re.compile(r"roost_[a-z]_[0-9A-Za-z]{10}")


def expect(condition: object, message: str, reply: Optional[Reply] = None) -> None:
    if not condition:
        raise Violation(message, reply)


def expect_equal(actual: object, expected: object, what: str, reply: Optional[Reply] = None) -> None:
    if actual != expected:
        raise Violation(f"{what} is {_text(actual)}, expected {_text(expected)}", reply)


def expect_status(reply: Reply, status: int = 200) -> Reply:
    """Expects a status; the status of an error names its code as well."""
    code = f" {reply.code}" if reply.code else ""
    expect(reply.status == status, f"the status is {reply.status}{code}, expected {status}", reply)
    return reply


def expect_error(reply: Reply, status: int, code: str) -> Dict[str, Any]:
    """Expects an error in the form of §9, and returns its members."""
    found = f"{reply.status} {reply.code}".strip()
    expect(reply.status == status and reply.code == code, f"the answer is {found}, expected {status} {code}", reply)
    return expect_error_form(reply)


def expect_error_form(reply: Reply) -> Dict[str, Any]:
    """Expects the body of an error: code, message, serverTime, and no token in it."""
    error = reply.error
    expect(error, f"the body of a {reply.status} is not that of an error", reply)
    expect(isinstance(error.get("message"), str) and error["message"], "the error has no message", reply)
    expect(isinstance(error.get("serverTime"), int), "the error has no serverTime", reply)
    expect(not TOKEN.search(reply.body.decode("utf-8", "replace")), "the error has a token in it", reply)
    return error


def expect_members(reply: Reply, *names: str) -> Dict[str, Any]:
    """Expects a JSON object that has members, and returns it."""
    members = readable(lambda: reply.json(), reply)
    expect(isinstance(members, dict), "the body is no JSON object", reply)
    for name in names:
        expect(name in members, f"the body has no {name}", reply)
    result: Dict[str, Any] = members
    return result


def readable(read: Callable[[], T], reply: Optional[Reply] = None) -> T:
    """The result of reading a reply. What is not of the protocol is a violation."""
    try:
        return read()
    except (FormatError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise Violation(f"the reply cannot be read: {error}", reply) from error


def _text(value: object) -> str:
    text = value.hex() if isinstance(value, bytes) else repr(value)
    return text if len(text) <= 300 else text[:300] + "…"
