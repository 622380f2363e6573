"""What the hostile server can do: greetings, which begin a connection, and attacks, which answer a request."""

from connection import (
    ACK,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEADERS,
    PING,
    PRIORITY,
    PUSH_PROMISE,
    SETTINGS,
    WINDOW_UPDATE,
    frame,
    window,
)

ATTACKS = {}
GREETINGS = {}

# Settings (RFC 9113 §6.5.2).
ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE = range(2, 6)


def attack(function):
    ATTACKS[function.__name__.replace("_", "-")] = function
    return function


def greeting(name, greet, on_data=lambda connection, stream, count: None):
    GREETINGS[name] = (greet, on_data)


def settings(**values):
    """A SETTINGS frame with values that may be wrong."""
    entries = {
        "push": ENABLE_PUSH,
        "streams": MAX_CONCURRENT_STREAMS,
        "window": INITIAL_WINDOW_SIZE,
        "frame": MAX_FRAME_SIZE,
    }
    pairs = [entries[name].to_bytes(2, "big") + value.to_bytes(4, "big") for name, value in values.items()]
    return frame(SETTINGS, payload=b"".join(pairs))


def repeated(chunk, most=262_144):
    """As many of the same bytes as fit into a quarter of a megabyte."""
    return chunk * max(1, most // len(chunk))


# Greetings.

greeting("plain", lambda c: c.send(settings(streams=100)))
greeting("silent", lambda c: setattr(c, "is_answering", False))
greeting("half-frame", lambda c: c.send(settings(streams=100)[:5]))
greeting("leaving", lambda c: c.send(settings(streams=100), c.go_away(0)))
greeting("leaving-politely", lambda c: c.send(settings(streams=100), c.go_away(0x7FFFFFFF)))
greeting("no-window", lambda c: c.send(settings(streams=100, window=0)))
greeting("small-frames", lambda c: c.send(settings(streams=100, frame=1)))
greeting("large-frames", lambda c: c.send(settings(streams=100, frame=0xFFFFFFFF)))
greeting("huge-window", lambda c: c.send(settings(streams=100, window=0xFFFFFFFF)))
greeting("push-2", lambda c: c.send(settings(push=2)))
greeting("no-streams", lambda c: c.send(settings(streams=0)))
greeting("one-stream", lambda c: c.send(settings(streams=1)))
greeting("window-then-overflow", lambda c: c.send(settings(streams=100), window(0, 0x7FFFFFFF)))
greeting("ping-first", lambda c: c.send(frame(PING, payload=bytes(8))))
greeting("http1", lambda c: c.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"))


def _streams_later(c):
    c.send(settings(streams=0))
    c.pause(200)
    c.send(settings(streams=100))


greeting("streams-later", _streams_later)


# A window of one byte a stream that opens byte by byte.
greeting(
    "tiny-window",
    lambda c: c.send(settings(streams=100, window=1)),
    lambda c, stream, count: c.send(window(stream.number, count), window(0, count)) if count else None,
)


# Correct behaviour.


@attack
def ok(c, s):
    c.answer(s)


@attack
def held(c, s):
    c.held.append(lambda: c.answer(s))


@attack
def held_window(c, s):
    """What needs no reply comes when it is released."""
    c.held.append(lambda: c.send(window(0, 1)))


@attack
def silence(c, s):
    """Nothing comes."""


@attack
def early_answer(c, s):
    """The answer to an upload before its end, as RFC 9113 §8.1 allows."""
    c.answer(s)


@attack
def early_silence(c, s):
    """An upload is never answered."""


# Bodies that are cut off or too long.


@attack
def closed_before_head(c, s):
    c.close()


@attack
def closed_in_head(c, s):
    c.send(c.head(s, length=10)[:12])
    c.close()


@attack
def closed_in_body(c, s):
    c.send(c.head(s, length=10), c.data(s, b"12345"))
    c.close()


@attack
def closed_in_body_without_length(c, s):
    c.send(c.head(s), c.data(s, b"12345"))
    c.close()


@attack
def closed_in_frame(c, s):
    c.send(c.head(s, length=10), c.data(s, b"1234567890", ends=True)[:14])
    c.close()


@attack
def ended_too_early(c, s):
    c.send(c.head(s, length=10), c.data(s, b"12345", ends=True))


@attack
def ended_without_body(c, s):
    c.send(c.head(s, length=10, ends=True))


@attack
def more_than_announced(c, s):
    c.send(c.head(s, length=3), c.data(s, b"12345", ends=True))


@attack
def much_more_than_announced(c, s):
    c.send(c.head(s, length=3))
    for _ in range(64):
        c.send(c.data(s, bytes(16_384)))
    c.send(c.data(s, b"", ends=True))


@attack
def data_after_end(c, s):
    c.send(c.head(s, length=2), c.data(s, b"ok", ends=True), c.data(s, b"more"))


# Resets.


def _reset(name, code):
    def before(c, s):
        c.send(c.reset(s, code))

    def after(c, s):
        c.send(c.head(s, length=10), c.data(s, b"12345"))
        c.pause()
        c.send(c.reset(s, code))

    def at_once(c, s):
        c.send(c.head(s, length=10), c.data(s, b"12345"), c.reset(s, code))

    ATTACKS[f"reset-{name}"] = before
    ATTACKS[f"reset-{name}-in-body"] = after
    ATTACKS[f"reset-{name}-with-body"] = at_once


for _name, _code in {
    "no-error": 0,
    "protocol": 1,
    "internal": 2,
    "refused": 7,
    "cancel": 8,
    "calm": 11,
    "http1": 13,
    "unknown": 0xFFFFFFFF,
}.items():
    _reset(_name, _code)


@attack
def reset_after_response(c, s):
    c.answer(s)
    c.pause()
    c.send(c.reset(s, 0))


@attack
def reset_with_response(c, s):
    c.send(c.head(s, length=2), c.data(s, b"ok", ends=True), c.reset(s, 0))


@attack
def reset_storm(c, s):
    c.send(repeated(c.reset(s, 8).serialize()))


# Servers that go away.


@attack
def goaway_zero(c, s):
    c.send(c.go_away(0))


@attack
def goaway_below(c, s):
    c.send(c.go_away(max(0, s.number - 2)))


@attack
def goaway_then_response(c, s):
    c.send(c.go_away(s.number))
    c.answer(s)


@attack
def goaway_then_closed(c, s):
    c.send(c.go_away(s.number, 11))
    c.close()


@attack
def goaway_with_error_then_silence(c, s):
    c.send(c.go_away(s.number, 1))


@attack
def goaway_storm_then_response(c, s):
    c.send(*[c.go_away(last) for last in range(s.number + 2000, s.number - 1, -2)])
    c.answer(s)


@attack
def goaway_in_body(c, s):
    c.send(c.head(s, length=10), c.data(s, b"12345"), c.go_away(0))


@attack
def goaway_rising(c, s):
    c.send(c.go_away(s.number), c.go_away(s.number + 100))
    c.answer(s)


@attack
def goaway_on_stream(c, s):
    c.send(frame(GOAWAY, stream=s.number, payload=bytes(8)))


@attack
def goaway_short(c, s):
    c.send(frame(GOAWAY, payload=bytes(4)))


# Header blocks.


@attack
def continuation_flood(c, s):
    c.send(frame(HEADERS, 0, s.number, c.block_of((":status", "200"))))
    c.flood(repeated(frame(CONTINUATION, 0, s.number, b"\x00\x01x\x64" + b"y" * 100)))


@attack
def empty_continuation_flood(c, s):
    c.send(frame(HEADERS, 0, s.number, c.block_of((":status", "200"))))
    c.flood(repeated(frame(CONTINUATION, 0, s.number)))


@attack
def continuation_without_headers(c, s):
    c.send(frame(CONTINUATION, END_HEADERS, s.number, c.block_of((":status", "200"))))


@attack
def interrupted_headers(c, s):
    c.send(frame(HEADERS, 0, s.number, c.block_of((":status", "200"))), frame(PING, payload=bytes(8)))


@attack
def unfinished_headers(c, s):
    c.send(frame(HEADERS, 0, s.number, c.block_of((":status", "200"))))


def _large_head(name, count):
    """A head of so many fields of 1,000 bytes, in as many frames as it takes, and a body."""

    def send(c, s):
        fields = [(f"x-{index}", "y" * 1000) for index in range(count)]
        block = c.block_of((":status", "200"), ("content-length", "2"), *fields)
        pieces = [block[start : start + 16_384] for start in range(0, len(block), 16_384)]
        c.send(
            frame(HEADERS, 0, s.number, pieces[0]),
            *[frame(CONTINUATION, 0, s.number, piece) for piece in pieces[1:]],
            frame(CONTINUATION, END_HEADERS, s.number),
            c.data(s, b"ok", ends=True),
        )

    ATTACKS[name] = send


_large_head("fields-of-15-kilobytes", 15)
_large_head("fields-of-40-kilobytes", 40)
_large_head("fields-of-60-kilobytes", 60)
_large_head("fields-past-our-limit", 100)
_large_head("fields-past-curls-limit", 130)


@attack
def interim_flood(c, s):
    # Without the dynamic table, so that the same bytes mean the same.
    block = b"\x08\x03103" + b"\x00\x04link\x64" + b"y" * 100
    c.flood(repeated(frame(HEADERS, END_HEADERS, s.number, block), 65_536))


def _bomb(c, first, count=12_000):
    """A block that stores a field of 4 KB and names it again and again, one byte each time."""
    stored = b"\x40\x01x" + b"\x7f" + _integer(3900 - 127) + b"a" * 3900
    return first + stored + b"\xbe" * count


def _integer(value):
    content = b""
    while value >= 128:
        content += bytes([value % 128 | 128])
        value //= 128
    return content + bytes([value])


@attack
def hpack_bomb(c, s):
    c.send(frame(HEADERS, END_HEADERS, s.number, _bomb(c, b"\x88")))


@attack
def hpack_bomb_in_trailers(c, s):
    c.send(c.head(s, length=2), c.data(s, b"ok"))
    c.pause()
    c.send(frame(HEADERS, END_HEADERS | END_STREAM, s.number, _bomb(c, b"")))


@attack
def hpack_bombs_after_end(c, s):
    """The stream has ended, and more blocks for it keep coming."""
    c.send(frame(HEADERS, END_HEADERS, s.number, _bomb(c, b"\x88", 3)))
    c.flood(repeated(frame(HEADERS, END_HEADERS, s.number, b"\xbe" * 16_000)))


def _block(name, block):
    ATTACKS[name] = lambda c, s: c.send(frame(HEADERS, END_HEADERS, s.number, block), c.data(s, b"ok", ends=True))


_block("hpack-unknown-index", b"\x88\xff\x20")
_block("hpack-index-zero", b"\x88\x80")
_block("hpack-cut-off", b"\x88\x40\x7f")
_block("hpack-huge-integer", b"\x88\x7f" + b"\xff" * 12)
_block("hpack-huge-table", b"\x3f\xe1\xff\xff\x7f\x88")
_block("hpack-bad-huffman", b"\x88\x40\x01x\x84\xff\xff\xff\xff")
_block("hpack-huge-string", b"\x88\x40\x01x\x7f\xff\xff\xff\x0f")


def _fields(name, *fields):
    def send(c, s):
        c.send(frame(HEADERS, END_HEADERS, s.number, c.block_of(*fields)), c.data(s, b"ok", ends=True))

    ATTACKS[name] = send


_LENGTH = ("content-length", "2")
_fields("upper-case-name", (":status", "200"), _LENGTH, ("X-Loud", "1"))
_fields("no-status", _LENGTH)
_fields("two-statuses", (":status", "200"), (":status", "500"), _LENGTH)
_fields("status-101", (":status", "101"), _LENGTH)
_fields("status-short", (":status", "20"), _LENGTH)
_fields("status-letters", (":status", "2xx"), _LENGTH)
_fields("status-zero", (":status", "000"), _LENGTH)
_fields("status-long", (":status", "2000"), _LENGTH)
_fields("status-empty", (":status", ""), _LENGTH)
_fields("status-last", _LENGTH, (":status", "200"))
_fields("request-pseudo", (":status", "200"), (":path", "/"), _LENGTH)
_fields("unknown-pseudo", (":status", "200"), (":x", "y"), _LENGTH)
_fields("empty-name", (":status", "200"), _LENGTH, ("", "y"))
_fields("connection-field", (":status", "200"), _LENGTH, ("connection", "close"))
_fields("chunked-field", (":status", "200"), _LENGTH, ("transfer-encoding", "chunked"))
_fields("two-lengths", (":status", "200"), _LENGTH, ("content-length", "3"))
_fields("negative-length", (":status", "200"), ("content-length", "-2"))
_fields("huge-length", (":status", "200"), ("content-length", "99999999999999999999"))
_fields("injected-field", (":status", "200"), _LENGTH, ("x", "a\r\nset-cookie: stolen=1"))
_fields("injected-name", (":status", "200"), _LENGTH, ("x: y\r\nset-cookie", "stolen=1"))
_fields("null-value", (":status", "200"), _LENGTH, ("x", "a\0b"))


@attack
def headers_of_many_streams(c, s):
    """Headers of streams that the client never opened."""
    c.send(frame(HEADERS, END_HEADERS, s.number + 100, c.block_of((":status", "200"))))


@attack
def headers_on_even_stream(c, s):
    c.send(frame(HEADERS, END_HEADERS, 2, c.block_of((":status", "200"))))


@attack
def headers_on_stream_zero(c, s):
    c.send(frame(HEADERS, END_HEADERS, 0, c.block_of((":status", "200"))))


def _trailers(name, *fields, flags=END_HEADERS | END_STREAM):
    def send(c, s):
        c.send(c.head(s, length=2), c.data(s, b"ok"))
        c.pause()
        c.send(frame(HEADERS, flags, s.number, c.block_of(*fields)))

    ATTACKS[name] = send


_trailers("good-trailers", ("x-sum", "1"))
_trailers("trailers-with-pseudo", ("x-sum", "1"), (":status", "200"))
_trailers("trailers-with-status", (":status", "500"))
_trailers("trailers-without-end", ("x-sum", "1"), flags=END_HEADERS)
_trailers("large-trailers", *[(f"x-{index}", "y" * 1000) for index in range(15)])


@attack
def trailer_flood(c, s):
    """More trailers than a head may have, each block allowed by itself."""
    c.send(c.head(s, length=2), c.data(s, b"ok"))
    c.flood(repeated(frame(HEADERS, END_HEADERS, s.number, b"\x00\x01x\x64" + b"y" * 100)))


# Windows.


@attack
def window_of_zero_increment(c, s):
    c.send(window(s.number, 0))


@attack
def window_of_zero_increment_for_all(c, s):
    c.send(window(0, 0))


@attack
def window_overflow(c, s):
    c.send(window(s.number, 0x7FFFFFFF))


@attack
def window_overflow_for_all(c, s):
    c.send(window(0, 0x7FFFFFFF))


@attack
def early_window_overflow(c, s):
    c.send(window(s.number, 0x7FFFFFFF))


@attack
def window_flood(c, s):
    c.flood(repeated(window(0, 1)))


@attack
def window_short(c, s):
    c.send(frame(WINDOW_UPDATE, payload=b"\0\0"))


@attack
def early_window_shrinks(c, s):
    """A window that falls below zero in the middle of an upload."""
    c.send(settings(window=0))


@attack
def ignored_window(c, s):
    """More than the client's windows allow, whatever it says."""
    c.send(c.head(s, length=1 << 30))
    c.flood(repeated(c.data(s, bytes(16_384))))


# Frames that cost the client something and the server nothing.


@attack
def settings_flood(c, s):
    c.flood(repeated(settings()))


@attack
def full_settings_flood(c, s):
    c.flood(repeated(settings(**{"streams": 100, "window": 70_000, "frame": 16_384}) * 10))


@attack
def settings_ack_flood(c, s):
    c.flood(repeated(frame(SETTINGS, ACK)))


@attack
def ping_flood(c, s):
    c.flood(repeated(frame(PING, payload=bytes(8))))


@attack
def ping_ack_flood(c, s):
    c.flood(repeated(frame(PING, ACK, payload=bytes(8))))


@attack
def priority_flood(c, s):
    c.flood(repeated(frame(PRIORITY, 0, s.number, bytes([0, 0, 0, 0, 7]))))


@attack
def priority_of_idle_streams_flood(c, s):
    c.flood(b"".join(frame(PRIORITY, 0, number, bytes([0, 0, 0, 0, 7])) for number in range(1001, 40_001, 2)))


@attack
def unknown_frame_flood(c, s):
    c.flood(repeated(frame(0xEE, 0xFF, s.number, b"x")))


@attack
def empty_data_flood(c, s):
    c.send(c.head(s, length=10))
    c.flood(repeated(c.data(s, b"")))


@attack
def padded_data_flood(c, s):
    """Frames of nothing but padding, which use up the window."""
    c.send(c.head(s, length=10))
    c.flood(repeated(frame(DATA, 0x8, s.number, b"\xff" + bytes(255))))


@attack
def empty_headers_flood(c, s):
    c.send(c.head(s, length=10))
    c.flood(repeated(frame(HEADERS, END_HEADERS, s.number)))


@attack
def promise_flood(c, s):
    block = c.block_of((":method", "GET"), (":scheme", "https"), (":authority", "127.0.0.1"), (":path", "/x"))
    for number in range(2, 4002, 2):
        c.send(frame(PUSH_PROMISE, END_HEADERS, s.number, number.to_bytes(4, "big") + block))


@attack
def promise(c, s):
    block = c.block_of((":method", "GET"), (":scheme", "https"), (":authority", "127.0.0.1"), (":path", "/x"))
    c.send(frame(PUSH_PROMISE, END_HEADERS, s.number, (2).to_bytes(4, "big") + block))
    c.answer(s)


# Frames that are not allowed.


@attack
def data_before_headers(c, s):
    c.send(c.data(s, b"ok", ends=True))


@attack
def data_on_stream_zero(c, s):
    c.send(frame(DATA, 0, 0, b"ok"))


@attack
def data_on_unknown_stream(c, s):
    c.send(frame(DATA, 0, s.number + 100, b"ok"))


@attack
def data_with_bad_padding(c, s):
    c.send(c.head(s, length=2), frame(DATA, 0x8 | END_STREAM, s.number, b"\xffok"))


@attack
def frame_over_the_maximum(c, s):
    c.send(c.head(s, length=20_000), frame(DATA, END_STREAM, s.number, bytes(20_000)))


@attack
def frame_of_16_megabytes(c, s):
    c.send(frame(0xEE, 0, 0, bytes(0xFFFFFF)))


@attack
def half_a_frame(c, s):
    c.send(c.head(s, length=10), c.data(s, b"1234567890", ends=True)[:14])


@attack
def half_a_head(c, s):
    c.send(c.head(s, length=10)[:7])


@attack
def settings_bad_length(c, s):
    c.send(frame(SETTINGS, payload=bytes(5)))


@attack
def settings_on_stream(c, s):
    c.send(frame(SETTINGS, stream=s.number))


@attack
def settings_bad_frame_size(c, s):
    c.send(settings(frame=0xFFFFFFFF))


@attack
def settings_bad_window(c, s):
    c.send(settings(window=0x80000000))


@attack
def ping_bad_length(c, s):
    c.send(frame(PING, payload=bytes(4)))


@attack
def priority_on_stream_zero(c, s):
    c.send(frame(PRIORITY, payload=bytes(5)))


@attack
def priority_on_itself(c, s):
    c.send(frame(PRIORITY, 0, s.number, s.number.to_bytes(4, "big") + b"\0"))
    c.answer(s)


@attack
def reset_on_stream_zero(c, s):
    c.send(frame(3, payload=bytes(4)))


@attack
def garbage(c, s):
    c.send(bytes(range(256)) * 16)
