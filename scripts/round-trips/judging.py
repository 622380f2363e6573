"""Runs the driver over the lines of work and judges what it answers."""

import json
import os
import subprocess

import cases
import core
import multipart
import wire
from cases import is_json
from document import server_url
from making import NO_ANSWER
from values import differences, parse, text


class Judging:
    """Judges the answers; part of a trip."""

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
        self.check_order(value, found)
        for kind, path, one, other in differences(value, found):
            if kind == "respelt":
                self.notes["texts that mean the same, spelt in another way"] += 1
                self.respelt.add(f"{one} -> {other}")
            elif kind == "missing" and is_example and not self.options.unknown_properties and self.undeclared(path):
                self.notes["properties of examples that no schema declares, dropped"] += 1
            elif wrong is None:
                wrong = f"{kind} at {path}: {text(other)[:200]} instead of {text(one)[:200]}"
        return wrong

    def check_order(self, value, found):
        """Counts the objects whose unknown properties have changed places."""
        if isinstance(value, dict) and isinstance(found, dict):
            unknown = [[name for name in one if name.startswith("~")] for one in (value, found)]
            self.count["other order"] += unknown[0] != unknown[1]
            for name in value:
                self.check_order(value[name], found.get(name))
        elif isinstance(value, list) and isinstance(found, list):
            for one, other in zip(value, found):
                self.check_order(one, other)

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
        if len(self.failures) == before and not request.media_type.startswith("multipart/"):
            fields = {name: value for name, value in recorded["fields"]}
            self.records.append({
                "call": section, "arguments": text(line["arguments"]), "status": line["status"],
                "answer": line["body"], "target": recorded["target"], "fields": fields,
                "body": request.body.decode(), "result": answer.get("value", answer.get("documented"))})

    def judge_request(self, request, section, place, given, content, media_type, left):
        path, method, item, operation = place
        parameters = self.document.parameters(item, operation)
        servers = self.document.servers(item, operation)
        # Of several servers the client takes the one that is named like its own.
        own = next((url for url in map(server_url, servers) if (request.origin + request.path).startswith(url)),
                   server_url(servers[0]))
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
                   and not (parameter["in"] == "header" and parameter["name"].lower() in cases.OWN_HEADERS)
                   # The client generates a key that the caller does not pass. openapi-core validates it.
                   and not (parameter["name"].lower() == "idempotency-key"
                            and given.get((parameter["name"], parameter["in"])) is None)]
        problems += wire.check_parameters(request, path, base, checked, given, keys)
        own_types = (self.document.resolved(operation.get("requestBody") or {}).get("content") or {})
        sent = request.media_type.partition(";")[0]
        if content is not None and "," not in section and not is_json(media_type or "") and sent in own_types:
            # Of several media types the client has taken another one.
            media_type = sent
        holder = own_types.get(media_type) or {}
        if content is not None and sent == "multipart/form-data" == media_type and isinstance(content, dict):
            wrong = multipart.check(
                self.document, request.media_type, request.body, holder.get("schema"), holder.get("encoding"), content)
            self.count["forms of parts"] += 1
            if wrong:
                problems.append(f"body: {wrong}")
        elif content is not None or media_type:
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
                reason = core.parameter_gap(self.document, parameter, given[place_key])
            elif not parameter.get("required") and core.parameter_gap(self.document, parameter, None):
                # openapi-core fails of what it cannot read even where it is absent.
                hidden.add(place_key)
            elif parameter in missing:
                reason = None if not parameter.get("required") else "a required parameter has no argument"
                if parameter["name"].lower() == "idempotency-key":
                    reason = None
            if reason:
                hidden.add(place_key)
                reasons.add(reason)
        hides_body = False
        body = cases.body_of(self.document, operation, media_type)
        if body and content is not None:
            reason = core.body_gap(
                self.document, media_type, body[1], content, own_types.get(media_type, {}).get("encoding"),
                body[3])
            if reason:
                hides_body = True
                reasons.add(reason)
        verdict, detail = core.verdict(
            self.document, base, path, method, item, operation, hidden, hides_body, request)
        if verdict == "invalid":
            problems.append("openapi-core: " + detail)
        elif verdict in ("crash", "part"):
            reasons.add(detail)
        for reason in reasons:
            self.notes["openapi-core did not judge: " + reason] += 1
        if verdict in ("valid", "part"):
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
                            problem = "the result leaves the body out"
                        else:
                            problem = self.compare(value, found if answer.get("isText") else parse(found), True)
                    except ValueError:
                        problem = f"the result {found[:100]!r} is no JSON"
                elif found != str(value):
                    problem = f"the result is {found!r} instead of {value!r}"
        if problem:
            self.count["wrong answers"] += 1
            self.fail("answer", where, problem, text(value), json.dumps(answer)[:600])
