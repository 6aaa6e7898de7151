"""Exit statuses and the error of a command, after sysexits(3)."""
from __future__ import annotations

EXIT_FAILED = 1
EXIT_USAGE = 64
EXIT_NO_INPUT = 66
EXIT_UNAVAILABLE = 69
EXIT_NO_PERMISSION = 77


class CommandError(Exception):
    """A failure of the command itself: the message names what failed, where, why and the remedy."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class FormatError(ValueError):
    """Bytes or text that are not of the protocol."""
