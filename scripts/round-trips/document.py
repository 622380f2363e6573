"""OpenAPI documents, read as YAML 1.2 has it, in one piece, without anything that the generator knows."""

import json
import os
import re
import urllib.parse

import yaml

STREAMS = ("text/event-stream", "application/jsonl", "application/x-ndjson", "application/json-seq")
METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]


class Loader(yaml.CSafeLoader):
    """YAML 1.2's core schema: no dates, no yes and no, no octal numbers by a leading zero."""

    yaml_implicit_resolvers = {}


for tag, pattern, first in [
    ("tag:yaml.org,2002:bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("tag:yaml.org,2002:null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("tag:yaml.org,2002:int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("tag:yaml.org,2002:float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
    ("tag:yaml.org,2002:merge", r"^<<$", "<"),
]:
    Loader.add_implicit_resolver(tag, re.compile(pattern), list(first))

Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))
Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))


def read(path):
    """The value of a file, with text as keys."""
    with open(path, encoding="utf-8-sig") as file:
        text = file.read()
    if path.endswith(".json"):
        return json.loads(text)
    return texts(yaml.load(text, Loader))


def texts(value):
    if isinstance(value, dict):
        return {key if isinstance(key, str) else json.dumps(key): texts(item) for key, item in value.items()}
    return [texts(item) for item in value] if isinstance(value, list) else value


def escape(part):
    return part.replace("~", "~0").replace("/", "~1")


class Document:
    """A document whose references all lead into itself: other files are taken in under `x-files`."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.files = {}
        self.root = read(self.path)
        self._take_in(self.root, self.path, own=True)
        if self.files:
            self.root["x-files"] = self.files
        version = str(self.root.get("openapi", ""))
        self.version = "3.0" if version.startswith("3.0") else "3.2" if version.startswith("3.2") else "3.1"

    def _take_in(self, value, file, own):
        if isinstance(value, list):
            for item in value:
                self._take_in(item, file, own)
        if not isinstance(value, dict):
            return
        reference = value.get("$ref")
        if isinstance(reference, str):
            place, _, pointer = reference.partition("#")
            if place and "://" not in place:
                target = os.path.normpath(os.path.join(os.path.dirname(file), urllib.parse.unquote(place)))
                if target == self.path:
                    value["$ref"] = "#" + pointer
                else:
                    key = os.path.relpath(target, os.path.dirname(self.path))
                    if key not in self.files:
                        self.files[key] = None
                        content = read(target)
                        self.files[key] = content
                        self._take_in(content, target, own=False)
                    value["$ref"] = "#/x-files/" + urllib.parse.quote(escape(key)) + pointer
            elif not place and not own:
                key = os.path.relpath(file, os.path.dirname(self.path))
                value["$ref"] = "#/x-files/" + urllib.parse.quote(escape(key)) + pointer
        for key, item in value.items():
            if key not in ("example", "examples", "default", "enum", "const"):
                self._take_in(item, file, own)

    def at(self, reference):
        """What a reference leads to."""
        value = self.root
        for part in reference.lstrip("#").split("/")[1:]:
            part = urllib.parse.unquote(part).replace("~1", "/").replace("~0", "~")
            value = value[int(part)] if isinstance(value, list) else value[part]
        return value

    def resolved(self, value):
        """The value, or what it refers to in the end; a sibling of `$ref` is kept beside it."""
        for _ in range(50):
            if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
                return value
            value = self.at(value["$ref"])
        raise ValueError("references go in a circle")

    @property
    def schemas(self):
        return (self.root.get("components") or {}).get("schemas") or {}

    def operations(self):
        """(path, method, path item, operation), references of path items followed."""
        for path, item in (self.root.get("paths") or {}).items():
            if not path.startswith("/"):
                continue
            item = self.resolved(item)
            for method in METHODS:
                if method in item:
                    yield path, method, item, self.resolved(item[method])

    def is_stream(self, operation):
        """Whether the only success is a stream of values."""
        found = [media_type for status, response in (operation.get("responses") or {}).items()
                 if str(status)[:1] == "2" for media_type in self.resolved(response).get("content") or {}]
        return bool(found) and all(media_type.partition(";")[0] in STREAMS for media_type in found)

    def parameters(self, item, operation):
        """The parameters of an operation, its own before those of the path item that it does not replace."""
        known = {}
        for parameter in (item.get("parameters") or []) + (operation.get("parameters") or []):
            parameter = self.resolved(parameter)
            known[parameter.get("name"), parameter.get("in")] = parameter
        return list(known.values())

    def servers(self, item, operation):
        for holder in (operation, item, self.root):
            if holder.get("servers"):
                return holder["servers"]
        return [{"url": "/"}]

    def only(self, path, method, item, operation):
        """The document with this operation alone: openapi-core looks through all paths for each request."""
        slim = {key: value for key, value in self.root.items() if key not in ("paths", "webhooks")}
        own = {key: value for key, value in item.items() if key not in METHODS}
        own[method] = operation
        slim["paths"] = {path: own}
        return slim


def server_url(server):
    """The URL with the variables' defaults."""
    url = server.get("url", "/")
    for name, variable in (server.get("variables") or {}).items():
        url = url.replace("{" + name + "}", str(variable.get("default", "")))
    return url
