"""`roost-conformance server`: runs the checks against a server."""
from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import random
import struct
import sys
import time
import urllib.parse
import zlib
from typing import List, NoReturn, Optional

from .actors import Run, Target
from .errors import EXIT_FAILED, EXIT_NO_INPUT, EXIT_NO_PERMISSION, EXIT_UNAVAILABLE, EXIT_USAGE, CommandError
from .errors import FormatError
from .report import FAILED, NOT_TESTED, OK, Outcome, Report
from .requirements import NotTested, Requirement, Violation, selected
from .wire import JSON, PROTOBUF, NetworkError, Reply, Server, redacted

DESCRIPTION = """Tests a Roost server from outside: each MUST and MUST NOT of protocol.md, and what else it says of a
server. Prints one line for each requirement, numbered by its section, and what was sent and received where one does
not hold. It makes scopes of its own, and touches no other scope."""

EPILOG = """exit status:
  0 all requirements that were tested hold   1 some do not   64 wrong usage
  66 the file of the admin token cannot be read   69 no Roost server answers
  77 the server refuses the admin token

example:
  roost-conformance server http://127.0.0.1:8787 --admin-token-file /var/lib/roost/admin-token --only 6.3
"""
OPERATOR = {
    "kill": "a shell command that kills the server, and starts it again at its address: tests what survives",
    "restart": "a shell command that stops the server in order, and starts it again at its address: tests purges",
    "backup": "a shell command that backs up the server's data",
    "restore": "a shell command that restores that backup, as the server's manual says: tests recovery",
    "put-back": "a shell command that puts that backup in the place of the server's data by hand",
}
WORKERS = 4
UNREADABLE = (FormatError, KeyError, TypeError, ValueError, IndexError, AttributeError, StopIteration, AssertionError,
              EOFError, OSError, struct.error, zlib.error)
