"""Round trips of documents through generated clients. See scripts/round-trips.sh --help."""

import argparse
import collections
import json
import os
import subprocess
import sys
import time

import cases
import wire
from cases import Instances, Responses, is_json
from document import Document, server_url
from instances import Impossible, Maker
from swift_client import SwiftClient, key, written
from validity import Validity
from values import differences, parse, text

NAMESPACE = "Exercised"
NO_ANSWER = object()


class Trip:
    """One document."""

    def __init__(self, path, name, options, folder):
        self.path, self.name, self.options = path, name, options
        self.sources = os.path.join(folder, "Sources", name)
        self.package = folder
        self.document = Document(path)
        self.validity = Validity(self.document)
        self.made = Instances(self.document, self.validity, options.seed)
        self.failures = []
        self.notes = collections.Counter()
        self.count = collections.Counter()
        self.lines = []
        self.respelt = set()
        self.left_out = set()
        self.records = []
        self.expectations = []

    # Making

    def generate(self, tool):
        os.makedirs(self.sources, exist_ok=True)
        made = subprocess.run([tool, self.path, self.sources, NAMESPACE], stdout=subprocess.PIPE)
        if made.returncode != 0:
            self.fail("generate", self.path, made.stdout.decode(errors="replace")[:1000], None, None)
            return
        names = json.loads(made.stdout)
        self.client = SwiftClient(self.sources, NAMESPACE)
        self.types = self.client.schema_types(self.document.schemas, names)
        self.calls = {}
        for path, method, item, operation in self.document.operations():
            section = f"{method.upper()} {path}"
            if operation.get("x-gateway-skip"):
                continue
            self.count["operations"] += 1
            found = self.client.methods.get(section)
            if not found:
                self.fail("operation", section, "there is no method for it", None, None)
                continue
            reason = self.client.blocked(found[0])
            if reason:
                self.skip(reason)
                continue
            self.calls[section] = found[0]
        url = server_url(self.document.servers({}, {})[0])
        own = "://" in url and url.startswith("https://") and "init(server: Server = " in self.client.client
        self.base = url if own else url if url.startswith("https://") else "https://host.example/" + url.split("://")[-1].lstrip("/")
        self.base = self.base.rstrip("/")
        driven = {name: swift for name, swift in self.types.items()}
        self.client.emit(self.sources, driven, self.calls, None if own else self.base)
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

    def work(self):
        """Makes all lines of work."""
        for name, schema in self.document.schemas.items():
            self.count["schemas"] += 1
            swift = self.types.get(name)
            if not swift:
                self.fail("schema", f"#/components/schemas/{name}", "no Swift type was found", None, None)
                continue
            if not self.client.readable(f"{NAMESPACE}.{swift}"):
                self.notes["schemas whose type does not read and write"] += 1
                continue
            found, reason = self.made.several(schema, "both", self.options.instances)
            examples = [(value, True) for value in self.valid(schema, cases.schema_examples(schema))]
            if not found and not examples:
                self.count["without"] += 1
                self.notes[f"no valid instance was made: #/components/schemas/{name}: {reason}"] += 1
            for value, is_example in [(value, False) for value in found] + examples:
                self.count["instances"] += 1
                self.add({"type": name, "json": text(value), "nullable": value is None}, ("schema", name, value, is_example))
        for path, method, item, operation in self.document.operations():
            section = f"{method.upper()} {path}"
            if section in self.calls:
                self.work_on(section, path, method, item, operation)

    def valid(self, schema, examples, direction="both"):
        kept = []
        for example in examples:
            if schema is not None and self.validity.error(schema, example, direction):
                self.notes["examples of the document that its schema refuses"] += 1
            else:
                kept.append(example)
        return kept

    def work_on(self, section, path, method, item, operation):
        method_made = self.calls[section]
        arguments, body_argument, left = self.arguments(section, method_made, item, operation)
        body = cases.body_of(self.document, operation)
        responses = Responses(self.document, operation).all
        responses = responses or [(200, None, None, [])]
        answers = []
        for code, media_type, schema, examples in responses:
            answers += [(code, media_type, schema, value) for value in self.answers(schema, media_type, examples)]
        answers = answers or [(200, None, None, NO_ANSWER)]
        variants = max(self.options.variants, len(answers))
        called = 0
        for variant in range(variants):
            kind = ("full", "minimal")[variant] if variant < 2 else "random"
            given, passed, problem = {}, {}, None
            for argument in arguments:
                wanted = argument.parameter.get("required") or (
                    kind == "full" or (kind == "random" and self.made.count % 2))
                if not wanted:
                    self.made.count += 1
                    continue
                try:
                    value = self.argument_value(argument, variant, kind)
                except Impossible as error:
                    if argument.parameter.get("required"):
                        problem = f"no valid value for the required parameter {argument.key[0]}: {error}"
                    else:
                        self.notes[f"no valid value for an optional parameter: {error}"[:120]] += 1
                    continue
                if value is None and not argument.parameter.get("required"):
                    continue
                given[argument.key] = value
                passed[argument.swift.name] = value
            content = None
            if body and body_argument is not None and problem is None:
                needed = body[3] or kind != "minimal"
                if needed:
                    try:
                        content = self.body_value(body, body_argument, variant, kind)
                        passed[body_argument.name] = content
                    except Impossible as error:
                        problem = f"no valid body: {error}" if body[3] else None
                        if problem is None:
                            self.notes["no valid optional body"] += 1
            if problem:
                self.notes[f"calls not made: {section}: {problem}"[:200]] += 1
                continue
            called += 1
            code, media_type, schema, value = answers[variant % len(answers)]
            line = {"call": section, "arguments": passed, "status": code, "fields": {}, "body": ""}
            if media_type and method != "head" and code != 204:
                line["fields"] = {"Content-Type": media_type if "*" not in media_type else "application/octet-stream"}
                line["body"] = text(value) if is_json(media_type) else str(value)
            self.add(line, ("call", section, (path, method, item, operation), given, content,
                            body[0] if body and body_argument is not None else None, left, (code, media_type, value)))
        if not called:
            self.skip("no valid arguments are known")

    def arguments(self, section, made, item, operation):
        """(Swift arguments of the parameters, the body's, the parameters that have none)."""
        swift = [argument for argument in made.arguments if argument.name != "options"]
        body = next((argument for argument in swift if argument.is_body), None)
        open_ones = [argument for argument in swift if not argument.is_body]
        found, left = [], []
        for parameter in self.document.parameters(item, operation):
            name, place = parameter.get("name"), parameter.get("in")
            if place == "header" and name.lower() in cases.OWN_HEADERS:
                continue
            match = next((argument for argument in open_ones if key(argument.name.rstrip("_")) == key(name)), None)
            if match is None:
                match = next((argument for argument in open_ones
                              if key(argument.name.rstrip("_0123456789")) == key(name.rstrip("_0123456789"))
                              or key(argument.name) == key(name) + "parameter"), None)
            if match is not None and self.client.readable(match.base):
                open_ones.remove(match)
                found.append(cases.Argument(parameter, match))
                continue
            left.append(parameter)
            if place == "header" and name.lower() == "idempotency-key":
                continue
            self.count["parameters left out"] += 1
            self.notes[f"parameters without an argument: {place}, "
                       f"{wire.kind_of(self.document, parameter.get('schema', {}))}"] += 1
            if parameter.get("required"):
                self.fail("operation", section, f"the required parameter {name} has no argument", None, None)
        for argument in open_ones:
            self.fail("operation", section, f"the argument {argument.name} stands for no parameter", None, None)
        if body is None and operation.get("requestBody"):
            self.notes["bodies without an argument"] += 1
        return found, body, left

    def argument_value(self, argument, variant, kind):
        examples = self.valid(argument.schema, argument.examples, "write") if variant == 0 else []
        if examples and not (argument.parameter["in"] == "path" and examples[0] in ("", None)):
            return examples[0]
        return argument.value(self.made, kind, hard=variant >= 2)

    def body_value(self, body, argument, variant, kind):
        media_type, schema, examples, _ = body
        if argument.base == "HTTPBody":
            return "bytes of the body: ü"
        if argument.base == "String" and not is_json(media_type):
            return "text of the body: ü"
        kept = self.valid(schema, examples, "write")
        if variant < len(kept):
            return self.described(schema, kept[variant])
        if schema is None:
            return {"any": ["thing", 1, None]}
        return self.made.one(schema, "write", kind, branch=variant)

    def described(self, schema, example):
        """An example without the properties that no schema declares: no model holds them."""
        if not isinstance(example, dict) or not isinstance(schema, dict):
            return example
        flat = Maker(self.document, "flat").flat(schema, 0)
        if flat.get("additionalProperties") or schema.get("oneOf") or schema.get("anyOf") or "properties" not in flat:
            return example
        kept = {name: value for name, value in example.items() if name in flat["properties"]}
        if kept != example:
            self.notes["properties of examples that no schema declares, left out"] += 1
        return kept

    def answers(self, schema, media_type, examples):
        if media_type is None:
            return [None]
        if not is_json(media_type):
            return ["text of the answer: ü"]
        if schema is None or schema == {}:
            return self.valid(None, examples)[:3] or [{"any": ["thing", 1, None]}]
        found = self.valid(schema, examples, "read")[:3]
        reason = None
        for kind in ("full", "minimal", "random")[:max(1, self.options.variants - 1)]:
            try:
                found.append(self.made.one(schema, "read", kind, branch=None))
            except Impossible as error:
                reason = str(error)
        if not found:
            self.notes[f"no valid answer was made: {reason}"[:160]] += 1
        return found

    # Driving and judging

    def drive(self):
        """The driver's answers, by line. One that dies is started again after the line that it died of."""
        program = os.path.join(self.package, ".build", "debug", self.name)
        answers = {}
        rest = list(self.lines)
        while rest:
            source = "".join(text(line) + "\n" for line in rest)
            done = subprocess.run([program], input=source.encode(), capture_output=True, timeout=900)
            last = 0
            for raw in done.stdout.splitlines():
                try:
                    answer = json.loads(raw)
                except ValueError:
                    continue
                answers[answer.get("id")] = answer
                last = answer.get("id") or last
            unanswered = [line for line in rest if line["id"] not in answers]
            if not unanswered:
                break
            died = unanswered[0]
            answers[died["id"]] = {"error": f"the program died ({done.returncode}): {done.stderr[-400:].decode(errors='replace')}"}
            rest = [line for line in unanswered if line["id"] != died["id"]]
            if len(rest) == len(unanswered):
                break
        return answers

    def judge(self):
        answers = self.drive()
        for line, expectation in zip(self.lines, self.expectations):
            answer = answers.get(line["id"], {"error": "no answer"})
            if expectation[0] == "schema":
                self.judge_schema(answer, *expectation[1:])
            else:
                self.judge_call(line, answer, *expectation[1:])

    def compare(self, value, found, is_example):
        """The first difference that counts; the others are noted."""
        wrong = None
        for kind, path, one, other in differences(value, found):
            if kind == "respelt":
                self.notes["texts that mean the same, spelt in another way"] += 1
                self.respelt.add(f"{one} -> {other}")
            elif kind == "missing" and is_example and self.undeclared(path):
                self.notes["properties of examples that no schema declares, dropped"] += 1
            elif wrong is None:
                wrong = f"{kind} at {path}: {text(other)[:200]} instead of {text(one)[:200]}"
        return wrong

    def undeclared(self, path):
        if not hasattr(self, "declared"):
            self.declared = set()
            todo = [self.document.root]
            while todo:
                value = todo.pop()
                if isinstance(value, dict):
                    if isinstance(value.get("properties"), dict):
                        self.declared.update(value["properties"])
                    todo += value.values()
                elif isinstance(value, list):
                    todo += value
        return path.rsplit("/", 1)[-1] not in self.declared

    def judge_schema(self, answer, name, value, is_example):
        where = f"#/components/schemas/{name}"
        if "error" in answer:
            problem = answer["error"]
        else:
            try:
                problem = self.compare(value, parse(answer["json"]), is_example)
            except ValueError:
                problem = "what was written is no JSON"
        if not problem:
            self.records.append({"type": name, "json": text(value), "written": answer["json"]})
        if problem:
            self.count["mismatches"] += 1
            self.fail("schema", where, problem, text(value), answer.get("json"))

    def judge_call(self, line, answer, section, place, given, content, media_type, left, response):
        path, method, item, operation = place
        recorded = answer.get("request")
        if not recorded:
            self.count["refused"] += 1
            self.fail("request", section, answer.get("error", "no request was made"), text(line["arguments"]), None)
            return
        request = wire.Request(recorded)
        self.count["requests"] += 1
        before = len(self.failures)
        self.judge_request(request, section, place, given, content, media_type, left)
        self.judge_answer(section, answer, response, method)
        if len(self.failures) == before:
            fields = {name: value for name, value in recorded["fields"]}
            self.records.append({
                "call": section, "arguments": text(line["arguments"]), "status": line["status"],
                "answer": line["body"], "target": recorded["target"], "fields": fields,
                "body": request.body.decode(), "result": answer.get("value", answer.get("documented"))})

    def judge_request(self, request, section, place, given, content, media_type, left):
        path, method, item, operation = place
        parameters = self.document.parameters(item, operation)
        servers = self.document.servers(item, operation)
        own = server_url(servers[0])
        base = own.rstrip("/") if "://" in own and (item.get("servers") or operation.get("servers")) else self.base
        origin = "/".join(base.split("/")[:3])
        problems = []
        if request.method != method:
            problems.append(f"the method is {request.method}")
        if request.origin.lower() != origin.lower():
            problems.append(f"the origin is {request.origin} instead of {origin}")
        keys = [scheme.get("name") for scheme in self.schemes() if scheme.get("in") == "query"]
        missing = [parameter for parameter in parameters if parameter in left]
        checked = [parameter for parameter in parameters if parameter not in left
                   and not (parameter["in"] == "header" and parameter["name"].lower() in cases.OWN_HEADERS)]
        problems += wire.check_parameters(request, path, base, checked, given, keys)
        own_types = (self.document.resolved(operation.get("requestBody") or {}).get("content") or {})
        if content is not None and not is_json(media_type or "") and request.media_type in own_types:
            # Of several media types the client has taken another one.
            media_type = request.media_type
        if content is not None or media_type:
            wrong = wire.check_body(request, media_type or "", content)
            if wrong:
                problems.append("body: " + wrong)
        hidden, reasons = set(), set()
        for parameter in parameters:
            place_key = parameter["name"], parameter["in"]
            reason = None
            if parameter["in"] == "header" and parameter["name"].lower() in cases.OWN_HEADERS:
                hidden.add(place_key)
                continue
            if place_key in given:
                reason = wire.parameter_gap(self.document, parameter, given[place_key])
            elif parameter in missing:
                reason = None if not parameter.get("required") else "a required parameter has no argument"
                if parameter["name"].lower() == "idempotency-key":
                    reason = None
            if reason:
                hidden.add(place_key)
                reasons.add(reason)
        hides_body = False
        body = cases.body_of(self.document, operation)
        if body and content is not None:
            reason = wire.body_gap(
                self.document, media_type, body[1], content, own_types.get(media_type, {}).get("encoding"))
            if reason:
                hides_body = True
                reasons.add(reason)
        verdict, detail = wire.core_verdict(
            self.document, base, path, method, item, operation, hidden, hides_body, request)
        if verdict == "invalid":
            problems.append("openapi-core: " + detail)
        elif verdict == "crash":
            reasons.add(detail)
        for reason in reasons:
            self.notes["openapi-core did not judge: " + reason] += 1
        if verdict == "valid":
            self.count["judged in part" if reasons else "judged"] += 1
        elif verdict == "crash":
            self.count["unjudged"] += 1
        if problems:
            self.count["wrong requests"] += 1
            shown = f"{request.method} {request.origin}{request.target} {request.fields} {request.body[:600]!r}"
            for problem in problems:
                self.fail("request", section, problem,
                          text({f"{where} {name}": value for (name, where), value in given.items()}) + " body " + text(content), shown)

    def schemes(self):
        found = (self.document.root.get("components") or {}).get("securitySchemes") or {}
        return [self.document.resolved(scheme) for scheme in found.values()]

    def judge_answer(self, section, answer, response, method):
        code, media_type, value = response
        if value is NO_ANSWER:
            return
        self.count["answers"] += 1
        where = f"{section} -> {code} {media_type or 'without a body'}"
        problem = None
        if "error" in answer:
            problem = answer["error"]
        else:
            found = answer.get("success", answer.get("value", answer.get("documented")))
            if "opaque" in answer:
                self.notes[f"answers that are not compared: {answer['opaque']}"] += 1
            elif media_type and method != "head" and code != 204:
                if is_json(media_type):
                    try:
                        if found == "" and value != "":
                            self.notes["answers with a body that the result leaves out"] += 1
                            self.left_out.add(where)
                        else:
                            problem = self.compare(value, found if answer.get("isText") else parse(found), True)
                    except ValueError:
                        problem = f"the result {found[:100]!r} is no JSON"
                elif found != str(value):
                    problem = f"the result is {found!r} instead of {value!r}"
        if problem:
            self.count["wrong answers"] += 1
            self.fail("answer", where, problem, text(value), json.dumps(answer)[:600])

    def row(self):
        count = self.count
        return [self.name, count["schemas"], count["instances"], count["mismatches"], count["without"],
                count["operations"], count["requests"], count["judged"], count["judged in part"],
                count["unjudged"], count["wrong requests"] + count["refused"], count["answers"],
                count["wrong answers"], count["skipped"]]


