"""A real server, the pages of the tests and of Examples/WebList in front of it, and Chromium."""
import atexit, json, os, shutil, signal, subprocess, sys, tempfile, threading

CLIENT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(CLIENT))
EXAMPLE = os.path.join(ROOT, "Examples", "WebList")
sys.path.insert(0, EXAMPLE)
import serve

BIN = os.environ.get("ROOST_BIN", os.path.join(ROOT, ".build", "debug"))
BUILT = os.environ.get("ROOST_JAVASCRIPT", os.path.join(ROOT, ".build", "javascript", "dist"))
CHROMIUM = shutil.which("chromium-headless-shell")
ARGUMENTS = ["--no-sandbox", "--host-resolver-rules=MAP roost.example 127.0.0.1"]


def bundle(source, target):
    """Bundles a TypeScript module for a page."""
    subprocess.run(["esbuild", source, "--bundle", "--format=esm", "--target=es2022", "--log-level=warning",
                    f"--outfile={target}"], check=True)


class Stage:
    """One server with one scope, whose schema is that of Examples/WebList or another."""

    def __init__(self, schema=os.path.join(EXAMPLE, "list.schema.json"), environment=None):
        self.folder = tempfile.mkdtemp(prefix="roost-browser-")
        atexit.register(shutil.rmtree, self.folder, True)
        self.data = os.path.join(self.folder, "data")
        self.port = 0
        self.environment = {**os.environ, "ROOST_REQUESTS_PER_SECOND": "0", "ROOST_CHANGES_PER_HOUR_MAX": "0",
                            **(environment or {})}
        self.start()
        self.file = os.path.join(self.folder, "owner.roost")
        self.roost("init", self.file, "--schema", schema, "--server", self.roost_address, "--name", "Groceries",
                   "--admin-token-file", os.path.join(self.data, "admin-token"))
        pages = os.path.join(CLIENT, "browser")
        self.pages = serve.make(self.roost_address, os.path.join(BUILT, "roost.min.js"), 0, [pages, self.folder])
        threading.Thread(target=self.pages.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.pages.server_address[1]}"

    def start(self):
        self.process = subprocess.Popen(
            [os.path.join(BIN, "roost-server"), "serve", "--data", self.data, "--listen", f"127.0.0.1:{self.port}",
             "--log-level", "error"], stdout=subprocess.PIPE, env=self.environment, text=True)
        atexit.register(self.process.kill)
        line = self.process.stdout.readline()
        self.roost_address = line.split()[-1]
        self.port = int(self.roost_address.rsplit(":", 1)[1])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def end(self):
        self.pages.shutdown()
        self.stop()

    def roost(self, *words):
        return subprocess.run([os.path.join(BIN, "roost"), *words], check=True, capture_output=True, text=True).stdout

    def link(self, role="editor"):
        """An invite link by the address of the pages, which pass requests on."""
        reply = json.loads(self.roost("invite", self.file, "--role", role, "--json").splitlines()[0])
        return reply["link"].replace(self.roost_address, self.address)

    def shown(self):
        """The texts of the items as the roost program shows them after a sync."""
        self.roost("sync", self.file)
        lines = self.roost("fetch", self.file, "Item", "--json").splitlines()
        return sorted(json.loads(line)["content"] for line in lines)