"""Errors of a check that reads a reply of a form that no server may give."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CommandError(EXIT_USAGE, f"{message}. Correct the arguments; --help has an example.")


def parser() -> argparse.ArgumentParser:
    result = _Parser("roost-conformance server", description=DESCRIPTION, epilog=EPILOG,
                     formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("url", metavar="URL", nargs="?", help="the server, such as http://127.0.0.1:8787")
    result.add_argument("--admin-token-file", metavar="FILE", help="the file with the server's admin token")
    result.add_argument("--only", metavar="SECTION", action="append", default=[],
                        help="only requirements of a section, such as 6.3, or one, such as 6.3-2; may be repeated")
    result.add_argument("--json", action="store_true", help="print one JSON object a line")
    result.add_argument("--seed", type=int, metavar="NUMBER", help="repeat the random choices of an earlier run")
    result.add_argument("--lock-out", action="store_true",
                        help="also test limits after which the server refuses this address for a minute or more")
    for name, text in OPERATOR.items():
        result.add_argument(f"--{name}", metavar="COMMAND", help=text)
    result.add_argument("--list", action="store_true", help="list the requirements, and send nothing")
    return result


def main(arguments: List[str]) -> int:
    options = parser().parse_args(arguments)
    chosen = selected(options.only)
    if not chosen:
        raise CommandError(EXIT_USAGE, f"no requirement begins with {' or '.join(options.only)}. "
                                       "Give a section of protocol.md, such as 6.3; --list has all.")
    if options.list:
        for item in chosen:
            print(f"{item.id:<8}  {item.text}" + (f"  not tested: {item.reason}" if item.reason else ""))
        return 0
    if not options.url or not options.admin_token_file:
        missing = "URL" if not options.url else "--admin-token-file"
        raise CommandError(EXIT_USAGE, f"{missing} is missing. Give the server's URL, and the file of its admin token, "
                                       "which is \"admin-token\" in the server's folder.")
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    target = Target(_checked_url(options.url), _read_token(options.admin_token_file), seed, locks_out=options.lock_out)
    commands = {name: getattr(options, name.replace("-", "_")) for name in OPERATOR}
    target.commands = {name: command for name, command in commands.items() if command}
    _connect(target, options.admin_token_file)
    return run(target, chosen, Report(sys.stdout, options.json, seed))


def run(target: Target, chosen: List[Requirement], report: Report) -> int:
    """Runs the checks on several threads, reported in the order of protocol.md, those that hinder others last."""
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for outcome in pool.map(lambda item: check(target, item), [item for item in chosen if not item.last]):
            report.add(outcome)
    for item in sorted((item for item in chosen if item.last), key=lambda item: item.last):
        report.add(check(target, item))
    report.end(time.monotonic() - begin)
    return EXIT_FAILED if report.counts[FAILED] else 0


def check(target: Target, item: Requirement) -> Outcome:
    """Runs the check of a requirement, in each encoding where it is for both."""
    begin = time.monotonic()
    if item.check is None:
        return Outcome(item, NOT_TESTED, item.reason)
    outcome = Outcome(item, OK)
    for encoding in (JSON, PROTOBUF) if item.both else (JSON,):
        context = Run(target, item.id, encoding)
        prefix = f"in {encoding}: " if item.both else ""
        try:
            item.check(context)
        except NotTested as skipped:
            outcome = Outcome(item, NOT_TESTED, str(skipped))
        except Violation as violation:
            outcome = Outcome(item, FAILED, redacted(prefix + str(violation)),
                              exchanges(context.server, violation.reply))
        except NetworkError as error:
            outcome = Outcome(item, FAILED, redacted(f"{prefix}{error}"), exchanges(context.server, None))
        except UNREADABLE as error:
            reason = f"{prefix}the reply has another form: {type(error).__name__}: {error}"
            outcome = Outcome(item, FAILED, redacted(reason), exchanges(context.server, None))
        finally:
            context.server.close()
        if outcome.result != OK:
            break
    outcome.milliseconds = int((time.monotonic() - begin) * 1000)
    return outcome


def exchanges(server: Server, reply: Optional[Reply]) -> List[str]:
    """The last two exchanges up to the one that shows the violation."""
    items = server.exchanges
    end = next((index for index, item in enumerate(items) if reply is not None and item.reply is reply), len(items) - 1)
    return [line for item in items[max(0, end - 1):end + 1] for line in item.lines()]


def _checked_url(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    try:
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_usable = False
    if not is_usable or parts.query or parts.fragment:
        raise CommandError(EXIT_USAGE, f"\"{url}\" is no URL of a server. Give its scheme, host and port, such as "
                                       "http://127.0.0.1:8787.")
    return url


def _read_token(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            token = file.read(1000).strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise CommandError(EXIT_NO_INPUT, f"cannot read the admin token in \"{path}\": {reason}. Give the file "
                                          "\"admin-token\" of the server's folder.") from error
    if not token or len(token.split()) != 1:
        raise CommandError(EXIT_NO_INPUT, f"\"{path}\" has no admin token: it is empty, or has several words. Give the "
                                          "file \"admin-token\" of the server's folder.")
    return token


def _connect(target: Target, path: str) -> None:
    """Reads the limits of the server, and tries the admin token."""
    with contextlib.closing(Server(target.url, timeout=10)) as server:
        _read_limits(server, target)
        # A scope without a schema is refused after the token is looked at, so that nothing is made.
        reply = server.request("POST", "/v1/scopes", target.admin_token, {})
    if reply.status == 401:
        raise CommandError(EXIT_NO_PERMISSION,
                           f"{target.url} refuses the admin token in \"{path}\": {reply.code}. Give "
                                               "the file \"admin-token\" of that server's folder.")
    if reply.status == 429:
        raise CommandError(EXIT_UNAVAILABLE, f"{target.url} refuses requests of this address for "
                                             f"{reply.error.get('retryAfter')} s: it got too many without a valid "
                                             "token. Try again then.")


def _read_limits(server: Server, target: Target) -> None:
    try:
        reply = server.request("GET", "/v1/version")
    except NetworkError as error:
        raise CommandError(EXIT_UNAVAILABLE, f"cannot reach {target.url}: {error.__cause__}. Start the server, or "
                                             "correct the URL.") from error
    try:
        limits = reply.json()["limits"]
        target.limits = {name: int(value) for name, value in limits.items()}
    except (FormatError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise CommandError(EXIT_UNAVAILABLE, f"{target.url} answers GET /v1/version with {reply.status}, and not as a "
                                             "Roost server of version 1. Correct the URL.") from error
