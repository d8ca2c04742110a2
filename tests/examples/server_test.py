#!/usr/bin/env python3
# Starts an example server and speaks to it as its clients do: server_test.py HEADWAY MODEL SERVER, where SERVER takes a
# model directory and a port. Clients at once get the bits of `headway embed`, requests that cannot be right get a status of
# 4xx, and SIGTERM ends the server with 0 when it has answered what had come. With HEADWAY_LONG_TESTS=1 also under load,
# by wrk.
import array
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TEXTS = [f"text {i} of the clients: " + "word " * (i * 7 % 60) for i in range(96)]
TEXTS += ["", "ä \u0000 \U0001f600", 'tab\tquote"']
CLIENTS = 12


def expected_vectors(headway, model):
    """Those of `headway embed`, which takes one text a line."""
    command = [headway, "embed", "--model", model, "--format", "jsonl"]
    result = subprocess.run(command, input="\n".join(TEXTS) + "\n", stdout=subprocess.PIPE, text=True, check=True)
    return [bits(json.loads(line)) for line in result.stdout.splitlines()]


def bits(numbers):
    return array.array("f", numbers).tobytes()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, command, model):
        self.port = free_port()
        self.process = subprocess.Popen([*command, model, str(self.port)])
        give_up = time.monotonic() + 120
        while True:
            try:
                assert self.ask("GET", "/health")[0] == 200
                return
            except OSError:
                assert self.process.poll() is None and time.monotonic() < give_up, "the server does not start"
                time.sleep(0.05)

    def ask(self, method, path, body=None, headers={}):
        """The status and the body of the answer, over a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def embed(self, texts):
        status, body = self.ask("POST", "/embed", json.dumps({"texts": texts}), {"Content-Type": "application/json"})
        assert status == 200, (status, body)
        return [bits(row) for row in json.loads(body)["embeddings"]]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        assert code == 0, f"SIGTERM ended the server with {code}"


def in_threads(count, work):
    """Calls work(0) ... work(count - 1) at once; raises what one of them raised."""
    errors = []

    def call(i):
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=call, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def check_vectors(server, expected):
    assert server.embed([]) == []
    assert server.embed(TEXTS) == expected

    def client(i):
        for first in range(i, len(TEXTS), CLIENTS):
            texts = TEXTS[first : first + 1 + i % 3]
            assert server.embed(texts) == expected[first : first + len(texts)]

    in_threads(CLIENTS, client)


# Bodies that no server can take for texts.
MALFORMED = [
    b"", b"{", b"[]", b"{}", b"[" * 100000,
    b'{"texts": "one"}', b'{"texts": [1]}', b'{"texts": [null, "a"]}', b'{"texts": ["a"]} b',
    b'{"texts": ["\xff"]}', b'{"texts": ["\\ud800"]}',
    json.dumps({"texts": ["a"] * 1001}).encode(), json.dumps({"texts": ["a" * (1 << 20)]}).encode(),
]


def check_refusals(server, expected):
    for body in MALFORMED:
        status, answer = server.ask("POST", "/embed", body, {"Content-Type": "application/json"})
        assert 400 <= status < 500 and answer, (body[:40], status, answer)
    status, _ = server.ask("GET", "/elsewhere")
    assert status == 404, status
    # A client that goes away in the middle of its request.
    with socket.create_connection(("127.0.0.1", server.port)) as gone:
        gone.sendall(b'POST /embed HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"texts": ["a')
    assert server.embed(TEXTS[:1]) == expected[:1]


def check_end(server, expected):
    """What had come before SIGTERM is answered."""
    answers = []
    asking = threading.Thread(target=lambda: answers.append(server.embed(TEXTS * 2)))
    asking.start()
    time.sleep(0.2)
    server.end()
    asking.join()
    assert answers == [expected * 2]


# Each request of wrk is the next text alone.
WRK_SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local next_text = 0
request = function()
  next_text = (next_text + 1) % #bodies
  return wrk.format(nil, "/embed", nil, bodies[next_text + 1])
end
"""


def check_load(server):
    if not shutil.which("wrk"):
        print("NOT TESTED: load. wrk is missing (Debian, Ubuntu: wrk).")
        return
    bodies = ", ".join(f"[==[{json.dumps({'texts': [text]})}]==]" for text in TEXTS)
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(f"local bodies = {{{bodies}}}{WRK_SCRIPT}")
        script.flush()
        for clients in (1, 2, 16, 64):
            command = ["wrk", "-t1", f"-c{clients}", "-d10s", "--timeout=30s", "--latency", "-s", script.name]
            command.append(f"http://127.0.0.1:{server.port}")
            result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            rate = re.search(r"Requests/sec: +([0-9.]+)", result.stdout)
            assert rate and float(rate[1]) > 0, result.stdout
            assert "Non-2xx" not in result.stdout and "Socket errors" not in result.stdout, result.stdout
            half = re.search(r"50% +(\S+)", result.stdout)
            print(f"{clients} clients, one text a request: {rate[1]} requests/s, half of them within {half[1]}")


def check_server(command, model, expected):
    """`expected`: the bits of the vectors of TEXTS."""
    assert len(set(expected)) == len(TEXTS)
    server = Server(command, model)
    try:
        check_vectors(server, expected)
        check_refusals(server, expected)
        if os.environ.get("HEADWAY_LONG_TESTS") == "1":
            check_load(server)
        check_end(server, expected)
    finally:
        server.process.kill()


if __name__ == "__main__":
    headway, model, *command = sys.argv[1:]
    check_server(command, model, expected_vectors(headway, model))
