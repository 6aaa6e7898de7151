"""§4 Versioning."""
from __future__ import annotations

from ..actors import Run
from ..expectations import expect, expect_error, expect_members, expect_status
from ..requirements import requirement


@requirement("4", 1, "GET /v1/version states the versions that the server speaks, 1 among them")
def versions(run: Run) -> None:
    reply = expect_status(run.send("GET", "/v1/version"))
    expect(1 in expect_members(reply, "protocol")["protocol"], "the server does not speak version 1", reply)


@requirement("4", 2, "the version is the first part of every path: another is a 404")
def paths(run: Run) -> None:
    owner = run.scope().owner
    for path in ("/v0/me", "/me", "/V1/me", "/v1/me/", "/v1/Me", "//v1/me", "/v1"):
        expect_error(owner.request("GET", path), 404, "not_found")
