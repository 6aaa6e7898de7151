"""The adapter of a client: a program that reads commands as JSON lines and answers each with one line.

`Docs/conformance-client.md` describes the commands for those who write an adapter.
"""
from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from typing import Any, Dict, List, Optional

ANSWER_SECONDS_MAX = 60.0
KILL_SECONDS_MAX = 5.0
VERSION = 1


class ClientError(Exception):
    """The client refused a command: it answered with an error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


class AdapterFailure(Exception):
    """The adapter did not answer as it must: it ended, was late, or wrote a line that is no answer."""


class Adapter:
    """A running adapter in a process group of its own."""

    def __init__(self, command: List[str], log: str) -> None:
        self.command, self.log = command, log
        self.process: Optional[subprocess.Popen[str]] = None
        self.lines: "queue.Queue[Optional[str]]" = queue.Queue()
        self.is_busy = False
        """Whether a command has no answer yet."""

    def start(self) -> None:
        with open(self.log, "a", encoding="utf-8") as log:
            try:
                self.process = subprocess.Popen(
                    self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, encoding="utf-8",
                    errors="replace", start_new_session=True)
            except OSError as error:
                raise AdapterFailure(f"Cannot start {self.command[0]!r}: {error}.") from error
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process, self.lines), daemon=True).start()

    @staticmethod
    def _read(process: "subprocess.Popen[str]", lines: "queue.Queue[Optional[str]]") -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    def send(self, command: str, **members: Any) -> None:
        """Sends a command without waiting for its answer."""
        if self.process is None:
            self.start()
        self.is_busy = True
        assert self.process is not None and self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps({"command": command, **members}, ensure_ascii=False) + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise AdapterFailure(f"The adapter took no command {command!r}: {error}.{self.tail()}") from error

    def answer(self, command: str, timeout: float = ANSWER_SECONDS_MAX) -> Any:
        """The value of the answer to the command that was sent. Raises ClientError where the client refused it."""
        try:
            line = self.lines.get(timeout=timeout)
        except queue.Empty:
            raise AdapterFailure(f"The adapter has not answered {command!r} in {timeout:.0f} s.{self.tail()}") from None
        self.is_busy = False
        if line is None:
            raise AdapterFailure(f"The adapter ended without an answer to {command!r}.{self.tail()}")
        return self._value(command, line)

    def _value(self, command: str, line: str) -> Any:
        try:
            answer: Dict[str, Any] = json.loads(line)
            if answer.keys() == {"ok"}:
                return answer["ok"]
            error = answer["error"]
            raise ClientError(str(error["code"]), str(error.get("message", "")))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise AdapterFailure(f"The answer to {command!r} is no answer: {line.strip()[:500]!r}.") from None

    def call(self, command: str, timeout: float = ANSWER_SECONDS_MAX, **members: Any) -> Any:
        self.send(command, **members)
        return self.answer(command, timeout)

    def kill_client(self) -> None:
        """Ends the client by the command `kill`, where the adapter reads commands, and the adapter with it."""
        if self.process is not None and not self.is_busy:
            try:
                self.call("kill", KILL_SECONDS_MAX)
            except (AdapterFailure, ClientError):
                pass  # the adapter ends with its client
        self.kill()

    def kill(self) -> None:
        """Ends the adapter's process group with SIGKILL, whatever it is doing."""
        process, self.process = self.process, None
        self.is_busy = False
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        process.wait()
        for stream in (process.stdin, process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                pass

    def tail(self) -> str:
        """The last lines that the adapter wrote to its standard error."""
        try:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                text = file.read()[-600:].strip()
        except OSError:
            return ""
        return f" It wrote: {text}" if text else ""
