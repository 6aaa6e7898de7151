"""`roost-conformance histories`: a fleet of clients behind a proxy with faults, until all show the same."""
from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
import time
from typing import List, NoReturn, Tuple

from ..errors import EXIT_USAGE, CommandError
from .histories import Fleet, play
from .server import RealServer

DESCRIPTION = """Plays random histories through several clients at once: they write, synchronise and are killed, behind
a proxy that loses, repeats and cuts off what passes. Every 40 rounds the faults end, and all clients and the server
must have one digest and show what the delete rules derive."""

EPILOG = """exit status:
  0 the fleet converged   1 it did not   64 wrong usage   66 a program does not start

example, two devices of each client:
  roost-conformance histories --rounds 200 -- Conformance/adapters/roost -- Conformance/adapters/roost \\
    -- node Conformance/adapters/javascript.ts -- node Conformance/adapters/javascript.ts
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CommandError(EXIT_USAGE, f"{message}. Correct the arguments; --help has an example.")


def parser() -> argparse.ArgumentParser:
    result = _Parser("roost-conformance histories", description=DESCRIPTION, epilog=EPILOG,
                     usage="roost-conformance histories [options] -- ADAPTER [ARGUMENT ...] [-- ADAPTER ...]",
                     formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--rounds", type=int, default=60, metavar="NUMBER", help="actions in all (default: 60)")
    result.add_argument("--seed", type=int, metavar="NUMBER", help="repeat the random choices of an earlier run")
    result.add_argument("--roost-server", metavar="PROGRAM",
                        help="the server's program (default: roost-server in the folder ROOST_BIN)")
    result.add_argument("--keep", metavar="FOLDER", help="keep the server's data and the replicas in this folder")
    return result


def split(arguments: List[str]) -> Tuple[List[str], List[List[str]]]:
    """The options, and a command behind each `--`."""
    own: List[str] = []
    commands: List[List[str]] = []
    for argument in arguments:
        if argument == "--":
            commands.append([])
        elif commands:
            commands[-1].append(argument)
        else:
            own.append(argument)
    return own, commands


def main(arguments: List[str]) -> int:
    own, commands = split(arguments)
    options = parser().parse_args(own)
    if not commands or not all(commands):
        raise CommandError(EXIT_USAGE, "the command of an adapter is missing. Give one after each \"--\".")
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    program = options.roost_server or os.path.join(os.environ.get("ROOST_BIN", ".build/debug"), "roost-server")
    folder = options.keep or tempfile.mkdtemp(prefix="roost-histories-")
    os.makedirs(folder, exist_ok=True)
    server = RealServer(program, folder)
    begin = time.monotonic()
    print(f"seed {seed}, {len(commands)} devices, {options.rounds} rounds", flush=True)
    try:
        server.start()
        fleet = Fleet(commands, folder, server, random.Random(seed))
        try:
            status = play(fleet, options.rounds, lambda line: print(line, flush=True))
        finally:
            fleet.end()
        print(f"{'converged' if status == 0 else 'did not converge'}, {time.monotonic() - begin:.1f} s, seed {seed}")
        return status
    finally:
        server.kill()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
