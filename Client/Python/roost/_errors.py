"""Errors: one class for each kind, with a stable code and the next step."""

from __future__ import annotations

from typing import Any, Mapping, Sequence


class RoostError(Exception):
    """A call that failed. It has changed nothing, unless its documentation says so.

    Branch on the class or on ``code``, never on the message. No error contains a token, or a value of a record.
    """

    kind = "internal"

    def __init__(
        self,
        code: str,
        message: str,
        next_step: str = "",
        *,
        server_code: str | None = None,
        text: str | None = None,
        column: int | None = None,
        problems: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        """A stable name of the failure."""
        self.message = message
        """The failed operation, its object, and the reason."""
        self.next_step = next_step
        """The next step for the user."""
        self.server_code = server_code
        """The code of a server that has refused (protocol.md, section 9)."""
        self.text = text
        """A predicate with a mistake."""
        self.column = column
        """The column of the mistake in ``text``, from 1."""
        self.problems = list(problems)
        """The causes, where there are several."""

    def __str__(self) -> str:
        lines = [self.message, *self.problems]
        if self.text is not None and self.column is not None:
            lines += ["    " + self.text, "    " + " " * (self.column - 1) + "^"]
        return "\n".join(lines)


class MisuseError(RoostError):
    """A call that this package or the program makes wrongly."""

    kind = "misuse"


class ClosedError(RoostError):
    """A replica or an observation that is closed."""

    kind = "closed"


class BusyError(RoostError):
    """Another call, program or session uses the replica."""

    kind = "busy"


class NotFoundError(RoostError, LookupError):
    """A file, entity, property, record, journal entry or device that does not exist."""

    kind = "notFound"


class InvalidError(RoostError, ValueError):
    """A value, predicate, schema, link or address that is not usable."""

    kind = "invalid"


class RefusedError(RoostError):
    """A delete rule, a role, the server or another program's trigger does not allow it."""

    kind = "refused"


class UnavailableError(RoostError, ConnectionError):
    """The server cannot be reached, is not trusted, or is no Roost server."""

    kind = "unavailable"


class FileError(RoostError, OSError):
    """A file that exists already, is damaged, is of another version, or cannot be read or written."""

    kind = "file"


class TimedOutError(RoostError, TimeoutError):
    """The time is over."""

    kind = "timeout"


class CancelledError(RoostError):
    """A call that was ended from another thread, by ``close()`` or ``cancel()``."""

    kind = "cancelled"


class ForkedError(RoostError):
    """A forked child that uses its parent's replica, or Roost at all."""

    kind = "forked"


class InternalError(RoostError):
    """A defect of Roost, or memory that is used up."""

    kind = "internal"


_CLASSES: dict[str, type[RoostError]] = {
    each.kind: each
    for each in (
        MisuseError,
        ClosedError,
        BusyError,
        NotFoundError,
        InvalidError,
        RefusedError,
        UnavailableError,
        FileError,
        TimedOutError,
        CancelledError,
        ForkedError,
        InternalError,
    )
}


def error_of(value: Mapping[str, Any]) -> RoostError:
    """Make the error of an error object."""
    return _CLASSES.get(str(value.get("kind")), InternalError)(
        str(value.get("code", "internal")),
        str(value.get("message", "The library gave no reason.")),
        str(value.get("next", "")),
        server_code=value.get("serverCode"),
        text=value.get("text"),
        column=value.get("column"),
        problems=value.get("problems", ()),
    )