HEAD = ["document", "schemas", "instances", "mismatch", "none", "operations", "requests", "judged", "in part",
        "unjudged", "wrong", "answers", "wrong", "skipped"]


def table(rows):
    rows = [HEAD] + rows
    widths = [max(len(str(row[index])) for row in rows) for index in range(len(HEAD))]
    lines = []
    for row in rows:
        cells = [str(cell).ljust(width) if index == 0 else str(cell).rjust(width)
                 for index, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells))
    return "\n".join(lines)


def documents(paths):
    for path in paths:
        if os.path.isdir(path):
            for name in sorted(os.listdir(path)):
                whole = os.path.join(path, name)
                if os.path.isfile(whole) and name.endswith((".yaml", ".yml", ".json")):
                    with open(whole, encoding="utf-8", errors="replace") as file:
                        head = file.read(65536)
                    if "openapi" in head:
                        yield whole
        else:
            yield path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default="1")
    parser.add_argument("--instances", type=int, default=6)
    parser.add_argument("--variants", type=int, default=3)
    parser.add_argument("--failures", type=int, default=10)
    parser.add_argument("--record")
    parser.add_argument("--root", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    sys.setrecursionlimit(20000)
    trips, names = [], set()
    for path in documents(options.paths):
        name = "Exercise" + "".join(part[:1].upper() + part[1:] for part in
                                    "".join(c if c.isalnum() else " " for c in os.path.basename(path).rsplit(".", 1)[0]).split())
        while name in names:
            name += "2"
        names.add(name)
        print(f"round-trips: {path}: generating", flush=True)
        trip = Trip(path, name, options, options.work)
        trip.generate(options.tool)
        trips.append(trip)
    write_package(options, [trip for trip in trips if hasattr(trip, "base")])
    rows, failed = [], False
    report = open(os.path.join(options.work, "report.txt"), "w", encoding="utf-8")
    for trip in trips:
        start = time.monotonic()
        print(f"round-trips: {trip.name}: compiling", flush=True)
        if trip.failures and not hasattr(trip, "base"):
            rows.append(trip.row())
            failed = True
            write_report(report, trip)
            print(f"  {trip.failures[0][2]}")
            continue
        built = subprocess.run(["swift", "build", "--package-path", options.work, "--product", trip.name],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if built.returncode != 0:
            lines = [line for line in built.stdout.decode(errors="replace").splitlines() if "error:" in line]
            print("\n".join(lines[:20]) or built.stdout.decode(errors="replace")[-2000:])
            trip.fail("build", trip.path, "the client with its driver does not compile", None, None)
        else:
            compiled = time.monotonic()
            trip.work()
            print(f"round-trips: {trip.name}: {len(trip.lines)} cases; compiling took {compiled - start:.0f} s, "
                  f"making them {time.monotonic() - compiled:.0f} s", flush=True)
            trip.judge()
            if options.record:
                with open(options.record, "w", encoding="utf-8") as out:
                    out.writelines(text(record) + "\n" for record in trip.records)
        rows.append(trip.row())
        failed = failed or bool(trip.failures)
        write_report(report, trip)
        for what, where, problem, given, got in trip.failures[:options.failures]:
            print(f"  {what} {where}: {problem}")
        if len(trip.failures) > options.failures:
            print(f"  and {len(trip.failures) - options.failures} more: see {report.name}")
    report.close()
    notes = collections.Counter()
    for trip in trips:
        notes.update({note: count for note, count in trip.notes.items() if not note.startswith("no valid instance")})
    print("\n" + table(rows))
    print("\nWhat was not judged, or judged with an allowance:")
    for note, count in sorted(notes.items(), key=lambda item: (item[0].split(":")[0], -item[1])):
        print(f"  {count:6}  {note}")
    sys.exit(1 if failed else 0)


def write_report(report, trip):
    report.write(f"==== {trip.path}\n")
    for what, where, problem, given, got in trip.failures:
        report.write(f"{what} {where}\n    {problem}\n    given: {given}\n    got:   {got}\n")
    for one in sorted(trip.respelt):
        report.write(f"respelt {one}\n")
    for one in sorted(trip.left_out):
        report.write(f"left out {one}\n")
    for note, count in sorted(trip.notes.items()):
        report.write(f"note {count:6} {note}\n")
    report.flush()


def write_package(options, trips):
    targets = "".join(
        f'        .executableTarget(name: "{trip.name}", dependencies: [client], swiftSettings: settings),\n'
        for trip in trips)
    manifest = f"""// swift-tools-version: 6.2
import PackageDescription

let client: Target.Dependency = .product(name: "GatewayClient", package: "GatewayClient")
let settings: [SwiftSetting] = [.swiftLanguageMode(.v5)]

let package = Package(
    name: "RoundTrips",
    dependencies: [.package(name: "GatewayClient", path: "{options.root}")],
    targets: [
{targets}    ]
)
"""
    place = os.path.join(options.work, "Package.swift")
    if not os.path.exists(place) or open(place).read() != manifest:
        with open(place, "w") as out:
            out.write(manifest)


if __name__ == "__main__":
    main()
