"""Runs generated clients: JSON in and out again, and requests that openapi-core validates.

Called by round-trip.sh, whose --help says what it does.
"""

import argparse
import base64
import collections
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse
import warnings

import yaml
from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_schema_validator import OAS30Validator, OAS31Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from werkzeug.datastructures import Headers, ImmutableMultiDict

from compile_generated import ROOT, documents, module_names
from round_trip_samples import NoSample, Samples

warnings.filterwarnings("ignore")
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
HOST = "https://api.test"
# What openapi-core says of what it does not read: deep objects that are no flat ones, unions of a string and a list,
# bodies that are not JSON, arrays in paths that are exploded.
BEYOND = (
    "('deepObject', ", "Expected a string value, got <class 'list'>", "is not of type 'string'\"", "b'text' is not",
    "Missing required path parameter",
)

PACKAGE = """\
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "RoundTrip",
    dependencies: [.package(name: "GatewayClient", path: {root})],
    targets: [
        .executableTarget(
            name: "{module}", dependencies: [.product(name: "GatewayClient", package: "GatewayClient")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
"""

DRIVER = """\
@_spi(Generated) import GatewayClient
import Foundation

/// Writes down what would go out, and answers that nobody is there.
struct Recorder: RequestEngine {
    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        let fields = request.fields.map { [$0.name.description, $0.value] }
        emit(["method": request.method.description, "target": request.target, "fields": fields,
              "body": Data(request.body.bytes ?? []).base64EncodedString()])
        throw NetworkError(.other, "recorded")
    }
}

func emit(_ value: [String: Any]) {
    let data = (try? JSONSerialization.data(withJSONObject: value)) ?? Data()
    print(String(decoding: data, as: UTF8.self))
}

struct Texts: Decodable { var arguments: [String]; var values: [String] }
let texts = try JSONDecoder().decode(Texts.self, from: Data(contentsOf: URL(filePath: CommandLine.arguments[1])))

func argument<T: JSONDecodable>(_ index: Int) throws -> T { try T(jsonBytes: Array(texts.arguments[index].utf8)) }

func call(_ id: Int, _ body: () async throws -> Void) async {
    emit(["call": id])
    do { try await body() } catch { emit(["error": "\\(error)"]) }
}

func trip<T: JSONCodable>(_ index: Int, _ type: T.Type) {
    do {
        let value = try T(jsonBytes: Array(texts.values[index].utf8))
        emit(["value": index, "text": String(decoding: try value.jsonBytes(), as: UTF8.self), "dump": "\\(value)".contains("unrecognized(") && !texts.values[index].contains("unrecognized") ? "unrecognized" : ""])
    } catch { emit(["value": index, "error": "\\(error)"]) }
}

let api = {client}(server: .init(url: "https://api.test"), engine: Recorder())
{calls}
"""


class Loader(yaml.SafeLoader):
    """YAML 1.2's core schema: no dates, and yes is a string."""


Loader.yaml_implicit_resolvers = {
    key: [(tag, regexp) for tag, regexp in resolvers if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")]
    for key, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))


def read(path):
    text = path.read_text(encoding="utf-8")
    document = json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader)
    document = json.loads(json.dumps(document))
    for holder in [document, *document.get("paths", {}).values()]:
        holder.pop("servers", None)
        holder.pop("security", None)
        for method in METHODS:
            if isinstance(holder.get(method), dict):
                holder[method].pop("servers", None)
                holder[method].pop("security", None)
    document["servers"] = [{"url": HOST}]
    document.get("components", {}).pop("securitySchemes", None)
    return document


def split_arguments(text):
    parts, depth, start = [], 0, 0
    is_quoted = False
    for index, character in enumerate(text):
        if character == '"' and text[index - 1] != "\\":
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif character in "<[(":
            depth += 1
        elif character in ">])":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    return parts + [text[start:].strip()]


def swift_operations(folder):
    """Every method of the generated client that makes a call, with what it puts where."""
    found = []
    literal = r'"((?:[^"\\]|\\.)*)"'
    for path in sorted(folder.glob("*.swift")):
        current, owner = None, None
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("// MARK: "):
                method, _, template = line.removeprefix("// MARK: ").partition(" ")
                current = {"method": method, "path": template, "names": {}, "media": None, "is_multipart": False}
                found.append(current)
            match = re.match(r"nonisolated extension (\S+) \{", line)
            if match:
                owner = match[1]
            match = re.match(r"    public func (\S+?)\((.*)\) (async throws.*|-> EventStream<.*) \{$", line)
            if match and current and owner and not owner.endswith(".WithResponse") and "signature" not in current:
                current.update(owner=owner, name=match[1], signature=match[2], is_stream="EventStream" in match[3])
            match = re.match(rf'        _request\.(\w+)\({literal}, (`?\w+`?)', line)
            if match and current:
                place = re.match("path|query|header|cookie", match[1])
                if place:
                    current["names"][match[3]] = (place[0], match[2].replace('\\"', '"').replace("\\\\", "\\"))
            match = re.match(rf'        _request\.(\w+Body)\(_?body(?:, {literal})?', line)
            if match and current:
                current["is_multipart"] = match[1] == "multipartBody"
                current["media"] = "application/x-www-form-urlencoded" if match[1] == "formBody" else match[2]
    return [operation for operation in found if "signature" in operation]


