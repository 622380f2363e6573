"""Makes a document that names its parts like the identifiers of generated code.

Used by compile_generated.py: the client of such a document must compile, whatever generated code is called.
"""

import json
import pathlib
import re

# Declarations, and the labels of parameters and arguments.
DECLARED = re.compile(r"\b(?:struct|enum|protocol|typealias|func|var|let|case|extension)\s+`?([A-Za-z_]\w*)|[(,] ?`?([A-Za-z_]\w*)`?(?: \w+)?:")
# What generated code appends to names of the document: with it, a shorter name can become an identifier.
SUFFIXES = ("Failure", "Headers", "Success", "Webhook", "Callbacks", "Body", "Response", "Operations", "Protocol")
# What the document below names itself.
OWN = re.compile(r"_?own", re.IGNORECASE)
IDENTIFIER = re.compile(r"(?<![\w#@$])[A-Za-z_]\w*")

# What a configuration can add to generated code.
CONFIGURATION = """\
protocols: true
equality: hashable
validation: requests
diagnostics: { ambiguous-union: 'off', name-collision: 'off' }
"""


def code(text):
    """Source without comments and the content of literals."""
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    return re.sub(r"//[^\n]*", "", text)


def identifiers(folder, including_declared):
    """The identifiers in the Swift files of a folder."""
    sources = [code(path.read_text(encoding="utf-8")) for path in sorted(pathlib.Path(folder).rglob("*.swift"))]
    found = {name for text in sources for name in IDENTIFIER.findall(text) if not OWN.match(name)} - {"_"}
    if including_declared:
        return found
    return found - {name for text in sources for pair in DECLARED.findall(text) for name in pair}


def unlike(names):
    """One of the names that are alike but for case and underscores, and each without the suffixes of generated code."""
    shorter = {name.removesuffix(suffix) for name in names for suffix in SUFFIXES if name.endswith(suffix)} - {""}
    result = {}
    for name in sorted(names | shorter, reverse=True):
        result[name.replace("_", "").lower()] = name
    return sorted(result.values())


