"""Two replicas and a real server."""

from __future__ import annotations

import threading
import time

import roost

from .support import ServerCase, until


class SynchronisingTests(ServerCase):
    def test_both_have_what_each_has_written(self) -> None:
        first, second = self.pair()
        first.insert("Person", name="Ana")
        second.insert("Person", name="Bob")
        for replica in (first, second, first):
            self.assertTrue(replica.sync(timeout=30).up_to_date)
        names = [[row["name"] for row in replica.fetch("Person", sort=["name"])] for replica in (first, second)]
        self.assertEqual(names, [["Ana", "Bob"]] * 2)
        self.assertEqual(first.status().digest, second.status().digest)
        status = first.status()
        self.assertEqual((status.scope_name, status.role, status.waiting), ("Trip", "owner", 0))

    def test_live_replicas_follow_each_other(self) -> None:
        first, second = self.pair()
        with first.live() as live, second.live(), second.observe("Person", sort=["name"]) as people:
            self.assertEqual(next(people).rows, [])
            self.refused(roost.BusyError, first.live)
            self.refused(roost.BusyError, first.sync)
            first.insert("Person", name="Ana")
            first.synced(timeout=30)
            update = people.next(timeout=30)
            assert update is not None
            self.assertEqual(([row["name"] for row in update.rows], update.origins), (["Ana"], {"synchronisation"}))
            until(lambda: live.state.state == "upToDate")
        self.assertEqual(first.status().live.state, "notRunning")
        # The file is free again at once.
        self.assertTrue(first.sync().up_to_date)

    def test_devices_roles_and_invites(self) -> None:
        first, second = self.pair()
        self.assertEqual([(each.name, each.is_this) for each in first.devices()], [("First", True), ("Second", False)])
        (other,) = [each for each in first.devices() if not each.is_this]
        first.set_role(other, "viewer")
        second.insert("Person", name="Bob")
        report = second.sync()
        self.assertEqual((report.up_to_date, report.is_temporary), (False, False))
        self.refused(roost.RefusedError, second.invite)
        first.set_role(other.replica, "editor")
        self.assertTrue(second.sync().up_to_date)
        link = first.invite(role="viewer", hours=1, uses=2)
        (invite,) = first.invites()
        self.assertEqual((invite.role, invite.uses_left), ("viewer", 2))
        first.revoke_invite(invite.id)
        self.assertEqual(first.invites(), [])
        self.refused(roost.RefusedError, roost.join, link, self.folder / "third.roost")
        self.assertFalse((self.folder / "third.roost").exists())
        first.rotate_token()
        self.assertTrue(first.sync().up_to_date)
        self.assertEqual(first.revoke(other), [])
        self.assertFalse(second.sync().up_to_date)

    def test_a_copy_joins_again(self) -> None:
        first, second = self.pair()
        second.insert("Person", name="Bob")
        second.backup(self.folder / "copy.roost")
        with roost.open(self.folder / "copy.roost") as copy:
            self.refused(roost.RefusedError, copy.sync)
            self.assertEqual(copy.rejoin(first.invite(), device="Copy").scope_name, "Trip")
            self.assertTrue(copy.sync().up_to_date)
        self.assertTrue(first.sync().up_to_date)
        self.assertEqual(first.count("Person"), 1)

    def test_a_server_that_is_away_is_a_state(self) -> None:
        first, _ = self.pair()
        self.server.stop()
        first.insert("Person", name="Ana")
        report = first.sync(timeout=5)
        self.assertEqual((report.up_to_date, report.is_temporary), (False, True))
        self.assertTrue(report.state)
        self.refused(roost.UnavailableError, first.invite)
        with self.assertRaises((roost.UnavailableError, roost.TimedOutError)):
            first.synced(timeout=1)
        with first.live():
            started = time.monotonic()
            self.refused(roost.TimedOutError, first.synced, timeout=0.5)
            self.assertLess(time.monotonic() - started, 10)

    def test_another_thread_ends_a_wait(self) -> None:
        first, _ = self.pair()
        self.server.stop()
        with first.live():
            errors: list[BaseException] = []

            def wait() -> None:
                try:
                    first.synced(timeout=300)
                except roost.RoostError as error:
                    errors.append(error)

            thread = threading.Thread(target=wait)
            thread.start()
            while thread.is_alive():
                first.cancel()
                thread.join(0.05)
            self.assertIsInstance(errors[0], roost.CancelledError)
