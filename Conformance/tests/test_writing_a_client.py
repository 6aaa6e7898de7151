"""The code of Docs/writing-a-client.md, against the tester and a real server."""
import contextlib
import importlib.util
import io
import os
import re
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]

from roost_conformance import cli  # noqa: E402
from roost_conformance.fleet.server import Observer, RealServer  # noqa: E402
from roost_conformance.client import schemas  # noqa: E402

DOCUMENT = os.path.join(HERE, "..", "..", "Docs", "writing-a-client.md")
ADAPTER = os.path.join(HERE, "level_adapter.py")
PROGRAMS = os.environ.get("ROOST_BIN", os.path.join(HERE, "..", "..", ".build", "debug"))
ROOST_SERVER = os.path.join(PROGRAMS, "roost-server")


def code_of(level):
    """The Python blocks of the document up to the end of a level."""
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    end = text.find(f"\n## Level {level + 1}")
    end = end if end >= 0 else len(text)
    return "\n\n\n".join(re.findall(r"^```python\n(.*?)^```$", text[:end], re.MULTILINE | re.DOTALL)) + "\n"


def longer(*sections):
    """Further sections where ROOST_CONFORMANCE_LONG is set: all that the document says of a level."""
    return sections if os.environ.get("ROOST_CONFORMANCE_LONG") else ()


def load(path):
    specification = importlib.util.spec_from_file_location("levels_under_test", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


class WritingAClientTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, level):
        path = os.path.join(self.folder.name, f"level{level}.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(code_of(level))
        return path

    def passes(self, level, name, profile, *sections):
        """The class of a level passes sections of the tester."""
        options = [word for section in sections for word in ("--only", section)]
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = cli.main(["client", "--seed", "1", *options, "--", sys.executable, ADAPTER, self.file(level), name,
                               profile])
        self.assertEqual(status, 0, output.getvalue())
        self.assertNotIn(" 0 ok,", output.getvalue())

    def test_level_1(self):
        self.passes(1, "Mirror", "mirror", "3", "7", "8", "9", *longer("11.5"))

    def test_level_2(self):
        self.passes(2, "Writer", "writer", "6.3", "6.6", "7", *longer("6", "8", "9", "11.5"))

    def test_level_3(self):
        self.passes(3, "RuledWriter", "writer", "11.2", "11.3", *longer("3", "6", "7", "8", "9", "11"))

    def test_level_4(self):
        self.passes(4, "Client", "minimal", "6.7", "11.4", "11.5", *longer("3", "5", "6", "7", "8", "9", "11"))

    def test_level_4_where_data_gets_lost(self):
        self.passes(4, "Client", "full", "7.7", "11.4", "6.5")

    def test_the_mirror_has_60_lines(self):
        code = code_of(1)
        body = code[code.index("class Mirror"):code.index("def mirror_once")]
        lines = [line for line in body.split("\n") if line.strip() and '"""' not in line]
        self.assertLessEqual(len(lines), 60)

    @unittest.skipUnless(os.access(ROOST_SERVER, os.X_OK), "there is no roost-server; set ROOST_BIN")
    def test_a_real_server(self):
        server = RealServer(ROOST_SERVER, self.folder.name)
        self.addCleanup(server.kill)
        server.start()
        observer = Observer(server.address, server.admin_token, schemas.text(schemas.first()))
        self.addCleanup(observer.server.close)
        levels = load(self.file(4))
        clients = []
        for name in ("one", "two"):
            client = levels.Client(os.path.join(self.folder.name, name))
            client.join(observer.link(server.address), name)
            clients.append(client)
        one, two = clients
        parent, child = "0" * 7 + "1-0000-4000-8000-000000000001", "0" * 7 + "2-0000-4000-8000-000000000002"
        one.write([("Node", parent, {"title": "parent"}), ("Node", child, {"title": "child", "a": parent})])
        one.sync()
        two.sync()
        two.write([("Node", parent, None)])
        one.write([("Node", child, {"title": "edited"})])
        for client in (two, one, two):
            client.sync()
        self.assertEqual(one.records(), {})
        self.assertEqual(two.records(), {})
        one.write([("Node", parent, {})])
        for client in (one, two):
            client.sync()
        self.assertEqual(two.records()[f"Node/{child}"]["title"], "edited")
        mirrored = levels.mirror_once(os.path.join(self.folder.name, "mirror"), observer.link(server.address))
        self.assertEqual(mirrored.keys(), two.records().keys())


if __name__ == "__main__":
    unittest.main()
