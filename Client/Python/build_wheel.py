#!/usr/bin/env python3
"""Builds the wheel of the package, with the standard library alone.

    build_wheel.py LIBRARY FOLDER    writes FOLDER/roost-VERSION-py3-none-linux_x86_64.whl, and prints its path

LIBRARY is the file of libroost that the wheel contains. The same sources give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TAG = "py3-none-linux_x86_64"
METADATA = """\
Metadata-Version: 2.1
Name: roost
Version: {version}
Summary: Records that a group shares, on every member's device, in a file that works without a server
Requires-Python: >=3.9
License: {license}
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

"""
WHEEL = f"Wheel-Version: 1.0\nGenerator: build_wheel.py\nRoot-Is-Purelib: false\nTag: {TAG}\n"


def version() -> str:
    """Return the version of this release."""
    text = (HERE / "../../Sources/RoostModel/RoostRelease.swift").read_text(encoding="utf-8")
    found = re.search(r'static let version = "(.+)"', text)
    if found is None:
        sys.exit("build_wheel: RoostRelease.swift has no version.")
    return found.group(1)


def license_name() -> str:
    """Return the name of the license, from its first line."""
    line = (HERE / "../../LICENSE").read_text(encoding="utf-8").strip().splitlines()[0]
    return line.removesuffix("License").strip()


def build(library: Path, folder: Path) -> Path:
    """Write the wheel."""
    number = version()
    information = f"roost-{number}.dist-info"
    metadata = METADATA.format(version=number, license=license_name())
    files: dict[str, bytes] = {
        f"roost/{path.name}": path.read_bytes()
        for path in sorted((HERE / "roost").iterdir())
        if path.suffix == ".py" or path.name == "py.typed"
    }
    files["roost/libroost.so"] = library.read_bytes()
    files[f"{information}/METADATA"] = (metadata + (HERE / "README.md").read_text(encoding="utf-8")).encode()
    files[f"{information}/WHEEL"] = WHEEL.encode()
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    lines.append(f"{information}/RECORD,,")
    files[f"{information}/RECORD"] = ("\n".join(lines) + "\n").encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"roost-{number}-{TAG}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, content)
    return path


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("build_wheel: expected the library and a folder.")
    print(build(Path(sys.argv[1]), Path(sys.argv[2])))
