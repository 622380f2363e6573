"""Forms of parts as a server reads them: werkzeug takes them apart, the standard's Encoding Object says what they are."""

import re

from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder

from instances import Maker
from values import differences, parse, text
from wire import same

BINARY = "application/octet-stream"


class Part:
    def __init__(self, name, filename, content_type):
        self.name, self.filename, self.content_type = name, filename, content_type
        self.bytes = b""

    @property
    def kind(self):
        return (self.content_type or "").partition(";")[0].strip().lower()

    def __repr__(self):
        return f"{self.kind or 'no type'} {self.filename or ''} {self.bytes[:80]!r}"


def parts_of(media_type, body):
    """The parts of a form; raises ValueError for what is none."""
    boundary = re.search(r'boundary="?([^";]+)"?', media_type)
    if not boundary:
        raise ValueError(f"{media_type!r} has no boundary")
    decoder = MultipartDecoder(boundary.group(1).encode())
    decoder.receive_data(body)
    decoder.receive_data(None)
    parts = []
    while True:
        event = decoder.next_event()
        if isinstance(event, (Field, File)):
            parts.append(Part(event.name, getattr(event, "filename", None), event.headers.get("content-type")))
        elif isinstance(event, Data):
            parts[-1].bytes += event.data
        elif isinstance(event, Epilogue):
            return parts


def check(document, media_type, body, schema, encoding, value):
    """What is wrong with a form of parts; None if it says what is expected."""
    try:
        parts = parts_of(media_type, body)
    except ValueError as error:
        return f"the form cannot be read: {error}"
    flat = Maker(document, "flat").flat(schema or {}, 0)
    properties = flat.get("properties") or {}
    others = flat.get("additionalProperties")
    unknown = sorted({part.name for part in parts} - set(value))
    if unknown:
        return f"unknown in the form: {unknown}"
    for name, item in value.items():
        found = [part for part in parts if part.name == name]
        said = ((encoding or {}).get(name) or {}).get("contentType")
        own = properties.get(name, others if isinstance(others, dict) else {})
        wrong = check_property(document, own, said, item, found)
        if wrong:
            return f"{name}: {wrong}"
    return None


def check_property(document, schema, said, value, parts):
    allowed = [kind.strip().lower() for kind in said.split(",")] if said else []
    is_json = bool(allowed) and (allowed[0] == "application/json" or allowed[0].endswith("+json"))
    if value is None or (isinstance(value, list) and all(item is None for item in value)):
        return f"nothing is expected: {parts}" if parts and not is_json else None
    if isinstance(value, list) and not is_json:
        # Each item is a part of its own.
        items = [item for item in value if item is not None]
        inner = schema if is_file(document, schema) else Maker(document, "flat").flat(schema, 0).get("items", {})
        if len(parts) != len(items):
            return f"{len(parts)} parts instead of {len(items)}"
        wrong = [check_part(document, inner, allowed, item, part) for item, part in zip(items, parts)]
        return next((one for one in wrong if one), None)
    if len(parts) != 1:
        return f"{len(parts)} parts instead of 1"
    return check_part(document, schema, allowed, value, parts[0])


def check_part(document, schema, allowed, value, part):
    if isinstance(value, str) and is_file(document, schema):
        if part.filename is None:
            return f"a file without a name: {part}"
        if part.bytes != value.encode():
            return f"{part} instead of {value!r}"
        return named(part.kind, allowed or [BINARY])
    if part.filename is not None:
        return f"what is no file has a name: {part}"
    is_json = bool(allowed) and (allowed[0] == "application/json" or allowed[0].endswith("+json"))
    if is_json or isinstance(value, (dict, list)):
        try:
            wrong = [item for item in differences(value, parse(part.bytes)) if item[0] != "respelt"]
        except ValueError:
            return f"{part} is no JSON"
        return f"{part} instead of {text(value)}" if wrong else named(part.kind, allowed or ["application/json"])
    if not same(value, part.bytes.decode()):
        return f"{part} instead of {value!r}"
    # A part that names no type is text (RFC 7578, section 4.4).
    return named(part.kind or "text/plain", ["text/plain"] + allowed)


def named(kind, allowed):
    for one in allowed:
        if one == kind or one == "*/*" or (one.endswith("/*") and kind.startswith(one[:-1])):
            return None
        if "*" in one and kind == BINARY:
            return None
    return f"the part's type is {kind!r} instead of {allowed}"


def is_file(document, schema):
    """Whether texts of a schema are the content of files."""
    if not isinstance(schema, dict):
        return False
    schema = document.resolved(schema)
    branches = (schema.get("oneOf") or []) + (schema.get("anyOf") or [])
    if branches:
        return any(is_file(document, branch) for branch in branches)
    if len(schema.get("allOf") or []) == 1:
        return is_file(document, schema["allOf"][0])
    if document.version != "3.0" and "contentMediaType" in schema and "contentEncoding" not in schema:
        return schema["contentMediaType"] == BINARY
    if schema.get("type") == "array":
        return is_file(document, schema.get("items"))
    return "binary" in (schema.get("format"), schema.get("contentEncoding"))
