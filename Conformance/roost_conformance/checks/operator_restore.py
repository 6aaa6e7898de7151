"""Requirements that need a server that was put back to an earlier state (§6.1, §6.3, §7, §8.3, §11.5)."""
from __future__ import annotations

from ..actors import Device, Run, Scope
from ..expectations import expect, expect_equal, expect_error, expect_status
from ..hashing import make_token
from ..messages import Change, Record
from ..requirements import operated
from .chapter08_tokens import known, me, rotate


class PutBack:
    """A scope of which the server has lost the last push of its owner, and which a replica still has."""

    def __init__(self, run: Run, how: str) -> None:
        self.run = run
        self.scope: Scope = run.scope()
        self.owner, self.other = self.scope.owner, self.scope.join()
        self.bystander: Device = run.scope().owner
        self.bystander.pull()
        first = self.owner.person("first")
        self.owner.push([first])
        self.other.pull()
        self.early = self.other.checkpoint
        run.target.operate("backup")
        self.lost: Change = self.owner.person("lost")
        self.owner.push([self.lost])
        self.other.pull()
        run.target.operate(how)


@operated("7.1", 7, "a since that is not in the scope's history is history_changed")
def history_changed(run: Run) -> None:
    case = PutBack(run, "restore")
    expect_error(case.other.get_page(), 409, "history_changed")
    expect_equal([record.id for record in case.other.everything()].count(case.lost.record), 0, "the lost record")


@operated("7.6", 3, "a checkpoint of an epoch that ended is history_changed, also one that the server knows")
def ended_epoch(run: Run) -> None:
    case = PutBack(run, "restore")
    expect_error(case.other.get_page(case.early), 409, "history_changed")
    page = case.other.page(b"")
    expect(page.checkpoint[:8] != case.early[:8], "the epoch is the old one")


@operated("11.5", 3, "a server that is restored begins a new epoch in every scope")
def every_scope(run: Run) -> None:
    case = PutBack(run, "restore")
    expect_error(case.bystander.get_page(), 409, "history_changed")


@operated("7.7", 16, "replicas of a restored server bring back what it lost, and the scope recovers")
def brought_back(run: Run) -> None:
    case = PutBack(run, "restore")
    lost = Record(1, case.lost.record, case.lost.stamp, case.lost.put)
    expect_equal(case.other.recover([lost]).stored, 1, "stored")
    expect_equal(case.owner.stored(case.lost), lost, "the record")


@operated("6.3", 15, "the push after one that the server has lost is server_rolled_back")
def rolled_back(run: Run) -> None:
    case = PutBack(run, "restore")
    expect_error(case.owner.send(case.owner.next_push([case.owner.person()])), 409, "server_rolled_back")
    reply = case.owner.request("POST", "/v1/replica/renew", {"reason": "put back", "nonce": run.nonce()})
    new = Device(run, expect_status(reply, 201).json())
    new.push([new.person(record=case.lost.record)])


@operated("6.1", 16, "a refused push whose checkpoint is in no incarnation begins a recovery")
def noticed_by_a_push(run: Run) -> None:
    case = PutBack(run, "put-back")
    lost = Record(1, case.lost.record, case.lost.stamp, case.lost.put)
    expect_error(case.other.send_recovery([lost]), 409, "not_recovering")
    case.owner.checkpoint = case.other.checkpoint
    expect_error(case.owner.send(case.owner.next_push([case.owner.person()])), 409, "server_rolled_back")
    expect_equal(case.other.recover([lost]).stored, 1, "stored")
    expect_error(case.other.get_page(case.early), 409, "history_changed")


@operated("7.1", 9, "a since of no incarnation shows a server that it was put back by hand")
def noticed_by_a_pull(run: Run) -> None:
    case = PutBack(run, "put-back")
    expect_status(case.other.get_page(case.early))
    expect_error(case.other.get_page(), 409, "history_changed")
    expect_error(case.other.get_page(case.early), 409, "history_changed")
    lost = Record(1, case.lost.record, case.lost.stamp, case.lost.put)
    expect_equal(case.other.recover([lost]).stored, 1, "stored")


@operated("8.3", 17, "while a scope recovers, a token that was replaced is unauthorized, and takes no access away")
def replaced_token(run: Run) -> None:
    device = run.scope().join()
    run.target.operate("backup")
    run.target.operate("restore")
    old, token = device.token, make_token("d")
    expect_status(rotate(device, token))
    expect_status(me(device, token))
    expect_error(run.stranger("GET", "/v1/me", old), 401, "unauthorized")
    expect_status(me(device, token))


@operated("8.3", 18, "a restored server knows the token that a device had when the backup was made")
def earlier_token(run: Run) -> None:
    device = run.scope().join()
    run.target.operate("backup")
    old, token = device.token, make_token("d")
    expect_status(rotate(device, token))
    expect_status(me(device, token))
    run.target.operate("restore")
    expect_equal(expect_status(known(run, token, old)).json().get("known"), 1, "known")
    reply = device.request("POST", "/v1/replica/renew", {"reason": "an earlier token", "nonce": run.nonce()})
    expect_status(reply, 201)
