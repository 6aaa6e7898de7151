"""The global lock, Ctrl-C, forks, and the package as it is installed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import roost

from .support import Case

JOIN = """
import roost, sys
print("begins", flush=True)
try:
    roost.join(sys.argv[1], sys.argv[2])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""

OBSERVE = """
import roost, sys
replica = roost.create(sys.argv[2], sys.argv[1])
for update in replica.observe("Item"):
    print("begins", flush=True)
"""

SCHEMA = """
{"format": 1, "name": "list", "version": 1, "entities": [{"id": 1, "name": "Item", "attributes": [
  {"id": 1, "name": "title", "type": "string"}]}]}
"""


class Silence:
    """A server that accepts connections and never answers."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.link = f"http://127.0.0.1:{self.socket.getsockname()[1]}/join#roost_i_" + "0" * 32
        self.connections: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                self.connections.append(self.socket.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        for each in [self.socket, *self.connections]:
            each.close()


class ProcessTests(Case):
    def limit(self, program: subprocess.Popen[str]) -> None:
        """Kill a program that does not end by itself."""
        timer = threading.Timer(60, program.kill)
        timer.start()
        self.addCleanup(timer.cancel)

    def test_a_call_that_waits_releases_the_global_lock_and_is_interrupted(self) -> None:
        server = Silence()
        self.addCleanup(server.close)
        program = subprocess.Popen(
            [sys.executable, "-c", JOIN, server.link, str(self.folder / "j.roost")], stdout=subprocess.PIPE, text=True
        )
        self.limit(program)
        assert program.stdout is not None
        self.assertEqual(program.stdout.readline(), "begins\n")
        deadline = time.monotonic() + 20
        while not server.connections and time.monotonic() < deadline:
            time.sleep(0.01)
        started = time.monotonic()
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.stdout.read(), "interrupted\n")
        self.assertEqual(program.wait(), 0)
        self.assertLess(time.monotonic() - started, 5)
        program.stdout.close()
        self.assertFalse((self.folder / "j.roost").exists())

    def test_other_threads_run_while_a_call_waits(self) -> None:
        server = Silence()
        self.addCleanup(server.close)
        errors: list[BaseException] = []

        def join() -> None:
            try:
                roost.join(server.link, self.folder / "k.roost")
            except roost.RoostError as error:
                errors.append(error)

        thread = threading.Thread(target=join)
        thread.start()
        count, end = 0, time.monotonic() + 0.5
        while time.monotonic() < end:
            count += 1
        self.assertGreater(count, 1000)
        self.assertTrue(thread.is_alive())
        server.close()
        thread.join(60)
        self.assertIsInstance(errors[0], roost.RoostError)

    def test_a_loop_over_a_list_is_interrupted(self) -> None:
        schema = self.folder / "schema.json"
        schema.write_text(SCHEMA)
        program = subprocess.Popen(
            [sys.executable, "-c", OBSERVE, str(schema), str(self.folder / "o.roost")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.limit(program)
        assert program.stdout is not None and program.stderr is not None
        self.assertEqual(program.stdout.readline(), "begins\n")
        started = time.monotonic()
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate()
        self.assertIn("KeyboardInterrupt", errors)
        self.assertLess(time.monotonic() - started, 5)

    def test_a_forked_child_gets_an_error(self) -> None:
        replica = self.make()
        replica.insert("Person", name="Ana")
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            result = b"no error"
            try:
                replica.fetch("Person")
            except roost.ForkedError as error:
                result = error.code.encode()
            except BaseException as error:  # noqa: BLE001 - the child must not return into the tests
                result = repr(error).encode()
            os.write(writing, result)
            os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        with os.fdopen(reading, "rb") as pipe:
            self.assertEqual(pipe.read(), b"forked")
        self.assertEqual(replica.count("Person"), 1)

    def test_a_spawned_process_opens_the_file_itself(self) -> None:
        replica = self.make()
        replica.insert("Person", name="Ana")
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertEqual(pool.apply(count_people, (replica.path,)), 1)

    def test_threads_share_a_replica(self) -> None:
        replica = self.make()

        def work(number: int) -> None:
            for step in range(20):
                with replica.transaction(f"{number}"):
                    replica.insert("Person", name=f"{number}-{step}")
                replica.fetch("Person", limit=5)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(replica.count("Person"), 80)


def count_people(path: str) -> int:
    """Count the people of a file, in a process of its own."""
    with roost.open(path) as replica:
        return replica.count("Person")


class PackageTests(unittest.TestCase):
    @unittest.skipUnless("ROOST_INSTALLED" in os.environ, "the package runs from its sources")
    def test_the_installed_package_is_used(self) -> None:
        folder = Path(roost.__file__).parent
        self.assertIn("site-packages", str(folder))
        self.assertTrue((folder / "py.typed").exists() and (folder / "libroost.so").exists())


if __name__ == "__main__":
    unittest.main()
