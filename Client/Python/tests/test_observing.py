"""Lists and states as iterators."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path

import roost

from .support import Case


class ObservingTests(Case):
    def test_a_list_follows_this_program_and_others(self) -> None:
        replica = self.make()
        ana = replica.insert("Person", name="Ana")
        with replica.observe("Person", "name != %@", ["Zoe"], sort=["name"]) as people:
            first = next(people)
            self.assertTrue(first.is_initial)
            self.assertEqual([row["name"] for row in first.rows], ["Ana"])
            self.assertIsNone(people.next(timeout=0))
            bob = replica.insert("Person", name="Bob")
            second = people.next(timeout=20)
            assert second is not None
            self.assertEqual(([row["id"] for row in second.inserted], second.origins), ([bob], {"local"}))
            with sqlite3.connect(Path(replica.path)) as plain:
                plain.execute("UPDATE person SET name = 'Cid' WHERE id = ?", (ana.bytes,))
            third = people.next(timeout=20)
            assert third is not None
            self.assertEqual([row["name"] for row in third.rows], ["Bob", "Cid"])
            self.assertEqual((third.origins, [row["id"] for row in third.moved]), ({"otherProgram"}, [ana]))
            replica.delete("Person", bob)
            fourth = people.next(timeout=20)
            assert fourth is not None
            self.assertEqual((fourth.deleted, [row["name"] for row in fourth.rows]), ([bob], ["Cid"]))
        self.assertEqual(list(people), [])

    def test_sections(self) -> None:
        replica = self.make()
        ids = {name: replica.insert("Person", name=name) for name in ("Ana", "Bob")}
        taxi = replica.insert("Spending", content="Taxi", amount=1, person=ids["Ana"])
        request = {"sort": ["person.name", "content"], "sectioned_by": "person.name"}
        with replica.observe("Spending", **request) as spendings:  # type: ignore[arg-type]
            first = next(spendings)
            self.assertEqual([(each.name, len(each.rows)) for each in first.sections], [("Ana", 1)])
            replica.insert("Spending", content="Boat", amount=2, person=ids["Bob"])
            second = next(spendings)
            self.assertEqual([each.name for each in second.sections], ["Ana", "Bob"])
            replica.update("Spending", taxi, person=ids["Bob"])
            third = next(spendings)
            rows = [(each.name, [row["content"] for row in each.rows]) for each in third.sections]
            self.assertEqual(rows, [("Bob", ["Boat", "Taxi"])])

    def test_random_changes_arrive_as_they_are_stored(self) -> None:
        import random

        replica, generator = self.make(), random.Random(7)
        ids = [replica.insert("Spending", content=f"{number:02}", amount=number) for number in range(20)]
        with replica.observe("Spending", "amount < 50", sort=["amount", "content"]) as list_:
            update = next(list_)
            for _ in range(40):
                with replica.transaction():
                    for id in generator.sample(ids, 4):
                        replica.update("Spending", id, amount=generator.randrange(60))
                seen = list_.next(timeout=5)
                update = seen or update
                expected = replica.fetch("Spending", "amount < 50", sort=["amount", "content"])
                self.assertEqual(update.rows, expected)

    def test_the_status(self) -> None:
        replica = self.make()
        with replica.observe_status() as states:
            self.assertEqual(next(states).waiting, 0)
            replica.insert("Person", name="Ana")
            self.assertEqual(next(states).waiting, 1)

    def test_an_asynchronous_loop(self) -> None:
        replica = self.make()

        async def names(count: int) -> list[list[str]]:
            seen = []
            async for update in replica.observe("Person", sort=["name"]):
                seen.append([row["name"] for row in update.rows])
                if len(seen) == count:
                    break
                await asyncio.to_thread(replica.insert, "Person", name=f"Person {len(seen)}")
            return seen

        self.assertEqual(asyncio.run(names(3)), [[], ["Person 1"], ["Person 1", "Person 2"]])

    def test_a_cancelled_loop_continues(self) -> None:
        replica = self.make()

        async def run() -> None:
            people = replica.observe("Person")
            await people.__anext__()
            for _ in range(3):
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(people.__anext__(), 0.1)
            replica.insert("Person", name="Ana")
            update = await asyncio.wait_for(people.__anext__(), 20)
            self.assertEqual(len(update.rows), 1)
            people.close()
            with self.assertRaises(StopAsyncIteration):
                await people.__anext__()

        asyncio.run(run())

    def test_closing_ends_a_loop_in_another_thread(self) -> None:
        for end in ("observation", "replica"):
            replica = self.make(f"{end}.roost")
            people = replica.observe("Person")
            begun = threading.Event()
            states: list[roost.Update] = []
            thread = threading.Thread(target=follow, args=(people, states, begun))
            thread.start()
            self.assertTrue(begun.wait(20))
            (people if end == "observation" else replica).close()
            thread.join(20)
            self.assertFalse(thread.is_alive(), end)
            self.assertEqual(len(states), 1)

    def test_what_cannot_be_observed(self) -> None:
        replica = self.make()
        self.refused(roost.NotFoundError, replica.observe, "People")
        self.refused(roost.InvalidError, replica.observe, "Person", "colour == 1")
        self.refused(roost.InvalidError, replica.observe, "Person", sectioned_by="name")
        # An observation that is not closed ends with the replica.
        replica.observe("Person")
        replica.close()


def follow(people: roost.ListObservation, states: list[roost.Update], begun: threading.Event) -> None:
    """Follow a list until it is closed."""
    for update in people:
        states.append(update)
        begun.set()
