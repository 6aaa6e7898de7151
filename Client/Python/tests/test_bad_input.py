"""Bad input: an error that says what, where, why and the remedy, and nothing is changed."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from uuid import UUID

import roost

from .support import Case


class BadInputTests(Case):
    def test_values_of_another_type(self) -> None:
        replica = self.make()
        cyclic: list[Any] = []
        cyclic.append(cyclic)
        for name, value in [
            ("name", 1),
            ("name", b"Ana"),
            ("name", "\ud800"),
            ("born", "1990-02-28"),
            ("born", datetime(1990, 2, 28)),
            ("seen", datetime(2026, 7, 14)),
            ("seen", 1752485400123),
            ("photo", "AAH/"),
            ("weight", "1.5"),
            ("weight", True),
            ("weight", float("nan")),
            ("weight", 10**400),
            ("active", 1),
            ("active", "true"),
            ("code", "018f0000-0000-7000-8000-000000000001"),
            ("facts", {1: 2}),
            ("facts", {"a": float("inf")}),
            ("facts", object()),
            ("facts", cyclic),
            ("spendings", [UUID(int=1)]),
        ]:
            with self.subTest(name=name, value=repr(value)[:40]):
                self.refused(roost.InvalidError, replica.insert, "Person", {"name": "Ana", name: value})
        for amount in (2**63, -(2**63) - 1, 1.0, True, "1"):
            error = self.refused(roost.InvalidError, replica.insert, "Spending", content="x", amount=amount)
            self.assertIn("amount", error.message)
        self.refused(roost.InvalidError, replica.insert, "Spending", content="x", amount=1, person="Ana")
        self.assertEqual((replica.count("Person"), replica.count("Spending")), (0, 0))

    def test_what_does_not_exist(self) -> None:
        replica = self.make()
        nobody = UUID(int=7)
        error = self.refused(roost.NotFoundError, replica.insert, "Person", nickname="A")
        self.assertIn('"name"', error.message)
        self.refused(roost.NotFoundError, replica.insert, "People", name="Ana")
        self.refused(roost.NotFoundError, replica.fetch, "People")
        self.refused(roost.NotFoundError, replica.update, "Person", nobody, name="Ana")
        self.refused(roost.NotFoundError, replica.delete, "Person", nobody)
        self.refused(roost.NotFoundError, replica.undelete, "Person", nobody)
        self.refused(roost.NotFoundError, replica.insert, "Spending", content="x", amount=1, person=nobody)
        self.refused(roost.NotFoundError, replica.restore, 99)
        self.assertIsNone(replica.get("Person", nobody))
        self.refused(roost.NotFoundError, roost.open, self.folder / "none.roost")

    def test_required_values_and_large_records(self) -> None:
        replica = self.make()
        self.refused(roost.InvalidError, replica.insert, "Spending", content="x")
        self.refused(roost.InvalidError, replica.insert, "Person", name=None)
        self.refused(roost.InvalidError, replica.insert, "Person", name="x" * 300_000)
        ana = replica.insert("Person", name="Ana")
        self.refused(roost.InvalidError, replica.insert, "Person", name="Ana", id=ana)
        self.assertEqual(replica.count("Person"), 1)

    def test_predicates(self) -> None:
        replica = self.make()
        error = self.refused(roost.InvalidError, replica.fetch, "Spending", "amount > 10 AND colour == 1")
        self.assertEqual((error.text, error.column), ("amount > 10 AND colour == 1", 17))
        self.assertIn("^", str(error))
        self.refused(roost.InvalidError, replica.fetch, "Spending", "amount >")
        self.refused(roost.InvalidError, replica.fetch, "Spending", "amount > %@")
        self.refused(roost.InvalidError, replica.fetch, "Spending", "amount > 1", [1])
        self.refused(roost.InvalidError, replica.fetch, "Spending", "amount > %@", [2**63])
        self.refused(roost.InvalidError, replica.fetch, "Spending", "amount > %@", [float("nan")])
        self.refused(roost.InvalidError, replica.fetch, "Spending", "amount > %@", [object()])
        self.refused(roost.InvalidError, replica.fetch, "Spending", "content == %@", "x")
        self.refused(roost.InvalidError, replica.fetch, "Spending", "content == %@", ["\udfff"])
        self.refused(roost.InvalidError, replica.fetch, "Spending", sort="amount")
        self.refused(roost.InvalidError, replica.fetch, "Spending", sort=["amount:down"])
        self.refused(roost.InvalidError, replica.fetch, "Spending", distinct=True)
        self.refused(roost.RoostError, replica.fetch, "Spending", limit=-1)

    def test_files_schemas_links_and_times(self) -> None:
        replica = self.make()
        (self.folder / "text.roost").write_text("no database")
        self.refused(roost.FileError, roost.open, self.folder / "text.roost")
        self.refused(roost.RoostError, roost.open, self.folder / "a\0b")
        self.refused(roost.FileError, roost.create, replica.path, replica.schema())
        error = self.refused(roost.InvalidError, roost.create, self.folder / "x.roost", {"format": 1})
        self.assertEqual(error.code, "schemaInvalid")
        self.refused(roost.InvalidError, roost.create, self.folder / "x.roost", "{nonsense")
        self.assertFalse((self.folder / "x.roost").exists())
        for link in ("nonsense", "https://example.invalid/", "ftp://x/join#roost_i_1", ""):
            self.refused(roost.InvalidError, roost.join, link, self.folder / "y.roost")
        self.assertFalse((self.folder / "y.roost").exists())
        self.refused(roost.InvalidError, replica.sync)
        self.refused(roost.InvalidError, replica.sync, -1)
        self.refused(roost.InvalidError, replica.live)
        self.refused(roost.InvalidError, replica.invite)
        self.refused(roost.RoostError, replica.invite, hours=0)
        self.refused(roost.InvalidError, replica.revoke, "nobody")
        self.refused(roost.InvalidError, replica.create_scope, "nonsense", "token", name="x")

    def test_errors_have_no_values_and_no_tokens(self) -> None:
        replica = self.make()
        secret = "roost_a_0123456789"
        for call in (
            lambda: replica.create_scope("http://127.0.0.1:1", secret, name="x"),
            lambda: roost.join(f"http://127.0.0.1:1/join#{secret}", self.folder / "z.roost"),
            lambda: replica.insert("Person", name=secret, born=secret),
        ):
            with self.assertRaises(roost.RoostError) as context:
                call()
            self.assertNotIn(secret, repr(vars(context.exception)) + str(context.exception))

    def test_a_date_needs_no_conversion(self) -> None:
        replica = self.make()
        for day in (date.min, date.max, date(2024, 2, 29)):
            replica.insert("Person", name=str(day), born=day)
        days = {row["born"] for row in replica.fetch("Person")}
        self.assertEqual(days, {date.min, date.max, date(2024, 2, 29)})