class Trip:
    def __init__(self, path, module, work, tool):
        self.path, self.work = path, work / module
        self.module, self.tool = module, tool
        self.document = read(path)
        self.samples = Samples(self.document)
        self.failures = []
        self.counts = collections.Counter()
        self.arguments, self.values, self.expected = [], [], []
        resource = Resource(contents=self.document, specification=DRAFT202012)
        self.registry = Registry().with_resource("doc:", resource)
        self.validator = OAS31Validator if self.samples.is_new else OAS30Validator

    def fits(self, value, pointer):
        fragment = urllib.parse.quote(pointer, safe="/~")
        try:
            return self.validator({"$ref": "doc:#" + fragment}, registry=self.registry).is_valid(value)
        except Exception:
            return True

    def sample(self, pointer, is_full, is_request):
        value = self.samples.value(pointer, is_full, is_request)
        if not self.fits(value, pointer):
            raise NoSample("what was made does not fit")
        return value

    def find(self, operation, place, name):
        item = self.item(operation["path"])
        node, at = item[operation["method"].lower()], None
        for holder, pointer in ((node, self.at(operation)), (item, self.at(operation, is_item=True))):
            for index, parameter in enumerate(holder.get("parameters", [])):
                own, own_at = self.samples.resolve(f"{pointer}/parameters/{index}")
                if own.get("name") == name and own.get("in") == place:
                    return own, own_at
        return None, at

    def item(self, path):
        return self.samples.resolve(self.escaped("paths", path))[0]

    def at(self, operation, is_item=False):
        _, pointer = self.samples.resolve(self.escaped("paths", operation["path"]))
        return pointer if is_item else f"{pointer}/{operation['method'].lower()}"

    @staticmethod
    def escaped(*tokens):
        return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)

    def call(self, operation, is_full):
        """The Swift that makes a call, and its number; None where no value is known for what it needs."""
        parts = []
        for argument in split_arguments(operation["signature"]):
            match = re.match(r"^(\S+)(?: (\S+))?: (.+?)( = .*)?$", argument)
            label, name, kind, default = match[1], match[2] or match[1], match[3], match[4]
            if label == "options" or name == "options":
                continue
            if default and not is_full:
                continue
            try:
                text = self.argument(operation, name, kind, is_full)
            except NoSample:
                if default:
                    continue
                return None
            parts.append(text if label == "_" else f"{label}: {text}")
        owner = operation["owner"].split(".")[1:]
        group = "".join("." + self.properties[name] for name in owner)
        invocation = f"api{group}.{operation['name']}({', '.join(parts)})"
        if operation["is_stream"]:
            return f"for try await _ in {invocation} {{ break }}"
        return f"_ = try await {invocation}"

    def argument(self, operation, name, kind, is_full):
        if name == "body" and name not in operation["names"]:
            return self.body(operation, kind, is_full)
        place, key = operation["names"].get(name, (None, None))
        if place is None:
            raise NoSample("unknown argument")
        parameter, at = self.find(operation, place, key)
        if parameter is None:
            value = "text"
        elif "schema" in parameter:
            value = self.sample(at + "/schema", is_full, True)
        else:
            media = next(iter(parameter["content"]))
            value = self.sample(f"{at}/content{self.escaped(media)}/schema", is_full, True)
        if value in ([], {}, "") or value is None:
            raise NoSample("nothing is sent for this")
        return self.given(value)

    def given(self, value):
        self.arguments.append(json.dumps(value))
        return f"try argument({len(self.arguments) - 1})"

    def body(self, operation, kind, is_full):
        if operation["is_multipart"]:
            raise NoSample("a form with parts")
        if kind.startswith("HTTPBody"):
            return ".text(\"text\")"
        if kind.startswith("String") and not (operation["media"] or "").endswith("json"):
            return '"text"'
        holder, at = self.samples.resolve(self.at(operation) + "/requestBody")
        content = holder["content"]
        media = operation["media"] if operation["media"] in content else next(iter(content))
        if "schema" not in content[media]:
            return self.given("any")
        return self.given(self.sample(f"{at}/content{self.escaped(media)}/schema", is_full, True))

    def schemas(self, names):
        lines = []
        for name, schema in self.document.get("components", {}).get("schemas", {}).items():
            pointer = self.escaped("components", "schemas", name)
            swift = names.get(pointer)
            if swift is None:
                continue
            self.counts["schemas"] += 1
            values = []
            for is_full in (True, False):
                try:
                    value = self.sample(pointer, is_full, True)
                    if value is not None:
                        values.append(("made", value))
                except (NoSample, KeyError, RecursionError):
                    self.counts["no sample"] += 1
            examples = schema.get("examples", []) if isinstance(schema, dict) else []
            if isinstance(schema, dict) and "example" in schema and schema["example"] is not None:
                examples = [schema["example"]]
            for example in examples if isinstance(examples, list) else []:
                if example is not None and self.fits(example, pointer):
                    values.append(("example", example))
                    self.counts["examples"] += 1
            for kind, value in values:
                self.values.append(json.dumps(value))
                self.expected.append((name, kind, value))
                lines.append(f"trip({len(self.values) - 1}, {self.namespace}.{swift}.self)")
        return lines

    def run(self):
        spec = self.work / "Document.openapi.json"
        sources = self.work / "Sources" / self.module
        sources.mkdir(parents=True, exist_ok=True)
        spec.write_text(json.dumps(self.document))
        self.namespace = "Document"
        lock = self.work / "openapi.lock"
        lock.unlink(missing_ok=True)
        for old in sources.glob("*"):
            old.unlink()
        generated = subprocess.run(
            [self.tool, "generate", str(spec), "--output", str(sources), "--both-directions", "--update-lock", "--lock",
             str(lock)], capture_output=True, text=True)
        if generated.returncode != 0:
            self.failures.append("generate: " + generated.stderr[-500:])
            return
        locked = json.loads(lock.read_text())["documents"]
        names = {place.removeprefix("#"): name for names in locked.values() for place, name in names.items()}
        client = (sources / "DocumentClient.swift").read_text()
        self.properties = {kind: name for name, kind in re.findall(r"public var (\S+): (\S+) \{ \2\(client", client)}
        lines = self.schemas(names)
        self.operations = swift_operations(sources)
        self.calls = []
        for operation in self.operations:
            self.counts["operations"] += 1
            made = False
            for is_full in (True, False):
                code = self.call(operation, is_full)
                if code is None:
                    continue
                made = True
                self.calls.append(operation)
                lines.append(f"await call({len(self.calls) - 1}) {{ {code} }}")
            if not made:
                self.counts["not called"] += 1
        functions, heads = [], []
        for start in range(0, len(lines), 40):
            functions.append(f"func part{start}() async {{\n    " + "\n    ".join(lines[start:start + 40]) + "\n}")
            heads.append(f"await part{start}()")
        driver = DRIVER.replace("{client}", "DocumentClient").replace("{calls}", "\n".join(heads)).replace("\\\\(", "\\(")
        (sources / "main.swift").write_text(driver)
        for index, function in enumerate(functions):
            (sources / f"Part{index}.swift").write_text("@_spi(Generated) import GatewayClient\n" + function + "\n")
        (self.work / "texts.json").write_text(json.dumps({"arguments": self.arguments, "values": self.values}))
        (self.work / "Package.swift").write_text(PACKAGE.format(root=json.dumps(str(ROOT)), module=self.module))
        scratch = self.work.parent / "build"
        for plan in ("debug.yaml", "plugin-tools.yaml"):
            (scratch / plan).unlink(missing_ok=True)
        built = subprocess.run(
            ["swift", "build", "--package-path", str(self.work), "--scratch-path", str(scratch)], capture_output=True,
            text=True)
        if built.returncode != 0:
            wrong = [line for line in built.stdout.splitlines() if "error:" in line]
            self.failures.append("compile: " + "\n".join(wrong[:5] or built.stderr.splitlines()[-5:]))
            return
        ran = subprocess.run(
            [str(scratch / "debug" / self.module), str(self.work / "texts.json")], capture_output=True, text=True)
        if ran.returncode != 0:
            self.failures.append(f"the driver ended with {ran.returncode}: {ran.stderr[-500:]}")
        self.judge(ran.stdout)

    def judge(self, output):
        kinds = set(re.findall(r'"([\w.+-]+/[\w.-]+\+json)"', json.dumps(self.document)))
        readers = {kind: json.loads for kind in kinds}
        config = Config(spec_validator_cls=None, extra_media_type_deserializers=readers)
        validator = OpenAPI.from_dict(self.document, config=config)
        operation = None
        for line in output.splitlines():
            if not line.startswith("{"):
                continue
            entry = json.loads(line)
            if "call" in entry:
                operation = self.calls[entry["call"]]
            elif "value" in entry:
                self.judge_value(entry)
            elif "method" in entry:
                self.judge_request(validator, operation, entry)
            elif "recorded" not in entry["error"]:
                self.failures.append(f"{operation['method']} {operation['path']}: {entry['error'][:300]}")

    def judge_value(self, entry):
        name, kind, value = self.expected[entry["value"]]
        self.counts["values"] += 1
        if "error" in entry:
            self.failures.append(f"{name} ({kind}): {entry['error'][:300]}: {json.dumps(value)[:200]}")
        elif not same(json.loads(entry["text"]), value, kind == "example"):
            self.failures.append(f"{name} ({kind}): {json.dumps(value)[:300]} became {entry['text'][:300]}")
        elif entry["dump"]:
            self.counts["unrecognized"] += 1

    def judge_request(self, validator, operation, entry):
        self.counts["requests"] += 1
        try:
            validator.validate_request(Recorded(entry, operation["path"]))
        except Exception as error:
            reasons = [str(error)]
            cause = error
            while cause.__cause__ is not None:
                cause = cause.__cause__
                reasons.append(str(cause))
            if any(limit in reason for limit in BEYOND for reason in reasons):
                self.counts["not judged"] += 1
                return
            for item in getattr(cause, "schema_errors", None) or []:
                reasons.append(str(getattr(item, "message", item))[:200])
            self.failures.append(
                f"{operation['method']} {operation['path']}: {' / '.join(reasons)[:500]} — {entry['target'][:200]} "
                + base64.b64decode(entry["body"])[:200].decode(errors="replace"))


