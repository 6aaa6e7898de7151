"""Records, transactions, and what became of them."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import roost

from .support import SCHEMA, Case


class RecordTests(Case):
    def test_values_of_all_kinds_return_as_they_were_written(self) -> None:
        replica = self.make()
        values = {
            "name": "Ana É\u0000 \U0001f600",
            "born": date(1990, 2, 28),
            "seen": datetime(2026, 7, 14, 9, 30, 0, 123000, timezone.utc),
            "photo": bytes(range(256)),
            "weight": float("inf"),
            "facts": {"a": [1, 2.5, None, "x", {"b": True}]},
            "code": UUID("018f0000-0000-7000-8000-000000000001"),
            "active": False,
        }
        id = replica.insert("Person", values)
        (fetched,) = replica.fetch("Person")
        got = replica.get("Person", id)
        assert got is not None
        for name, value in values.items():
            for record in (fetched, got):
                self.assertEqual(record[name], value, name)
                self.assertIs(type(record[name]), type(value), name)
        self.assertEqual((fetched["id"], got["spendings"], got["teams"]), (id, [], []))
        east = datetime(2026, 7, 14, 11, 30, tzinfo=timezone(timedelta(hours=2)))
        replica.update("Person", id, seen=east, born=None)
        (fetched,) = replica.fetch("Person")
        self.assertEqual((fetched["seen"], fetched["born"]), (east, None))

    def test_integers_keep_all_digits(self) -> None:
        replica = self.make()
        for number in (2**63 - 1, -(2**63), 2**53 + 1, 0):
            replica.insert("Spending", content="x", amount=number)
        amounts = sorted(row["amount"] for row in replica.fetch("Spending"))
        self.assertEqual(amounts, [-(2**63), 0, 2**53 + 1, 2**63 - 1])
        self.assertEqual(replica.count("Spending", "amount == %@", [2**63 - 1]), 1)

    def test_predicates_take_native_arguments(self) -> None:
        replica = self.make()
        ana = replica.insert("Person", name="Ana", born=date(1990, 2, 28), photo=b"\0\xff")
        now = datetime(2026, 7, 14, 9, 30, tzinfo=timezone.utc)
        replica.update("Person", ana, seen=now, weight=61.5)
        replica.insert("Spending", content="Taxi", amount=1, person=ana)
        cases: list[tuple[str, list[Any]]] = [
            ("name == %@", ["Ana"]),
            ("born == %@", [date(1990, 2, 28)]),
            ("seen >= %@ AND seen < %@", [now, now + timedelta(milliseconds=1)]),
            ("photo == %@", [b"\0\xff"]),
            ("weight > %@", [61.25]),
            ("active == %@", [True]),
            ("code == %@", [None]),
            ("SELF == %@", [ana]),
            ("name IN %@", [["Ana", "Bob"]]),
            ("ANY spendings.amount == %@", [1]),
        ]
        for where, args in cases:
            self.assertEqual(replica.count("Person", where, args), 1, where)
        rows = replica.fetch("Spending", "person == %@", [{"id": ana}], properties=["content", "person.name"])
        self.assertEqual(rows, [{"content": "Taxi", "person.name": "Ana"}])

    def test_order_limit_distinct_and_totals(self) -> None:
        replica = self.make()
        for amount, content in [(3, "b"), (1, "a"), (2, "b")]:
            replica.insert("Spending", content=content, amount=amount)
        amounts = [row["amount"] for row in replica.fetch("Spending", sort=["amount:descending"], limit=2, offset=1)]
        self.assertEqual(amounts, [2, 1])
        distinct = replica.fetch("Spending", properties=["content"], distinct=True)
        self.assertEqual(distinct, [{"content": "a"}, {"content": "b"}])
        groups = replica.totals("Spending", group_by=["content"], count=True, sum=["amount"], average=["amount"])
        self.assertEqual([row["@sum.amount"] for row in groups], [1, 5])
        self.assertEqual([row["@avg.amount"] for row in groups], [1.0, 2.5])
        self.assertIs(type(groups[0]["@sum.amount"]), int)

    def test_a_transaction_commits_or_rolls_back(self) -> None:
        replica = self.make()
        with replica.transaction("two"):
            ana = replica.insert("Person", name="Ana")
            replica.insert("Spending", content="Taxi", amount=1, person=ana)
            # Reads do not see the transaction.
            self.assertEqual(replica.count("Person"), 0)
        self.assertEqual((replica.count("Person"), replica.count("Spending")), (1, 1))
        with self.assertRaises(KeyError), replica.transaction():
            replica.delete("Person", ana)
            raise KeyError("no")
        self.assertEqual(replica.count("Person"), 1)
        # The last operation is refused, and so nothing is written.
        with self.assertRaises(roost.NotFoundError), replica.transaction():
            replica.update("Person", ana, name="Anna")
            replica.update("Person", UUID(int=5), name="Nobody")
        self.assertEqual(replica.fetch("Person")[0]["name"], "Ana")
        with replica.transaction("none"):
            pass
        with replica.transaction(), self.assertRaises(roost.InvalidError), replica.transaction():
            pass
        self.assertEqual(replica.undo(), "two")
        self.assertEqual((replica.count("Person"), replica.undo()), (0, None))

    def test_two_replicas_have_transactions_at_once(self) -> None:
        first, second = self.make("a.roost"), self.make("b.roost")
        with first.transaction(), second.transaction():
            first.insert("Person", name="Ana")
            second.insert("Person", name="Bob")
        self.assertEqual([row["name"] for row in first.fetch("Person")], ["Ana"])
        self.assertEqual([row["name"] for row in second.fetch("Person")], ["Bob"])

    def test_undo_redo_and_the_journal(self) -> None:
        replica = self.make()
        ana = replica.insert("Person", name="Ana")
        taxi = replica.insert("Spending", content="Taxi", amount=1, person=ana)
        replica.delete("Person", ana)
        self.assertEqual(replica.explain("Person", ana), roost.Explanation("deleted"))
        self.assertEqual(replica.explain("Spending", taxi), roost.Explanation("hidden", ("Person", ana)))
        (deleted,) = replica.deleted()
        self.assertEqual((deleted.entity, deleted.id), ("Person", ana))
        assert deleted.put is not None
        self.assertEqual(deleted.put["name"], "Ana")
        replica.undelete("Person", ana)
        self.assertTrue(replica.explain("Spending", taxi).is_visible)
        self.assertEqual(replica.explain("Person", UUID(int=1)).state, "absent")
        replica.update("Spending", taxi, amount=2)
        self.assertEqual(replica.undo(), "update")
        self.assertEqual(replica.redo(), "update")
        self.assertEqual(replica.fetch("Spending")[0]["amount"], 2)
        self.assertEqual(replica.journal(), [])
        replica.keep_journal(30)
        self.assertEqual(replica.status().journal_days, 30)

    def test_relationships_to_several(self) -> None:
        replica = self.make()
        ana, team = replica.insert("Person", name="Ana"), replica.insert("Team", title="A")
        replica.add("Team", team, "members", ana)
        got, person = replica.get("Team", team), replica.get("Person", ana)
        assert got is not None and person is not None
        self.assertEqual((got["members"], person["teams"]), ([ana], [team]))
        replica.remove("Team", team, "members", {"id": ana})
        got = replica.get("Team", team)
        assert got is not None
        self.assertEqual(got["members"], [])


class FileTests(Case):
    def test_a_copy_a_check_and_a_status(self) -> None:
        replica = self.make()
        replica.insert("Person", name="Ana")
        replica.backup(self.folder / "copy.roost")
        with roost.open(self.folder / "copy.roost") as copy:
            self.assertEqual(copy.count("Person"), 1)
        self.assertTrue(replica.check().sound)
        status = replica.status()
        self.assertEqual((status.waiting, status.scope, status.live.state), (1, None, "notRunning"))
        assert status.waiting_since is not None
        self.assertLess(abs(datetime.now(timezone.utc) - status.waiting_since), timedelta(minutes=5))
        self.assertEqual(replica.schema()["name"], "trip")
        self.refused(roost.FileError, replica.backup, self.folder / "copy.roost")

    def test_a_schema_is_a_mapping_a_text_or_a_file(self) -> None:
        import json

        text = json.dumps(SCHEMA)
        (self.folder / "schema.json").write_text(text)
        schemas: list[Any] = [SCHEMA, text, self.folder / "schema.json", str(self.folder / "schema.json")]
        for number, schema in enumerate(schemas):
            with roost.create(self.folder / f"{number}.roost", schema) as replica:
                self.assertEqual(replica.schema()["name"], "trip")

    def test_a_replica_is_migrated(self) -> None:
        import copy

        replica = self.make()
        replica.insert("Team", title="A")
        self.assertEqual(replica.migrate(), (1, 1))
        later = copy.deepcopy(SCHEMA)
        later["version"] = 2
        later["entities"][2]["attributes"].append({"id": 2, "name": "note", "type": "string", "optional": True})
        self.assertEqual(replica.migrate(later), (1, 2))
        self.assertEqual(replica.schema_version, 2)
        replica.insert("Team", title="B", note="new")
        self.assertEqual(replica.count("Team", "note == %@", ["new"]), 1)
        with self.assertRaises(roost.InvalidError):
            replica.migrate(SCHEMA)

    def test_closing(self) -> None:
        replica = self.make()
        self.assertIn("open", repr(replica))
        replica.close()
        replica.close()
        self.assertIn("closed", repr(replica))
        for call in (replica.status, replica.undo, replica.sync, replica.live, replica.devices):
            self.refused(roost.ClosedError, call)
        self.refused(roost.ClosedError, replica.fetch, "Person")
        with roost.open(self.folder / "trip.roost") as again:
            self.assertEqual(again.count("Person"), 0)
        self.assertTrue(roost.version())
