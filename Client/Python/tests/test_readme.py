"""The blocks of the page, run in order, with what they print."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from .support import Server

PAGE = Path(os.environ.get("ROOST_PYTHON_README", Path(__file__).parent.parent / "README.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"`([\w.]+)`:\s*$")


class ReadmeTests(unittest.TestCase):
    @unittest.skipUnless("ROOST_BIN" in os.environ, "ROOST_BIN does not name the folder of roost-server.")
    def test_blocks_print_what_the_page_shows(self) -> None:
        text = PAGE.read_text(encoding="utf-8")
        folder = tempfile.mkdtemp(prefix="roost-readme-")
        before = os.getcwd()
        self.addCleanup(shutil.rmtree, folder, True)
        self.addCleanup(os.chdir, before)
        server = Server(Path(folder))
        self.addCleanup(server.stop)
        os.chdir(folder)
        names: dict[str, object] = {"__name__": "page"}
        printed: str | None = None
        count = 0
        for match in BLOCK.finditer(text):
            kind, block = match.groups()
            line = text.count("\n", 0, match.start()) + 2
            if kind in ("csv", "json"):
                file = FILE.search(text[: match.start()].rstrip())
                self.assertIsNotNone(file, f"line {line}: the text before a file ends in its name")
                Path(file.group(1) if file else "").write_text(block, encoding="utf-8")
            elif kind == "python":
                self.assertIn(printed, (None, ""), f"before line {line}: a block prints and the page does not show it")
                output = io.StringIO()
                # Lines of the page in tracebacks.
                code = compile("\n" * (line - 1) + block.replace("http://127.0.0.1:8080", server.address), PAGE, "exec")
                with contextlib.redirect_stdout(output):
                    exec(code, names)
                printed = output.getvalue()
                count += 1
            elif kind == "text":
                self.assertEqual(printed, block, f"line {line}")
                printed = None
        self.assertGreater(count, 15)


if __name__ == "__main__":
    unittest.main()
