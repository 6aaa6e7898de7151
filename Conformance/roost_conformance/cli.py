"""The command line: `roost-conformance server` and `roost-conformance client`."""
from __future__ import annotations

import sys
from typing import List, Optional

from .errors import EXIT_USAGE, CommandError

HELP = """Tests programs that speak the Roost protocol (protocol.md), from outside.

usage: roost-conformance server URL --admin-token-file FILE [options]
       roost-conformance client [options] -- COMMAND [ARGUMENT ...]
       roost-conformance histories [options] -- COMMAND [ARGUMENT ...] [-- COMMAND ...]

  server    tests a server: one numbered line for each requirement of protocol.md
  client    tests a client: a scripted server with faults, and an adapter that drives the client
  histories  plays random histories through several clients at once, against a real server

Each subcommand prints its options with --help.

example:
  roost-conformance server http://127.0.0.1:8787 --admin-token-file /var/lib/roost/admin-token --only 6.3
"""


def run(arguments: List[str]) -> int:
    """Runs a subcommand and returns its exit status."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0 if arguments else EXIT_USAGE
    name, rest = arguments[0], arguments[1:]
    # Each subcommand loads its own modules only.
    if name == "server":
        from . import server
        return server.main(rest)
    if name == "client":
        from .client import main as client
        return client.main(rest)
    if name == "histories":
        from .fleet import main as fleet
        return fleet.main(rest)
    raise CommandError(EXIT_USAGE, f"\"{name}\" is no subcommand. Give \"server\", \"client\" or \"histories\"; "
                                   "--help describes each.")


def main(arguments: Optional[List[str]] = None) -> int:
    """The entry point of the program: prints the error of a command to standard error."""
    try:
        return run(sys.argv[1:] if arguments is None else arguments)
    except CommandError as error:
        print(f"roost-conformance: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        print("roost-conformance: interrupted", file=sys.stderr)
        return 130
