"""One document on its way through a generated client."""

import collections
import os
import subprocess

from cases import Instances
from document import Document, server_url
from judging import Judging
from making import NAMESPACE, Making
from swift_client import SwiftClient, written
from validity import Validity


class Trip(Making, Judging):
    """One document: generates its client, makes cases, judges them, and counts."""

    def __init__(self, path, name, options, folder):
        self.path, self.name, self.options = path, name, options
        self.sources = os.path.join(folder, "Sources", name)
        self.package = folder
        self.document = Document(path)
        self.validity = Validity(self.document)
        self.made = Instances(self.document, self.validity, options.seed, options.unknown_properties)
        self.failures = []
        self.notes = collections.Counter()
        self.count = collections.Counter()
        self.lines = []
        self.respelt = set()
        self.records = []
        self.expectations = []

    def generate(self, tool):
        os.makedirs(self.sources, exist_ok=True)
        configuration = os.path.join(self.package, "round-trips.gateway.yaml")
        with written(configuration) as out:
            out.write("directions: both\n")
            if self.options.unknown_properties:
                out.write("unknownProperties: keep\n")
        # There is no lock of this name, and one beside the document is not used.
        lock = os.path.join(self.package, "none.lock")
        declarations = os.path.join(self.package, self.name + ".declarations.json")
        made = subprocess.run(
            [tool, "generate", self.path, "--output", self.sources, "--name", NAMESPACE, "--config", configuration,
             "--lock", lock, "--declarations", declarations], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode != 0:
            self.fail("generate", self.path, made.stdout.decode(errors="replace")[-1000:], None, None)
            return
        self.client = SwiftClient(declarations)
        self.types = self.client.schema_types(self.document.schemas)
        self.calls = {}
        for path, method, item, operation in self.document.operations():
            section = f"{method.upper()} {path}"
            if operation.get("x-gateway-skip"):
                continue
            self.count["operations"] += 1
            if "#" in path:
                self.skip("a path with a fragment is none")
                continue
            found = self.client.methods.get(section)
            if not found and self.document.is_stream(operation):
                self.skip("a stream of values is not read at once")
                continue
            if not found:
                self.fail("operation", section, "there is no method for it", None, None)
                continue
            reason = self.client.blocked(found[0])
            if reason:
                self.skip(reason)
                continue
            self.calls[section] = found[0]
            # A body of another media type has a method of its own.
            for other in found[1:]:
                reason = self.client.blocked(other)
                if other.body_label and not reason:
                    self.calls[f"{section}, {other.body_label}"] = other
                elif other.body_label:
                    self.notes["bodies of other media types that were not driven: " + reason] += 1
        url = server_url(self.document.servers({}, {})[0])
        own = "://" in url and url.startswith("https://") and self.client.has_default_server
        self.base = url if own else url if url.startswith("https://") else "https://host.example/" + url.split("://")[-1].lstrip("/")
        self.base = self.base.rstrip("/")
        driven = {name: swift for name, swift in self.types.items()}
        urls = {server_url(server) for _, _, item, operation in self.document.operations()
                for holder in (item, operation) for server in holder.get("servers") or []}
        origins = sorted({"/".join(url.split("/")[:3]) for url in urls if url.startswith("https://")})
        self.client.emit(self.sources, driven, self.calls, None if own else self.base, origins)
        driver = os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver", "Driver.swift")
        with open(driver, encoding="utf-8") as source, written(os.path.join(self.sources, "Driver.swift")) as out:
            out.write(source.read())

    def skip(self, reason, count=1):
        self.notes["not driven: " + reason] += count
        self.count["skipped"] += count

    def fail(self, what, where, problem, given, got):
        self.failures.append((what, where, problem, given, got))

    def add(self, line, expectation):
        line["id"] = len(self.lines) + 1
        self.lines.append(line)
        self.expectations.append(expectation)

    def row(self):
        count = self.count
        return [self.name, count["schemas"], count["instances"], count["mismatches"], count["without"],
                count["operations"], count["requests"], count["judged"], count["judged in part"],
                count["unjudged"], count["wrong requests"] + count["refused"], count["answers"],
                count["wrong answers"], count["skipped"]]
