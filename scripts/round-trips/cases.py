"""The work for the driver: instances of schemas, calls with arguments and answers."""

import patterns
import scalars
import wire
from instances import Impossible, Maker
from swift_client import key

OWN_HEADERS = {"accept", "content-type", "authorization"}


class Instances:
    """Valid instances of schemas, and why there are none."""

    def __init__(self, document, validity, seed, keeps_unknown=False):
        self.document = document
        self.keeps_unknown = keeps_unknown
        self.kept = 0
        self.validity = validity
        self.seed = seed
        self.count = 0
        self.unknown = 0

    def one(self, schema, direction, kind, texts=None, branch=None, is_json=True):
        """A valid instance; raises Impossible with the reason.

        is_json: whether it is sent or received as JSON, and not as a parameter or form.
        """
        reason = "no attempt"
        self.count += 1
        for attempt in range(10):
            maker = Maker(self.document, f"{self.seed}/{self.count}/{attempt}", direction, kind, texts,
                          examples=0.3 if attempt == 0 else 0.0, branch=branch if attempt < 5 else None)
            # Where they make every instance invalid, the schema forbids them by other keywords.
            maker.adds_unknown = self.keeps_unknown and is_json and attempt < 7
            try:
                value = maker.make(schema)
            except (Impossible, patterns.Unmatched) as error:
                reason = str(error)
                continue
            except (RecursionError, KeyError, TypeError, ValueError, IndexError) as error:
                reason = f"{type(error).__name__}: {error}"
                continue
            if isinstance(value, bytes):
                continue
            reason = self.validity.error(schema, value, direction)
            if reason is None:
                self.unknown += maker.unknown
                self.kept += maker.kept
                return value
            if attempt > 3 and kind == "full":
                kind = "random"
            if attempt > 7:
                kind = "minimal"
        raise Impossible(reason)

    def several(self, schema, direction, count):
        """(values, reason why there are none)."""
        found, reason = [], None
        branches = len(schema.get("oneOf") or schema.get("anyOf") or []) if isinstance(schema, dict) else 0
        for index in range(max(count, min(branches * 2, 24))):
            kind = ("full", "minimal")[index] if index < 2 else "random"
            try:
                value = self.one(schema, direction, kind, branch=index if branches else None)
            except Impossible as error:
                reason = str(error)
                if not found and index >= 3:
                    break
                continue
            if value not in found or isinstance(value, (bool, int)):
                found.append(value)
        return found, reason


def schema_examples(schema):
    """The examples that a schema has at its top."""
    if not isinstance(schema, dict):
        return []
    found = [schema["example"]] if "example" in schema else []
    return found + (schema["examples"] if isinstance(schema.get("examples"), list) else [])


def content_examples(document, content):
    found = [content["example"]] if "example" in content else []
    for example in (content.get("examples") or {}).values():
        example = document.resolved(example)
        if isinstance(example, dict) and "value" in example:
            found.append(example["value"])
    return found


def is_json(media_type):
    kind = media_type.partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json") or kind == "text/json"


def preferred(content):
    """The media type that a client takes: JSON before the rest."""
    for media_type in content:
        if is_json(media_type):
            return media_type
    return next(iter(content), None)


class Responses:
    """The answers that an operation documents: (status, media type or None, schema, examples, is a success)."""

    def __init__(self, document, operation):
        self.all = []
        responses = operation.get("responses") or {}
        named = {str(status) for status in responses}
        has_success = any(status[:1] == "2" for status in named)
        for status, response in responses.items():
            response = document.resolved(response)
            status = str(status)
            # These have no content, whatever is documented.
            content = {} if status in ("204", "205", "304") else response.get("content") or {}
            media_type = preferred(content)
            holder = content.get(media_type) or {}
            item = (media_type, holder.get("schema"), content_examples(document, holder))
            if status.isdigit():
                codes = [int(status)]
            elif status.lower() == "default":
                codes = [418] if has_success else [200, 418]
            elif status[:1].isdigit():
                first = int(status[0]) * 100
                codes = [next(code for code in range(first + (0 if first == 200 else 18), first + 99)
                              if str(code) not in named)]
            else:
                continue
            for code in codes:
                self.all.append((code,) + item)


class Argument:
    """A parameter with the Swift argument that stands for it."""

    def __init__(self, parameter, swift):
        self.parameter = parameter
        self.swift = swift
        self.key = parameter["name"], parameter["in"]
        if "content" in parameter:
            holder = next(iter(parameter["content"].values()))
            self.schema = holder.get("schema", {})
            self.examples = content_examples_or_none(holder)
        else:
            self.schema = parameter.get("schema", {})
            self.examples = content_examples_or_none(parameter)

    def value(self, made, kind, hard):
        """A value; None for an optional one that there is none of."""
        place = self.parameter["in"]
        texts = scalars.PLAIN
        if hard and place in ("query", "path", "cookie"):
            texts = scalars.HARD
        if hard and place == "header":
            texts = ["two words", "a/b", "50%", "a+b", "x;y=z"]
        style, explode = wire.style_of(self.parameter)
        if style in ("spaceDelimited", "pipeDelimited", "label") or (
                place == "header" and wire.kind_of(made.document, self.schema) != "primitive"):
            texts = scalars.PLAIN
        for _ in range(4):
            value = made.one(self.schema, "write", kind, texts, is_json="content" in self.parameter)
            if not (place == "path" and value in ("", ".", "..", [], {})):
                return value
        raise Impossible("a path parameter cannot be empty")


def content_examples_or_none(holder):
    found = [holder["example"]] if "example" in holder else []
    for example in (holder.get("examples") or {}).values() if isinstance(holder.get("examples"), dict) else []:
        if isinstance(example, dict) and "value" in example:
            found.append(example["value"])
    return found


LABELS = {"application/x-www-form-urlencoded": "form", "multipart/form-data": "multipart",
          "application/octet-stream": "bytes", "text/plain": "text"}


def labelled(document, operation, label):
    """The media type of a body that a method takes by this label; None if it is not known."""
    content = document.resolved(operation.get("requestBody") or {}).get("content") or {}
    for media_type in content:
        kind = media_type.partition(";")[0].strip().lower()
        names = {LABELS.get(kind), key(kind.rpartition("/")[2].removeprefix("x-"))}
        if label in names or key(label.rstrip("0123456789")) in names:
            return media_type
    return None


def body_of(document, operation, chosen=None):
    """(media type, schema, examples, is required), of the media type that is chosen; None where there is no body."""
    body = document.resolved(operation.get("requestBody") or {})
    content = body.get("content") or {}
    if not content:
        return None
    media_type = chosen or preferred(content)
    if not chosen and not is_json(media_type):
        # The usual one is the first of these.
        media_type = next((one for kind in LABELS for one in content if one.partition(";")[0].lower() == kind),
                          next(iter(content)))
    holder = content[media_type] or {}
    return media_type, holder.get("schema"), content_examples(document, holder), bool(body.get("required"))
