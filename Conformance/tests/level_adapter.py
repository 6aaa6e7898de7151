"""Adapter of the clients of Docs/writing-a-client.md: level_adapter.py FILE CLASS PROFILE.

FILE has the code of the levels up to the class, as `test_writing_a_client.py` takes it from the document.
"""
import http.client
import importlib.util
import json
import os
import signal
import sys

specification = importlib.util.spec_from_file_location("levels", sys.argv[1])
levels = importlib.util.module_from_spec(specification)
specification.loader.exec_module(levels)
kind, profile = getattr(levels, sys.argv[2]), sys.argv[3]
LATER = ("too_many_requests", "internal_error", "stopping", "storage_unavailable")
path = ""


class Failed(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def client():
    return kind(path)


def hello(version):
    return {"client": f"writing-a-client.md, {kind.__name__}", "profile": profile}


def join(link, device, folder):
    open(folder)
    attempt(lambda: client().join(link, device))


def open(folder):
    global path
    path = os.path.join(folder, "replica.json")


def attempt(work):
    try:
        work()
    except levels.Refused as refused:
        raise Failed("later" if refused.code in LATER or "retryAfter" in refused.error else "blocked",
                     f"{refused.code}: {refused}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Failed("later", repr(error)) from None


def write(changes):
    try:
        client().write([(each["entity"], each["record"], each.get("put")) for each in changes])
    except getattr(levels, "Denied", ()) as error:
        raise Failed("delete_denied", str(error)) from None


def undelete(entity, record):
    client().write([(entity, record, {})])


def sync(seconds):
    def late(*_):
        raise TimeoutError(f"no end after {seconds} s")
    signal.signal(signal.SIGALRM, late)
    signal.alarm(max(1, int(seconds)))
    try:
        attempt(lambda: client().sync())
    finally:
        signal.alarm(0)


def show(entities):
    result = {}
    for key, properties in client().records().items():
        entity, record = key.split("/")
        if entity in entities:
            result.setdefault(entity, {})[record] = {
                name: value for name, value in properties.items() if value is not None and name[0] != "#"}
    return result


def migrate():
    """A page with another schema version brings the schema by itself."""


def digest():
    return None


def journal():
    return client().state.get("journal", [])


def status():
    state = client().state
    return {"waiting": sum(len(each["changes"]) for each in state.get("outbox", [])), "replica": state["replica"]}


def kill():
    os.killpg(0, signal.SIGKILL)


for line in sys.stdin:
    members = json.loads(line)
    try:
        answer = {"ok": globals()[members.pop("command")](**members)}
    except Failed as failed:
        answer = {"error": {"code": failed.code, "message": str(failed)}}
    print(json.dumps(answer), flush=True)
