"""`roost-conformance client`: plays the scenarios with the adapter of a client."""
from __future__ import annotations

import argparse
import concurrent.futures
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from typing import List, NoReturn, Tuple

from ..errors import EXIT_FAILED, EXIT_NO_INPUT, EXIT_USAGE, CommandError
from ..report import FAILED, NOT_TESTED, OK, Outcome, Report
from ..requirements import NotTested, Violation
from .adapter import Adapter, AdapterFailure, ClientError
from .checks import check_everything, check_traffic, traffic_lines
from .registry import Scenario, selected
from .world import PROFILES, Options, World

DESCRIPTION = """Tests a client of the Roost protocol: a scripted server with faults, and an adapter that drives the
client. Prints one line for each requirement of protocol.md, numbered by its section, and the requests that were sent
where one does not hold. Docs/conformance-client.md says how an adapter is written."""

EPILOG = """exit status:
  0 all requirements that were tested hold   1 some do not   64 wrong usage   66 the adapter does not start

examples:
  roost-conformance client -- Conformance/adapters/roost
  roost-conformance client --only 11.5 --only 6.3-2 -- node Conformance/adapters/javascript.ts
"""
JOBS = 4


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CommandError(EXIT_USAGE, f"{message}. Correct the arguments; --help has an example.")


def parser() -> argparse.ArgumentParser:
    result = _Parser("roost-conformance client", description=DESCRIPTION, epilog=EPILOG,
                     usage="roost-conformance client [options] -- COMMAND [ARGUMENT ...]",
                     formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--only", metavar="SECTION", action="append", default=[],
                        help="only requirements of a section, such as 6.3, or one, such as 6.3-2; may be repeated")
    result.add_argument("--profile", choices=PROFILES,
                        help="the profile to test; where it is left out, the one that the adapter names")
    result.add_argument("--json", action="store_true", help="print one JSON object a line")
    result.add_argument("--seed", type=int, metavar="NUMBER", help="repeat the random choices of an earlier run")
    result.add_argument("--jobs", type=int, default=JOBS, metavar="NUMBER",
                        help=f"scenarios that are played at the same time (default: {JOBS})")
    result.add_argument("--keep", metavar="FOLDER", help="keep the replicas and the adapters' errors in this folder")
    result.add_argument("--list", action="store_true", help="list the requirements, and start nothing")
    return result


def split(arguments: List[str]) -> Tuple[List[str], List[str]]:
    """The options, and the command behind the first `--`."""
    if "--" not in arguments:
        return arguments, []
    index = arguments.index("--")
    return arguments[:index], arguments[index + 1:]


def main(arguments: List[str]) -> int:
    own, command = split(arguments)
    options = parser().parse_args(own)
    chosen = selected(options.only)
    if not chosen:
        raise CommandError(EXIT_USAGE, f"no requirement begins with {' or '.join(options.only)}. "
                                       "Give a section of protocol.md, such as 6.3; --list has all.")
    if options.list:
        for item in chosen:
            print(f"{item.id:<8}  {item.text}  [{item.profile}]")
        return 0
    if not command:
        raise CommandError(EXIT_USAGE, "the command of the adapter is missing. Give it after \"--\", such as "
                                       "-- Conformance/adapters/roost.")
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    folder = options.keep or tempfile.mkdtemp(prefix="roost-conformance-")
    os.makedirs(folder, exist_ok=True)
    try:
        world_options = Options(command, folder, seed, options.profile or "")
        check_adapter(world_options)
        return run(world_options, chosen, Report(sys.stdout, options.json, seed), options.jobs)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


def check_adapter(options: Options) -> None:
    """Starts the adapter once, so that a wrong command is one error and not one for each requirement."""
    adapter = Adapter(options.command, os.path.join(options.folder, "hello.log"))
    try:
        answer = adapter.call("hello", version=1)
        if answer["profile"] not in PROFILES:
            raise KeyError(answer["profile"])
    except (AdapterFailure, ClientError, KeyError, TypeError) as error:
        raise CommandError(EXIT_NO_INPUT, f"the adapter \"{' '.join(options.command)}\" does not answer \"hello\": "
                                          f"{error} Docs/conformance-client.md describes the answer.") from error
    finally:
        adapter.kill()


def run(options: Options, chosen: List[Scenario], report: Report, jobs: int) -> int:
    """Plays the scenarios, some at a time, and reports them in the order of protocol.md."""
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
        for outcome in pool.map(lambda item: play(options, item), chosen):
            report.add(outcome)
    report.end(time.monotonic() - begin)
    return EXIT_FAILED if report.counts[FAILED] else 0


def play(options: Options, item: Scenario) -> Outcome:
    begin = time.monotonic()
    shutil.rmtree(os.path.join(options.folder, item.id), ignore_errors=True)
    world = World(options, item.id)
    world.needed = item.profile
    world.requests_max, world.renewals_max = item.requests_max, item.renewals_max
    world.expect_codes(*item.codes)
    outcome = Outcome(item, OK)  # type: ignore[arg-type]
    try:
        item.play(world)
        if item.is_checked:
            check_everything(world)
        else:
            check_traffic(world)
    except NotTested as reason:
        outcome = Outcome(item, NOT_TESTED, str(reason))  # type: ignore[arg-type]
    except (Violation, ClientError, AdapterFailure) as error:
        outcome = Outcome(item, FAILED, str(error), traffic_lines(world))  # type: ignore[arg-type]
    except Exception:  # a defect of the tester, which must not hide the other results
        outcome = Outcome(item, FAILED, "the tester failed: " + traceback.format_exc(),  # type: ignore[arg-type]
                          traffic_lines(world))
    finally:
        world.end()
    outcome.milliseconds = int((time.monotonic() - begin) * 1000)
    return outcome