def document(names):
    """A document with each name as a schema, a nested schema, a property, a parameter, a value, and so on."""
    text = {"type": "string"}
    done = {"204": {"description": "Done."}}
    failures = {"400": {"description": "B", "headers": {name: {"schema": text} for name in names[:1]}}}

    def reference(name):
        return {"$ref": "#/components/schemas/" + name}

    def content(schema, media="application/json"):
        return {"content": {media: {"schema": schema}}}

    def operation(identifier, responses=None, **rest):
        return {"operationId": identifier, "responses": responses or done, **rest}

    inline = {"type": "object", "properties": {"value": text}}
    properties = {name: text for name in names}
    schemas = {
        "own Properties": {"type": "object", "properties": properties, "required": names[::2]},
        "own Optional": {"type": "object", "properties": {name: {"type": ["integer", "null"], "minimum": 1} for name in names}},
        "own Nested": {
            "type": "object", "properties": {name: inline for name in names}, "additionalProperties": {"type": "integer"}},
        "own Boxed": {
            "type": "object", "required": names[::2], "properties": {name: reference("own Boxed Value") for name in names}},
        "own Boxed Value": {"type": "object", "properties": {f"wide{index}": text for index in range(10)}},
        "own Values": {"type": "string", "enum": names},
        "own Branches": {
            "oneOf": [
                {"type": "object", "title": name, "required": [f"key{index}"], "properties": {f"key{index}": text}}
                for index, name in enumerate(names)]},
        "own Tagged": {
            "oneOf": [
                {"type": "object", "title": name, "required": ["kind"], "properties": {"kind": {"const": name}}}
                for name in names]},
        "own Pages": {
            "type": "object", "required": ["data"], "properties": {
                **properties, "data": {"type": "array", "items": reference("own Values")}, "next_cursor": text, "has_more": {"type": "boolean"},
                "item": inline}},
        "own Counted": {
            "type": "object", "required": ["data"], "properties": {
                **properties, "data": {"type": "array", "items": reference("own Values")}, "total": {"type": "integer"},
                "total_pages": {"type": "integer"}}},
        "own Files": {
            "type": "object", "properties": {
                **properties, "file": {"type": "string", "format": "binary"},
                "either": {"oneOf": [{"type": "string", "format": "binary"}, {"type": "string"}]}}},
        "own Formats": {
            "type": "object", "required": ["day"], "properties": {
                "day": {"type": "string", "format": "date"}, "at": {"type": "string", "format": "date-time"},
                "id": {"type": "string", "format": "uuid"}, "link": {"type": "string", "format": "uri"},
                "data": {"type": "string", "format": "byte"}, "other": {"type": "string", "contentEncoding": "base64url"},
                "on": {"type": "boolean"}, "ratio": {"type": "number"}, "small": {"type": "number", "format": "float"},
                "price": {"type": "number", "format": "decimal"}, "big": {"type": "integer", "format": "uint64"},
                "while": {"type": "string", "format": "duration"}, "text": {"type": "string", "format": "int64"},
                "unsigned": {"type": "string", "format": "uint64"}, "decimal": {"type": "string", "format": "decimal"},
                "count": {"type": "integer"}, "level": {"type": "integer", "enum": [1, 2]}, "any": {},
                "maybe": {"type": ["string", "null"]}, "tree": reference("own Formats")}},
    }
    for name in names:
        schemas[name] = {"type": "object", "properties": {"value": text, "self": reference(name)}}

    def query(required, first=None):
        schema = {"type": "string", "minLength": 1}
        further = [{"name": name, "in": "query", "required": required, "schema": schema} for name in names]
        return further if first is None else [first, *(item for item in further if item["name"] != first["name"])]

    everything = content(reference("own Properties"))
    paths = {
        "/required": {"post": operation("own required", parameters=query(True), requestBody={"required": True, **everything})},
        "/optional": {"post": operation("own optional", parameters=query(False), requestBody=everything)},
        "/headers": {
            "get": operation(
                "own headers",
                {"200": {
                    "description": "D", "headers": {name: {"schema": text} for name in names}, **content(reference("own Nested"))},
                 "404": {"description": "D", "headers": {name: {"schema": text} for name in names}, **content(reference("own Tagged"))},
                 "4XX": {"description": "D"}, "default": {"description": "D", **content(reference("own Branches"))}})},
        "/several": {
            "post": operation(
                "own several",
                {"200": {"description": "D", **content(reference("own Formats"))}, "202": {"description": "D"}},
                requestBody={"required": True, "content": {
                    "application/json": {"schema": reference("own Boxed")},
                    "application/x-www-form-urlencoded": {"schema": reference("own Optional")}}})},
        "/pages": {
            "get": operation(
                "own pages", {"200": {"description": "D", **content(reference("own Pages"))}},
                parameters=query(False, {"name": "cursor", "in": "query", "schema": text}))},
        "/counted": {
            "get": operation(
                "own counted", {"200": {"description": "D", **content(reference("own Counted"))}}, tags=["own"],
                parameters=query(False, {"name": "page", "in": "query", "schema": {"type": "integer"}}))},
        "/array": {
            "get": operation(
                "own array", {"200": {
                    "description": "D", "headers": {"Link": {"schema": text}},
                    **content({"type": "array", "items": reference("own Values")})}})},
        "/files": {
            "post": operation(
                "own files", {"200": {"description": "D", "content": {"application/octet-stream": {}}}},
                requestBody={"required": True, **content(reference("own Files"), "multipart/form-data")})},
        "/stream": {
            "post": operation(
                "own stream", {"200": {"description": "D", "content": {
                    "text/event-stream": {"schema": reference("own Tagged")}, "application/json": {"schema": reference("own Tagged")}}}},
                parameters=query(False), requestBody={"required": True, **content(reference("own Stream"))},
                callbacks={"done": {"{$request.body#/url}": {"post": {
                    "requestBody": content(reference("own Values")), "responses": done}}}})},
        "/raw": {
            "put": operation(
                "own raw", {"200": {"description": "D", "content": {"text/plain": {}}}},
                requestBody={"content": {"application/octet-stream": {}}}, servers=[{"url": "https://raw.example"}])},
        "/styles/{id}/{list}": {
            "get": operation("own styles", parameters=[
                {"name": "id", "in": "path", "required": True, "style": "label", "schema": {"type": "integer"}},
                {"name": "list", "in": "path", "required": True, "style": "matrix", "schema": {"type": "array", "items": text}},
                {"name": "deep", "in": "query", "style": "deepObject", "schema": reference("own Formats")},
                {"name": "json", "in": "query", "content": {"application/json": {"schema": reference("own Formats")}}},
                {"name": "X-At", "in": "header", "schema": {"type": "string", "format": "date-time"}},
                {"name": "session", "in": "cookie", "schema": text}])},
    }
    schemas["own Stream"] = {"type": "object", "properties": {**properties, "stream": {"type": "boolean"}}}
    for index, name in enumerate(names):
        paths[f"/tag/{index}"] = {"get": operation(f"tagged {index}", tags=[name])}
        paths[f"/grouped/{index}"] = {"delete": operation(f"{name} grouped", tags=["grouped"])}
        paths[f"/plain/{index}"] = {"put": operation(name, requestBody=content(text), responses={**done, **failures})}
    hosts = [{"url": f"https://server{index}.example", "description": name} for index, name in enumerate(names)]
    variables = {name: {"default": "a", "enum": ["a", "b"]} for name in names}
    variables["values"] = {"default": "a", "enum": ["a", *names]}
    url = "https://variables.example" + "".join("/{" + name + "}" for name in variables)
    schemes = {name: {"type": "http", "scheme": "bearer"} for name in names}
    schemes["own oauth"] = {
        "type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://names.example/token", "scopes": {"a": "A"}}}}
    schemes["own basic"] = {"type": "http", "scheme": "basic"}
    schemes["own keys"] = {"type": "apiKey", "in": "header", "name": "X-Key"}
    schemes["own custom"] = {"type": "http", "scheme": "hoba"}
    schemes["own certificates"] = {"type": "mutualTLS"}
    return {
        "openapi": "3.1.0", "info": {"title": "Names", "version": "1"},
        "servers": [*hosts, {"url": url, "variables": variables}, {"url": "/relative"}],
        "security": [{name: []} for name in schemes],
        "paths": paths,
        "webhooks": {
            name: {"post": {"requestBody": content(inline), "responses": done}} for name in names},
        "components": {"schemas": schemas, "securitySchemes": schemes},
    }


def write(path, names):
    """Writes a document and its configuration."""
    path.write_text(json.dumps(document(unlike(names)), indent=1) + "\n")
    path.with_name(path.name.split(".")[0] + ".gateway.yaml").write_text(CONFIGURATION)
