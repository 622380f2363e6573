"""The lines of work for one document: instances to bring through models, calls to make, answers to give."""

import cases
import wire
from cases import Responses, is_json
from instances import Impossible, Maker
from swift_client import key
from values import text

NAMESPACE = "Exercised"
NO_ANSWER = object()


class Making:
    """Makes the lines; part of a trip."""

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
            for name in [name for name in self.calls if name == section or name.startswith(section + ", ")]:
                self.work_on(name, path, method, item, operation)

    def valid(self, schema, examples, direction="both"):
        kept = []
        for example in examples:
            if isinstance(schema, dict) and not isinstance(example, dict) and self.only_implies_an_object(schema):
                self.notes["examples of another kind than the properties that their schema describes"] += 1
            elif schema is not None and self.validity.error(schema, example, direction):
                self.notes["examples of the document that its schema refuses"] += 1
            else:
                kept.append(example)
        return kept

    def only_implies_an_object(self, schema):
        flat = Maker(self.document, "flat").flat(schema, 0)
        return "type" not in flat and "properties" in flat

    def work_on(self, section, path, method, item, operation):
        method_made = self.calls[section]
        arguments, body_argument, left = self.arguments(section, method_made, item, operation)
        label = method_made.body_label
        chosen = label and cases.labelled(self.document, operation, label)
        if label and not chosen:
            self.fail("operation", section, f"the label {label} stands for no media type", None, None)
            return
        body = cases.body_of(self.document, operation, chosen)
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
                needed = body[3] or kind != "minimal" or not body_argument.type.endswith("?")
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
            return kept[variant] if self.keeps(media_type) else self.described(schema, kept[variant])
        if schema is None:
            return {"any": ["thing", 1, None]}
        return self.made.one(schema, "write", kind, branch=variant, is_json=is_json(media_type))

    def keeps(self, media_type):
        """Whether models of this media type keep properties that no schema declares."""
        return self.options.unknown_properties and is_json(media_type)

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
