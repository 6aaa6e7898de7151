#!/usr/bin/env python3
"""Serves this page, and passes /v1/ on to a Roost server: for trying it on one machine. Use a real proxy elsewhere.

    serve.py SERVER MODULE [PORT]      serve.py http://127.0.0.1:8787 .build/javascript/dist/roost.min.js 8080
"""
import http.client, http.server, os, sys, urllib.parse

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".map": "application/json"}
HOPS = {"connection", "keep-alive", "transfer-encoding", "content-length", "host"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_address_of_roost = ("127.0.0.1", 8787)
    folders = [os.path.dirname(os.path.abspath(__file__))]
    module = None

    def answer(self, status, headers, body):
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in HOPS:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        connection = http.client.HTTPConnection(*self.server_address_of_roost, timeout=90)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOPS}
            connection.request(self.command, self.path, body or None, headers)
            reply = connection.getresponse()
            self.answer(reply.status, reply.getheaders(), reply.read())
        except OSError:
            self.answer(502, [("Content-Type", "text/plain")], b"The Roost server does not answer.\n")
        finally:
            connection.close()

    def file(self):
        name = os.path.basename(urllib.parse.urlsplit(self.path).path) or "index.html"
        places = [os.path.join(folder, name) for folder in self.folders]
        if name in ("roost.min.js", "roost.min.js.map") and self.module:
            places.insert(0, os.path.join(os.path.dirname(self.module), name))
        kind = TYPES.get(os.path.splitext(name)[1])
        for place in places:
            if kind and os.path.isfile(place):
                with open(place, "rb") as file:
                    policy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'"
                    return self.answer(200, [("Content-Type", kind), ("Cache-Control", "no-store"),
                                             ("Content-Security-Policy", policy)], file.read())
        self.answer(404, [("Content-Type", "text/plain")], b"There is no such file.\n")

    def handle_request_of_any_method(self):
        try:
            self.forward() if self.path.startswith("/v1/") else self.file()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_DELETE = handle_request_of_any_method

    def log_message(self, *_):
        pass


class Pages(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Keeps quiet about browsers that close their connection."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def make(server, module, port=0, folders=()):
    """Makes the server of this page; `serve_forever` runs it."""
    address = urllib.parse.urlsplit(server)
    attributes = {"server_address_of_roost": (address.hostname, address.port or 80), "module": os.path.abspath(module),
                  "folders": Handler.folders + list(folders)}
    return Pages(("127.0.0.1", port), type("Configured", (Handler,), attributes))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    served = make(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) == 4 else 8080)
    print(f"http://127.0.0.1:{served.server_address[1]}/", flush=True)
    try:
        served.serve_forever()
    except KeyboardInterrupt:
        pass
