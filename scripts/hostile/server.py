"""A server of HTTP/2 over TLS that breaks the protocol in every way that attacks.py names.

    server.py CONTROL_PORT CERTIFICATE KEY

Tests talk to the control port, over HTTP/1.1:

    /ready                           answers once the server runs
    /listen?greeting=NAME            opens a port whose connections begin with this greeting: {"port": …}
    /release?port=P                  does what was held back there
    /journal?port=P                  what that port has seen
    /close?port=P                    ends its connections

On the opened port the first part of a request's path names the attack.
"""

import json
import socket
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from attacks import ATTACKS, GREETINGS
from connection import Connection


class Listener:
    """One port, and the journal of what came in there."""

    def __init__(self, context, greeting):
        self.greeting, self.on_data = GREETINGS[greeting]
        self.context = context
        self.is_released = False
        self.is_closed = False
        self.connections = 0
        self.released = 0
        self.requests = []
        self.resets = []
        self.departures = []
        self.acknowledged = 0
        self.received = 0
        self.pushed = 0
        self.sockets = []
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            self.sockets.append(client)
            threading.Thread(target=self.serve, args=(client, self.connections), daemon=True).start()

    def serve(self, client, number):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        secure = client
        try:
            secure = self.context.wrap_socket(client, server_side=True)
            self.sockets.append(secure)
            Connection(secure, self, number).run()
        except OSError:
            pass
        finally:
            secure.close()

    def attack(self, name):
        return ATTACKS[name]

    def note(self, connection, stream):
        self.requests.append(
            {
                "connection": connection.number,
                "stream": stream.number,
                "method": stream.method,
                "path": stream.path,
            }
        )

    def journal(self):
        return {
            "connections": self.connections,
            "released": self.released,
            "requests": self.requests,
            "resets": self.resets,
            "departures": self.departures,
            "acknowledged": self.acknowledged,
            "received": self.received,
            "pushed": self.pushed,
        }

    def close(self):
        self.is_closed = True
        # Closing alone would leave the thread in accept().
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for one in self.sockets:
            try:
                socket.socket.shutdown(one, socket.SHUT_RDWR)
            except OSError:
                pass


class Control(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and content go out together: the client would acknowledge the first late.
    wbufsize = -1
    listeners = {}
    context = None

    def do_GET(self):
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        listener = self.listeners.get(int(query.get("port", 0)))
        if url.path == "/ready":
            self.answer({})
        elif url.path == "/listen":
            listener = Listener(self.context, query["greeting"])
            self.listeners[listener.port] = listener
            self.answer({"port": listener.port})
        elif listener is None:
            self.send_error(404)
        elif url.path == "/release":
            listener.is_released = True
            self.answer({})
        elif url.path == "/journal":
            self.answer(listener.journal())
        elif url.path == "/close":
            del self.listeners[listener.port]
            listener.close()
            self.answer({})

    def answer(self, value):
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


def main(port, certificate, key):
    Control.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    Control.context.load_cert_chain(certificate, key)
    Control.context.set_alpn_protocols(["h2"])
    ThreadingHTTPServer(("127.0.0.1", int(port)), Control).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
