"""A proxy that changes requests and replies: servers with seeded bugs, made of a correct one."""
import http.client
import http.server
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading

from roost_conformance import jsontext

HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}


class Message:
    """A request or a reply on its way. A mutation changes its parts."""

    def __init__(self, method, path, headers, body, status=0):
        self.method, self.path, self.headers, self.body, self.status = method, path, headers, body, status

    @property
    def json(self):
        """The body as an object, or None where it is no JSON."""
        try:
            value = jsontext.parse(self.body)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None

    @json.setter
    def json(self, value):
        self.body = jsontext.write(value).encode()

    def token(self):
        return self.headers.get("authorization", "").partition(" ")[2]


class Mutation:
    """Base of the seeded bugs: passes everything on as it is."""

    def request(self, request):
        """Changes a request before it is sent on."""

    def reply(self, request, reply):
        """Changes a reply before it is sent back."""


class Proxy:
    """A proxy in front of a server, on a free port of this machine."""

    def __init__(self, port, mutation):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except (ConnectionError, TimeoutError):
                    self.close_connection = True

            def relay(self):
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(int(headers.get("content-length", 0)))
                request = Message(self.command, self.path, headers, body)
                mutation.request(request)
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=70)
                try:
                    sent = {name: value for name, value in request.headers.items() if name not in HOP}
                    has_body = bool(request.body) or "content-length" in headers
                    connection.request(request.method, request.path, request.body if has_body else None, sent)
                    response = connection.getresponse()
                    reply = Message(request.method, request.path, dict(response.getheaders()), response.read(),
                                    response.status)
                finally:
                    connection.close()
                mutation.reply(request, reply)
                self.send_response_only(reply.status)
                for name, value in reply.headers.items():
                    if name.lower() not in HOP:
                        self.send_header(name, value)
                if reply.status != 204:
                    self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_FANCY = relay

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class RoostServer:
    """A roost-server in a temporary folder, on a free port."""

    def __init__(self, **environment):
        here = os.path.dirname(os.path.abspath(__file__))
        folder = os.environ.get("ROOST_BIN") or os.path.join(here, "..", "..", ".build", "debug")
        program = os.path.join(folder, "roost-server")
        if not os.access(program, os.X_OK):
            raise FileNotFoundError(f"there is no {program}. Run \"swift build\", or set ROOST_BIN.")
        self.folder = tempfile.mkdtemp(prefix="conformance-")
        self.token_file = os.path.join(self.folder, "data", "admin-token")
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self.process = subprocess.Popen(
            [program, "serve", "--data", os.path.join(self.folder, "data"), "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=self.log, env={**os.environ, **environment})
        line = self.process.stdout.readline().decode().strip()
        if "http://" not in line:
            self.stop()
            raise RuntimeError(f"roost-server did not start: {line!r}")
        self.url = line[line.index("http://"):]
        self.port = int(self.url.rsplit(":", 1)[1])
        with open(self.token_file, encoding="utf-8") as file:
            self.admin_token = file.read().strip()
        # The files by which scripts/conformance --control finds the server.
        for name, text in (("url", self.url), ("pid", str(self.process.pid))):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text + "\n")

    def commands(self):
        """The commands of the operator, as the tester takes them."""
        here = os.path.dirname(os.path.abspath(__file__))
        script = os.path.join(here, "..", "..", "scripts", "conformance")
        return {name: f"{shlex.quote(script)} --control {name} {shlex.quote(self.folder)}"
                for name in ("kill", "restart", "backup", "restore", "put-back")}

    def stop(self):
        with open(os.path.join(self.folder, "pid"), encoding="utf-8") as file:
            pid = int(file.read())
        if pid != self.process.pid:  # a command has started it again
            os.kill(pid, signal.SIGTERM)
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
