"""One HTTP/2 connection of the hostile server: reads what the client sends, writes whatever an attack asks for."""

import select
import time

from hpack import Decoder, Encoder
from hyperframe.frame import (
    ContinuationFrame,
    DataFrame,
    Frame,
    GoAwayFrame,
    HeadersFrame,
    PingFrame,
    RstStreamFrame,
    SettingsFrame,
)

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

# Frame types and flags (RFC 9113 §6).
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM = ACK = 0x1
END_HEADERS = 0x4


def frame(kind, flags=0, stream=0, payload=b""):
    """The bytes of any frame, allowed or not."""
    head = len(payload).to_bytes(3, "big") + bytes([kind, flags]) + (stream & 0x7FFFFFFF).to_bytes(4, "big")
    return head + payload


class Stream:
    """A request of the client."""

    def __init__(self, number, method, path):
        self.number = number
        self.method = method
        self.path = path
        self.name = path.split("?")[0].strip("/")
        self.body = 0
        self.is_started = False


class Connection:
    """Serves one client on the thread that runs it."""

    def __init__(self, socket, listener, number):
        self.socket = socket
        self.listener = listener
        self.number = number
        self.encoder = Encoder()
        self.decoder = Decoder()
        self.streams = {}
        self.held = []
        self.is_answering = True
        self.block = b""

    # What an attack uses.

    def block_of(self, *fields):
        """A header block of fields, encoded without Huffman codes."""
        return self.encoder.encode(fields, huffman=False)

    def send(self, *frames):
        """Sends frames, given as bytes or as hyperframe's objects, in one piece."""
        self.socket.sendall(b"".join(one if isinstance(one, bytes) else one.serialize() for one in frames))

    def head(self, stream, *fields, status=200, length=None, ends=False):
        """A response's head."""
        named = [(":status", str(status))] + ([("content-length", str(length))] if length is not None else [])
        flags = END_HEADERS | (END_STREAM if ends else 0)
        return frame(HEADERS, flags, stream.number, self.block_of(*named, *fields))

    def data(self, stream, content, ends=False):
        """A piece of content."""
        return frame(DATA, END_STREAM if ends else 0, stream.number, content)

    def reset(self, stream, code):
        return RstStreamFrame(stream.number, error_code=code)

    def go_away(self, last, code=0):
        return GoAwayFrame(0, last_stream_id=last, error_code=code)

    def answer(self, stream, text=b"ok"):
        """A correct response."""
        self.send(self.head(stream, length=len(text)), self.data(stream, text, ends=True))

    def pause(self, milliseconds=20):
        """Lets what was sent arrive by itself."""
        time.sleep(milliseconds / 1000)

    def flood(self, chunk, seconds=60.0):
        """Sends the same bytes again and again, and reads nothing."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and not self.listener.is_closed:
            self.socket.sendall(chunk)
            self.listener.pushed += len(chunk)

    def close(self):
        """Ends the connection at once."""
        raise ConnectionAbortedError

    # What a server does.

    def run(self):
        if self.read(len(PREFACE)) != PREFACE:
            return
        self.listener.greeting(self)
        waiting = select.poll()
        waiting.register(self.socket, select.POLLIN)
        while True:
            if self.held and self.listener.is_released:
                for act in self.held:
                    act()
                    self.listener.released += 1
                self.held = []
            if self.socket.pending() or waiting.poll(10):
                self.take()

    def read(self, count):
        content = b""
        while len(content) < count:
            piece = self.socket.recv(count - len(content))
            if not piece:
                raise ConnectionResetError
            content += piece
        return content

    def take(self):
        """Reads a frame and does what follows from it."""
        one, length = Frame.parse_frame_header(memoryview(self.read(9)))
        one.parse_body(memoryview(self.read(length)))
        if isinstance(one, (HeadersFrame, ContinuationFrame)):
            self.block += one.data
            if "END_HEADERS" in one.flags:
                fields = dict(self.decoder.decode(self.block))
                self.block = b""
                stream = Stream(one.stream_id, fields[":method"], fields[":path"])
                self.streams[one.stream_id] = stream
                self.listener.note(self, stream)
                if stream.name.startswith("early-") or "END_STREAM" in one.flags:
                    self.start(stream)
        elif isinstance(one, DataFrame) and one.stream_id in self.streams:
            stream = self.streams[one.stream_id]
            stream.body += len(one.data)
            self.listener.received += len(one.data)
            self.listener.on_data(self, stream, len(one.data))
            if "END_STREAM" in one.flags:
                self.start(stream)
        elif isinstance(one, SettingsFrame):
            if "ACK" in one.flags:
                self.listener.acknowledged += 1
            elif self.is_answering:
                self.send(SettingsFrame(0, flags=["ACK"]))
        elif isinstance(one, PingFrame) and "ACK" not in one.flags and self.is_answering:
            self.send(PingFrame(0, one.opaque_data, flags=["ACK"]))
        elif isinstance(one, RstStreamFrame):
            self.listener.resets.append(one.error_code)
            self.streams.pop(one.stream_id, None)
        elif isinstance(one, GoAwayFrame):
            self.listener.departures.append(one.error_code)

    def start(self, stream):
        if not stream.is_started:
            stream.is_started = True
            self.listener.attack(stream.name)(self, stream)


def window(stream, increment):
    """A WINDOW_UPDATE, which may be of 0."""
    return frame(WINDOW_UPDATE, 0, stream, increment.to_bytes(4, "big"))