def same(new, old, is_example):
    """Whether JSON is the same; what a document's example has beside its schema need not come back."""
    if isinstance(old, dict) and isinstance(new, dict):
        if not is_example:
            return set(new) == set(old) and all(same(new[key], old[key], False) for key in new)
        return all(key in old and same(new[key], old[key], True) for key in new if new[key] is not None)
    if isinstance(old, list) and isinstance(new, list):
        return len(new) == len(old) and all(same(a, b, is_example) for a, b in zip(new, old))
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if is_example and isinstance(old, str) and isinstance(new, str) and re.match(r"\d{4}-\d\d-\d\d[Tt ]", old):
        return new[:10] >= "0000"
    if is_example and isinstance(old, str) and isinstance(new, str):
        return old.lower() == new.lower() or urllib.parse.unquote(old) == urllib.parse.unquote(new)
    return old == new


class Recorded:
    """A request as openapi-core wants it."""

    def __init__(self, entry, template):
        path, _, query = entry["target"].partition("?")
        fields = [(name.lower(), value) for name, value in entry["fields"]]
        cookies = dict(
            part.strip().split("=", 1) for name, value in fields if name == "cookie" for part in value.split(";"))
        self.host_url = HOST
        self.path = path
        self.method = entry["method"].lower()
        pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(pairs), header=Headers(fields), cookie=ImmutableMultiDict(cookies), path={})
        self.body = base64.b64decode(entry["body"])
        self.content_type = dict(fields).get("content-type", "")
        self.path_pattern = None


def main():
    parser = argparse.ArgumentParser(prog="round-trip", add_help=False)
    parser.add_argument("--work", required=True)
    parser.add_argument("--tool")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    sys.setrecursionlimit(20_000)
    paths = documents(options.paths)
    tool = options.tool
    if not tool:
        command = ["swift", "build", "--package-path", str(ROOT), "--product", "gateway-openapi"]
        if subprocess.run(command, stdout=sys.stderr).returncode != 0:
            sys.exit(1)
        folder = subprocess.run([*command, "--show-bin-path"], capture_output=True, text=True).stdout.strip()
        tool = str(pathlib.Path(folder) / "gateway-openapi")
    failed = 0
    for path, module in zip(paths, module_names(paths)):
        trip = Trip(path, module.replace("Generated_", "Trip_"), pathlib.Path(options.work).resolve(), tool)
        trip.run()
        counts = ", ".join(f"{count} {name}" for name, count in sorted(trip.counts.items()))
        print(f"{path.name}: {len(trip.failures)} failures; {counts}", flush=True)
        for failure in trip.failures[: None if options.verbose else 12]:
            print("    " + failure)
        failed += bool(trip.failures)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
