"""The shared library: its functions, called with JSON, and interrupted by Ctrl-C."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from pathlib import Path
from typing import Any, Callable, Dict, TypeVar

from ._errors import InternalError, InvalidError, error_of

Result = TypeVar("Result")
Object = Dict[str, Any]

_OPENING = ("roost_create", "roost_open", "roost_join")
_ENDING = ("roost_close", "roost_cancel", "roost_unobserve")
_CALLS = (
    "roost_create_scope",
    "roost_rejoin",
    "roost_invite",
    "roost_invites",
    "roost_devices",
    "roost_revoke",
    "roost_set_role",
    "roost_rotate_token",
    "roost_fetch",
    "roost_get",
    "roost_write",
    "roost_undo",
    "roost_redo",
    "roost_undelete",
    "roost_restore",
    "roost_sync",
    "roost_live_start",
    "roost_live_stop",
    "roost_synced",
    "roost_next_event",
    "roost_status",
    "roost_explain",
    "roost_journal",
    "roost_check",
    "roost_backup",
    "roost_schema",
    "roost_migrate",
)


def _place() -> str:
    """Return the path of the library: the one in this package, unless ROOST_LIBRARY names another."""
    return os.environ.get("ROOST_LIBRARY") or str(Path(__file__).with_name("libroost.so"))


class Library:
    """The functions of libroost. ``ctypes.CDLL`` releases the global lock of the interpreter during each call."""

    def __init__(self) -> None:
        try:
            self._functions = ctypes.CDLL(_place())
        except OSError as error:
            raise ImportError(
                f"Cannot load libroost: {error}. Install the wheel of Roost for Linux on x86-64 (glibc 2.36), "
                "or name the library in ROOST_LIBRARY."
            ) from error
        text, size = ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t)
        handle = ctypes.POINTER(ctypes.c_int64)
        json_text = [ctypes.c_char_p, ctypes.c_size_t]
        self._declare("roost_version", [], ctypes.c_char_p)
        self._declare("roost_free", [ctypes.c_void_p])
        for name in _OPENING:
            self._declare(name, [*json_text, handle, text, size])
        for name in _ENDING:
            self._declare(name, [ctypes.c_int64, text, size])
        for name in _CALLS:
            self._declare(name, [ctypes.c_int64, *json_text, text, size])
        self._declare(
            "roost_observe", [ctypes.c_int64, *json_text, ctypes.c_void_p, ctypes.c_void_p, handle, text, size]
        )

    def _declare(self, name: str, arguments: list[Any], result: Any = ctypes.c_int32) -> None:
        function = getattr(self._functions, name)
        function.argtypes, function.restype = arguments, result

    @property
    def version(self) -> str:
        """The version of the library."""
        return str(self._functions.roost_version().decode())

    # ---- Calls

    def call(self, name: str, handle: int, request: Object | None = None) -> Object:
        """Call a function of a handle."""
        body = _encoded(request or {})
        return self._answer(getattr(self._functions, name), handle, body, len(body))

    def end(self, name: str, handle: int) -> Object:
        """Call a function that ends something."""
        return self._answer(getattr(self._functions, name), handle)

    def open(self, name: str, request: Object) -> tuple[int, Object]:
        """Call a function that opens a replica."""
        body, handle = _encoded(request), ctypes.c_int64(0)
        answer = self._answer(getattr(self._functions, name), body, len(body), ctypes.byref(handle))
        return handle.value, answer

    def join(self, request: Object) -> tuple[int, Object]:
        """Join a scope; Ctrl-C ends the wait."""
        body, handle = _encoded(request), ctypes.c_int64(0)

        def call() -> Object:
            return self._answer(self._functions.roost_join, body, len(body), ctypes.byref(handle))

        try:
            # The handle is set before the library waits.
            answer = self._interruptible(call, lambda: self.cancel(handle.value))
        except BaseException:
            # The join may have succeeded just when it was interrupted.
            if handle.value:
                self.end("roost_close", handle.value)
            raise
        return handle.value, answer

    def observe(self, handle: int, request: Object) -> int:
        """Start an observation without a callback."""
        body, observation = _encoded(request), ctypes.c_int64(0)
        self._answer(self._functions.roost_observe, handle, body, len(body), None, None, ctypes.byref(observation))
        return observation.value

    def wait(self, name: str, handle: int, request: Object | None = None) -> Object:
        """Call a function that waits for a server; Ctrl-C ends the wait."""
        return self._interruptible(lambda: self.call(name, handle, request), lambda: self.cancel(handle))

    def cancel(self, handle: int) -> None:
        """End the calls of a handle that wait."""
        if handle:
            try:
                self.end("roost_cancel", handle)
            except Exception:  # noqa: BLE001 - the call that waits reports its own failure
                pass

    def _answer(self, function: Any, *arguments: Any) -> Object:
        out, size = ctypes.c_void_p(), ctypes.c_size_t()
        status = function(*arguments, ctypes.byref(out), ctypes.byref(size))
        if not out.value:
            raise InternalError("noMemory", "The library has no memory for an answer.", "Free memory, and try again.")
        try:
            value = json.loads(ctypes.string_at(out.value, size.value))
        finally:
            self._functions.roost_free(out)
        if not isinstance(value, dict):
            raise InternalError("internal", "The library has answered with something else than an object.")
        if status:
            raise error_of(value)
        return value

    # ---- Interrupts

    def _interruptible(self, call: Callable[[], Result], cancel: Callable[[], None]) -> Result:
        """Run a call so that a signal handler of Python runs meanwhile, and ends the call if it raises.

        Python runs signal handlers in the main thread, between two steps of its own. A call that waits in C has
        none, so another thread makes it.
        """
        if threading.current_thread() is not threading.main_thread():
            return call()
        results: list[Result] = []
        errors: list[BaseException] = []
        done = threading.Event()

        def run() -> None:
            try:
                results.append(call())
            except BaseException as error:  # noqa: BLE001 - raised again by the caller
                errors.append(error)
            finally:
                done.set()

        threading.Thread(target=run, name="roost call", daemon=True).start()
        try:
            while not done.wait(0.2):
                pass
        except BaseException:
            # The call may be just about to wait, so it is cancelled until it has ended.
            cancel()
            while not done.wait(0.05):
                cancel()
            raise
        if errors:
            raise errors[0]
        return results[0]


def _encoded(request: Object) -> bytes:
    """Return a request as JSON.

    Raises InvalidError for a text that is not Unicode: with a lone surrogate.
    """
    try:
        return json.dumps(request, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidError(
            "invalidValue",
            f"Cannot send a text with a lone surrogate, at character {error.start} of the request.",
            "Give it valid Unicode; decode bytes with errors='replace'.",
        ) from None


_shared: Library | None = None
_lock = threading.Lock()


def library() -> Library:
    """Return the library of the process, which is loaded by the first call."""
    global _shared
    with _lock:
        if _shared is None:
            _shared = Library()
        return _shared
