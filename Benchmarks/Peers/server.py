"""A peer's server as a process of its own, and connections to it that cost the peer as little as can be."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def program(name):
    """A program that was installed beside this Python."""
    return os.path.join(os.path.dirname(sys.executable), name)


class Server:
    """Runs `arguments` until the `with` ends; goes too if this process is killed."""

    def __init__(self, arguments, port, environment=None):
        self.port = port
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=os.environ | (environment or {}),
            preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))

    def __enter__(self):
        for _ in range(300):
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with status {self.process.returncode}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.1)
        self.__exit__()
        raise RuntimeError("the server did not begin to listen")

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def computed_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS:"))


class Connection:
    """HTTP/1.1 over one connection that stays open."""

    def __init__(self, port, headers=""):
        self.socket = socket.create_connection(("127.0.0.1", port), 120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.head = f"Host: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n{headers}"
        self.rest = b""

    def request(self, method, path, body=b""):
        """The body of the answer; anything but success is an error."""
        self.send(method, path, body)
        status, headers = self.answer_head()
        answer = self.answer_body(headers)
        if status >= 300:
            raise RuntimeError(f"{method} {path.split('?')[0]} was answered with {status}: {answer[:200]!r}")
        return answer

    def send(self, method, path, body=b""):
        head = f"{method} {path} HTTP/1.1\r\n{self.head}Content-Length: {len(body)}\r\n\r\n"
        self.socket.sendall(head.encode() + body)

    def answer_head(self):
        while (end := self.rest.find(b"\r\n\r\n")) < 0:
            self.rest += self.receive()
        lines = self.rest[:end].decode("latin-1").split("\r\n")
        self.rest = self.rest[end + 4:]
        headers = dict(line.lower().split(": ", 1) for line in lines[1:])
        return int(lines[0].split()[1]), headers

    def answer_body(self, headers):
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while piece := self.chunk():
                body += piece
            return body
        return self.exactly(int(headers.get("content-length", 0)))

    def chunk(self):
        while (end := self.rest.find(b"\r\n")) < 0:
            self.rest += self.receive()
        size = int(self.rest[:end], 16)
        self.rest = self.rest[end + 2:]
        piece = self.exactly(size)
        self.exactly(2)
        return piece

    def exactly(self, size):
        pieces, have = [self.rest], len(self.rest)
        while have < size:
            pieces.append(self.receive())
            have += len(pieces[-1])
        data = b"".join(pieces)
        self.rest = data[size:]
        return data[:size]

    def receive(self):
        data = self.socket.recv(1 << 18)
        if not data:
            raise RuntimeError("the server closed the connection")
        return data
