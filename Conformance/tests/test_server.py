"""The tester of servers against a correct server, and against servers with seeded bugs."""
import contextlib
import http.server
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]

import mutations  # noqa: E402
from proxy import Mutation, Proxy, RoostServer  # noqa: E402
from roost_conformance import cli, requirements, server  # noqa: E402
from roost_conformance.actors import Run, Target  # noqa: E402
from roost_conformance.report import FAILED, OK, Report  # noqa: E402
from roost_conformance.wire import Server  # noqa: E402

PROGRAM = os.path.join(HERE, "..", "roost-conformance")


def setUpModule():
    global roost
    roost = RoostServer(ROOST_UNAUTHENTICATED_PER_MINUTE="0")


def tearDownModule():
    roost.stop()


def target(url):
    with contextlib.closing(Server(roost.url)) as direct:
        limits = direct.request("GET", "/v1/version").json()["limits"]
    return Target(url, roost.admin_token, seed=1, limits=limits)


def check(url, name):
    item = next(item for item in requirements.requirements() if item.id == name)
    return server.check(target(url), item)


class Result(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def run(*arguments):
    """Runs the command in this process: starting Python for each takes seconds on a busy machine."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            status = cli.main(list(arguments))
        except SystemExit as end:  # --help
            status = end.code
    return Result(status, output.getvalue(), errors.getvalue())


class SeededBugs(unittest.TestCase):
    def test_each_is_caught_by_the_requirement_that_names_it(self):
        self.assertGreaterEqual(len(mutations.ALL), 10)
        for bug in mutations.ALL:
            with Proxy(roost.port, bug()) as proxy:
                for name in bug.caught_by:
                    with self.subTest(bug=bug.__name__, requirement=name):
                        outcome = check(proxy.url, name)
                        self.assertEqual(outcome.result, FAILED)
                        self.assertTrue(outcome.reason and outcome.exchanges)

    def test_none_is_found_where_there_is_none(self):
        names = {name for bug in mutations.ALL for name in bug.caught_by}
        names.remove("3-20")  # also sends what is no HTTP, which the proxy answers itself
        with Proxy(roost.port, Mutation()) as proxy:
            for name in sorted(names):
                with self.subTest(requirement=name):
                    outcome = check(proxy.url, name)
                    self.assertEqual((outcome.result, outcome.reason), (OK, ""))


class Operator(unittest.TestCase):
    """Requirements that restart and restore a server of their own."""

    @classmethod
    def setUpClass(cls):
        cls.own = RoostServer(ROOST_UNAUTHENTICATED_PER_MINUTE="0")

    @classmethod
    def tearDownClass(cls):
        cls.own.stop()

    def outcome(self, url, name, commands):
        item = next(item for item in requirements.requirements() if item.id == name)
        target_ = target(url)
        target_.admin_token, target_.commands = self.own.admin_token, commands
        return server.check(target_, item)

    def test_seeded_bugs_are_caught(self):
        for bug in mutations.OPERATED:
            for mutation, result in ((Mutation(), OK), (bug(), FAILED)):
                with Proxy(self.own.port, mutation) as proxy:
                    for name in bug.caught_by:
                        with self.subTest(bug=bug.__name__, requirement=name, result=result):
                            outcome = self.outcome(proxy.url, name, self.own.commands())
                            self.assertEqual(outcome.result, result, outcome.reason)

    def test_a_command_that_fails_or_is_missing_tests_nothing(self):
        outcome = self.outcome(self.own.url, "6.1-2", {"kill": "echo no such server >&2; exit 3"})
        self.assertEqual((outcome.result, outcome.reason), ("not tested", "--kill ends with status 3: no such server"))
        outcome = self.outcome(self.own.url, "6.1-2", {})
        self.assertEqual((outcome.result, outcome.reason), ("not tested", "needs --kill"))


class Nonsense(Mutation):
    """Answers everything but the making of scopes with one body."""

    def __init__(self, body):
        self.body = body

    def reply(self, request, reply):
        if request.path != "/v1/scopes":
            reply.body = self.body
            reply.headers["Content-Encoding"] = "gzip" if self.body.startswith(b"\x1f") else "identity"


class Robustness(unittest.TestCase):
    def test_replies_of_any_form_are_violations(self):
        names = ["3-2", "3-13", "5.1-4", "5.2-6", "5.6-2", "6.2-7", "6.4-2", "6.8-1", "7.2-1", "7.5-2", "8.2-3",
                 "8.3-3", "8.5-1"]
        for body in (b"", b"[]", b"{}", b"null", b'{"records":[5],"devices":[[]],"invites":{}}', b"\x1f\x8b", b"\xff"):
            with Proxy(roost.port, Nonsense(body)) as proxy:
                for name in names:
                    with self.subTest(body=body, requirement=name):
                        self.assertEqual(check(proxy.url, name).result, FAILED)


class CommandLine(unittest.TestCase):
    def test_one_section_of_a_correct_server(self):
        result = run("server", roost.url, "--admin-token-file", roost.token_file, "--only", "6.3", "--seed", "7")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        lines = result.stdout.splitlines()
        self.assertIn("6.3-2     a repeated push gets the same bytes, and changes nothing  ok", lines)
        self.assertTrue(all(line.startswith("6.3-") for line in lines[:-1]))
        self.assertRegex(lines[-1], r"^\d+ ok, 0 failed, 1 not tested, [\d.]+ s, seed 7$")

    def test_json(self):
        result = run("server", roost.url, "--admin-token-file", roost.token_file, "--only", "6.3-2", "--json")
        first, last = map(json.loads, result.stdout.splitlines())
        self.assertEqual((first["requirement"], first["section"], first["result"]), ("6.3-2", "6.3", "ok"))
        self.assertEqual((last["summary"]["ok"], last["summary"]["failed"]), (1, 0))

    def test_a_failure_shows_what_was_sent_and_received(self):
        with Proxy(roost.port, mutations.ForkIsABadRequest()) as proxy:
            result = run("server", proxy.url, "--admin-token-file", roost.token_file, "--only", "6.3-3")
        self.assertEqual(result.returncode, 1)
        self.assertIn("6.3-3     the number of the last push with other bytes is replica_forked  FAILED", result.stdout)
        self.assertIn("the answer is 400 replica_forked, expected 409 replica_forked", result.stdout)
        self.assertRegex(result.stdout, r"sent      POST /v1/push .*\"number\":1")
        self.assertRegex(result.stdout, r"received  400 \{\"error\"")
        self.assertRegex(result.stdout, r"again: --seed \d+ --only 6.3-3")
        self.assertNotRegex(result.stdout, r"roost_[da]_\w{10}")

    def test_help(self):
        for arguments in (["--help"], ["server", "--help"]):
            result = run(*arguments)
            self.assertEqual(result.returncode, 0)
            self.assertIn("example:\n  roost-conformance server http://", result.stdout)

    def test_the_program_runs_from_any_folder(self):
        result = subprocess.run([PROGRAM, "server", "--list", "--only", "4"], capture_output=True, text=True, cwd="/")
        self.assertEqual((result.returncode, len(result.stdout.splitlines())), (0, 2), result.stderr)

    def test_list_needs_no_server(self):
        result = run("server", "--list", "--only", "6")
        self.assertEqual(result.returncode, 0)
        self.assertIn("6.3-2     a repeated push gets the same bytes, and changes nothing\n", result.stdout)

    def test_bad_arguments(self):
        file = roost.token_file
        for arguments, words in (
                ([], ["usage: roost-conformance server URL"]), (["serve"], ['"serve" is no subcommand', '"server"']),
                (["server"], ["URL is missing"]), (["server", roost.url], ["--admin-token-file is missing"]),
                (["server", "nowhere", "--admin-token-file", file], ['"nowhere" is no URL', "http://127.0.0.1:8787"]),
                (["server", "http://x:y", "--admin-token-file", file], ["is no URL of a server"]),
                (["server", roost.url, "--admin-token-file", file, "--only", "6.33"],
                 ["no requirement begins with 6.33"]),
                (["server", roost.url, "--admin-token-file", file, "--seed", "x"],
                 ["--seed", "'x'", "Correct the arg"]),
                (["server", roost.url, "--later"], ["--later"])):
            with self.subTest(arguments=arguments):
                result = run(*arguments)
                self.assertEqual(result.returncode, 64, result.stderr)
                for word in words:
                    self.assertIn(word, result.stderr + result.stdout)

    def test_a_token_file_that_cannot_be_read(self):
        with tempfile.NamedTemporaryFile() as empty:
            for path, word in (("/nowhere/admin-token", "No such file"), (empty.name, "has no admin token"),
                               (os.path.dirname(empty.name), "directory")):
                result = run("server", roost.url, "--admin-token-file", path)
                self.assertEqual(result.returncode, 66)
                self.assertIn(word, result.stderr)
                self.assertIn('"admin-token" of the server\'s folder', result.stderr)

    def test_a_server_that_cannot_be_reached(self):
        result = run("server", "http://127.0.0.1:9", "--admin-token-file", roost.token_file)
        self.assertEqual(result.returncode, 69)
        self.assertIn("cannot reach http://127.0.0.1:9", result.stderr)
        self.assertIn("Start the server, or correct the URL.", result.stderr)

    def test_a_server_of_something_else(self):
        handler = http.server.SimpleHTTPRequestHandler
        handler.log_message = lambda *_: None
        other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=other.serve_forever, args=(0.05,), daemon=True).start()
        url = f"http://127.0.0.1:{other.server_address[1]}"
        result = run("server", url, "--admin-token-file", roost.token_file)
        other.shutdown()
        other.server_close()
        self.assertEqual(result.returncode, 69)
        self.assertIn(f"{url} answers GET /v1/version with 404, and not as a Roost server", result.stderr)

    def test_a_wrong_admin_token(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("roost_a_" + "0" * 36)
            file.flush()
            result = run("server", roost.url, "--admin-token-file", file.name)
        self.assertEqual(result.returncode, 77)
        self.assertIn("refuses the admin token in", result.stderr)
        self.assertNotIn("roost_a_0", result.stderr)


class Registry(unittest.TestCase):
    def test_numbers_have_no_gaps(self):
        sections = {}
        for item in requirements.requirements():
            sections.setdefault(item.section, []).append(item.number)
        for section, numbers in sections.items():
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)), section)

    def test_a_prefix_selects_whole_parts_of_a_number(self):
        ids = [item.id for item in requirements.selected(["6.3-1", "7.4"])]
        self.assertEqual([name for name in ids if not name.startswith("7.4-")], ["6.3-1"])
        self.assertGreater(len(ids), 5)
        self.assertEqual({item.section.split(".")[0] for item in requirements.selected(["1"])}, set())

    def test_a_seed_repeats_the_random_choices(self):
        first, second, other = (Run(Target("http://x", "", seed), "6.3-2").identifier() for seed in (1, 1, 2))
        self.assertEqual(first, second)
        self.assertNotEqual(first, other)

    def test_an_error_of_a_check_is_an_error_of_the_tester(self):
        item = requirements.Requirement("6.3", 99, "a check with a bug", lambda run: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            server.run(target(roost.url), [item], Report(io.StringIO(), False, 1))


if __name__ == "__main__":
    unittest.main()
