"""Faults that a scenario puts around the server: what happens to a request, or to its reply, on the way."""
from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Optional

from .service import Message, Reply, Request

PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Hotel network</h1></body></html>\n"
Matcher = Callable[[Request], bool]


@dataclass
class Fault:
    """One kind of fault.

    | kind | what the client sees |
    |---|---|
    | lose_request | the connection ends; the server has seen nothing |
    | lose_reply | the connection ends; the server has done what was asked |
    | truncate | the head and half of the body, then the end |
    | stall | half of the reply, then nothing until the scenario goes on |
    | hold | nothing until the scenario goes on; then the reply |
    | garbage | bytes that are no message, with the content type of one |
    | page | a page of HTML with `status` |
    | error | the error `code` with `status`; the server has seen nothing |
    | repeat | the reply to the request's second arrival: the network has sent it twice |
    | old_reply | the reply that the path gave before |
    | change | the reply as `change` alters its message, or `alter` its bytes |
    """

    kind: str
    status: int = 0
    code: str = ""
    members: Dict[str, Any] = field(default_factory=dict)
    change: Optional[Callable[[Message], Optional[Message]]] = None
    alter: Optional[Callable[[Reply], Reply]] = None
    body: bytes = PAGE
    is_done_first: bool = False
    """Whether the server does what is asked before the fault, for `page` and `error`."""
    went_on: threading.Event = field(default_factory=threading.Event)


@dataclass
class Rule:
    """A fault for the next requests that match."""

    matches: Matcher
    fault: Fault
    times: int = 1
    used: int = 0
    reached: threading.Event = field(default_factory=threading.Event)
    """Set when a request has met the fault."""

    def take(self, request: Request) -> Optional[Fault]:
        if self.used >= self.times or not self.matches(request):
            return None
        self.used += 1
        return self.fault


def pushes(request: Request) -> bool:
    return request.is_push


def pulls(request: Request) -> bool:
    return request.is_pull


def path(text: str, method: str = "") -> Matcher:
    """Requests to a path."""
    return lambda request: request.path == text and method in ("", request.method)


def anything(request: Request) -> bool:
    """Every request of a replica; not the first one, by which it joins."""
    return request.path != "/v1/join"
