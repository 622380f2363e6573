"""A collector made of opentelemetry-proto. The first request of each run meets a fault; the others are taken.

POST /RUN/FAULT/v1/traces   receives spans; also v1/metrics and v1/logs
GET  /RUN                   what the run has received, as JSON
GET  /ready

Arguments: the port, and the file that the descriptors of the protocol are written to, for protoc.
"""

import base64
import collections
import email.utils
import gzip
import hashlib
import json
import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf import descriptor_pb2, json_format
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces

import conventions

SIGNALS = {
    "traces": (traces.ExportTraceServiceRequest, traces.ExportTraceServiceResponse, "rejected_spans"),
    "metrics": (metrics.ExportMetricsServiceRequest, metrics.ExportMetricsServiceResponse, "rejected_data_points"),
    "logs": (logs.ExportLogsServiceRequest, logs.ExportLogsServiceResponse, "rejected_log_records"),
}
# How many records a partial success rejects, at most.
REJECTED = 3
LARGE = 5 << 20


class Run:
    def __init__(self):
        self.requests = []
        self.spans = set()
        self.problems = set()


runs = collections.defaultdict(Run)
lock = threading.Lock()


def write_descriptors(path):
    files = {}

    def add(file):
        for dependency in file.dependencies:
            add(dependency)
        files[file.name] = file

    for module in (traces, metrics, logs):
        add(module.DESCRIPTOR)
    described = descriptor_pb2.FileDescriptorSet()
    for file in files.values():
        file.CopyToProto(described.file.add())
    with open(path, "wb") as output:
        output.write(described.SerializeToString())


def with_base64(value):
    """OTLP's JSON has identifiers in hexadecimal; those of protocol buffers' JSON are in base64."""
    if isinstance(value, list):
        return [with_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    sizes = {"traceId": 16, "spanId": 8, "parentSpanId": 8}
    result = {}
    for key, item in value.items():
        if key in sizes:
            content = bytes.fromhex(item)
            if len(content) != sizes[key] or item != content.hex():
                raise ValueError(f"{key} is not valid")
            item = base64.b64encode(content).decode()
        result[key] = with_base64(item)
    return result


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        with lock:
            run = runs[self.path[1:]]
            report = {
                "requests": list(run.requests),
                "spans": sorted(run.spans),
                "problems": sorted(run.problems),
            }
        self.answer(200, json.dumps(report).encode(), "application/json")

    def do_POST(self):
        _, name, fault, _, signal = self.path.split("/")
        body = self.rfile.read(int(self.headers["Content-Length"]))
        note = {"at": time.time()}
        with lock:
            run = runs[name]
            is_first = not run.requests
            run.requests.append(note)
        message = self.decoded(run, note, signal, body)
        if message is None:
            return self.answer(400)
        getattr(self, "fault_" + fault if is_first else "fault_none", self.status)(
            run, note, signal, message, *([int(fault)] if fault.isdigit() and is_first else [])
        )

    def decoded(self, run, note, signal, body):
        request = SIGNALS[signal][0]
        try:
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            if self.is_json():
                message = json_format.Parse(json.dumps(with_base64(json.loads(body))), request())
            else:
                message = request.FromString(body)
            problems = conventions.problems(message)
        except Exception as error:  # Whatever it is, the request is not valid.
            message, problems = None, [f"{type(error).__name__}: {error}"]
        with lock:
            run.problems.update(problems)
            if message is not None:
                content = message.SerializeToString(deterministic=True)
                note["digest"] = hashlib.sha256(content).hexdigest()
        return message

    def is_json(self):
        return self.headers["Content-Type"] == "application/json"

    # Faults

    def fault_none(self, run, note, signal, message):
        self.take(run, message)
        self.respond(signal)

    def fault_partial(self, run, note, signal, message):
        rejected = self.take(run, message, leaving=REJECTED)
        self.respond(signal, rejected, "some are too old")

    def fault_slow(self, run, note, signal, message):
        self.take(run, message)
        self.respond(signal, 0, "a word about the load", pause=0.02)

    def fault_seconds(self, run, note, signal, message):
        note["earliest"] = note["at"] + 1
        self.answer(429, fields={"Retry-After": "1"})

    def fault_date(self, run, note, signal, message):
        note["earliest"] = int(note["at"]) + 2
        self.answer(429, fields={"Retry-After": email.utils.formatdate(note["earliest"], usegmt=True)})

    def fault_html(self, run, note, signal, message):
        self.answer(200, b"<html><body>Please sign in.</body></html>", "text/html")

    def fault_large(self, run, note, signal, message):
        self.answer(200, bytes(LARGE), "application/x-protobuf")

    def fault_reset(self, run, note, signal, message):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def fault_hang(self, run, note, signal, message):
        # Until the client gives up.
        self.connection.settimeout(60)
        try:
            self.connection.recv(1)
        except OSError:
            pass
        self.close_connection = True

    def status(self, run, note, signal, message, status):
        self.answer(status)

    # Responses

    def take(self, run, message, leaving=0):
        """Keeps the spans but for the first ones, and returns the number of those."""
        spans = [
            span.span_id.hex()
            for resource in getattr(message, "resource_spans", [])
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        leaving = min(leaving, len(spans))
        with lock:
            run.spans.update(spans[leaving:])
        return leaving

    def respond(self, signal, rejected=0, words="", pause=None):
        _, response, field = SIGNALS[signal]
        response = response()
        if words:
            setattr(response.partial_success, field, rejected)
            response.partial_success.error_message = words
        if self.is_json():
            body = json_format.MessageToJson(response).encode()
        else:
            body = response.SerializeToString()
        self.answer(200, body, self.headers["Content-Type"], pause=pause)

    def answer(self, status, body=b"", kind="text/plain", fields={}, pause=None):
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            for name, value in fields.items():
                self.send_header(name, value)
            self.end_headers()
            for part in [body] if pause is None else [body[i : i + 1] for i in range(len(body))]:
                self.wfile.write(part)
                time.sleep(pause or 0)
        except OSError:
            # The client does not read so much.
            self.close_connection = True


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


if __name__ == "__main__":
    write_descriptors(sys.argv[2])
    Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
