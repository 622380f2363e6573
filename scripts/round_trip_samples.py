"""Values made from the schemas of an OpenAPI document."""

import re

TEXTS = {
    "date-time": "2024-02-29T12:30:45.125Z", "date": "2024-02-29", "time": "12:30:45Z", "duration": "PT1H30M",
    "uuid": "0b5e2a4c-9d3f-4f6e-8a51-3c1d2e4f5a6b", "uri": "https://example.com/a?b=c", "email": "a@example.com",
    "byte": "aGVsbG8=", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "hostname": "example.com",
    "int64": "9007199254740993", "int32": "7", "uint64": "18446744073709551615", "decimal": "0.1",
}
TRIES = ["text", "a", "A1", "1", "12", "123456", "USD", "usd", "abc-def", "2024-01-01", "0.1", "+15555550100", "", "#fff",
         "a" * 32, "0" * 32, "AC" + "0" * 32, "a1b2c3d4-0000-4000-8000-000000000000", "12:30", "en-US", "https://example.com"]


class NoSample(Exception):
    """No value was found that fits."""


class Samples:
    def __init__(self, document):
        self.document = document

    def resolve(self, pointer):
        """The schema at a pointer and its own pointer, behind references."""
        seen = set()
        while True:
            node = self.document
            for token in pointer.split("/")[1:]:
                token = token.replace("~1", "/").replace("~0", "~")
                node = node[int(token)] if isinstance(node, list) else node[token]
            if not (isinstance(node, dict) and isinstance(node.get("$ref"), str)) or pointer in seen:
                return node, pointer
            if len(node) > 1 and self.is_new and set(node) - {"$ref", "description", "summary", "title", "deprecated"}:
                return node, pointer
            seen.add(pointer)
            pointer = node["$ref"].removeprefix("#")

    @property
    def is_new(self):
        return not str(self.document.get("openapi", "")).startswith("3.0")

    def value(self, pointer, is_full, is_request, depth=0):
        """A value of the schema at a pointer."""
        if depth > 12:
            raise NoSample("too deep")
        schema, pointer = self.resolve(pointer)
        if schema is True or schema == {}:
            return "any"
        if not isinstance(schema, dict):
            raise NoSample("no value fits")
        merged = self.merged(schema, pointer, depth)
        return self.of(merged, is_full, is_request, depth)

    def merged(self, schema, pointer, depth):
        """One flat schema: allOf folded, a branch of each union taken; `@` holds where the parts are."""
        if depth > 12:
            raise NoSample("too deep")
        flat = {"@properties": {}, "required": []}

        def fold(schema, pointer, level):
            if level > 8 or not isinstance(schema, dict):
                return
            if "$ref" in schema:
                fold(*self.resolve(schema["$ref"].removeprefix("#")), level + 1)
                if not self.is_new:
                    return
            for index, member in enumerate(schema.get("allOf", [])):
                fold(*self.resolve(f"{pointer}/allOf/{index}"), level + 1)
            for key in ("oneOf", "anyOf"):
                branches = schema.get(key)
                if not branches:
                    continue
                base = dict(flat)
                for index in range(len(branches)):
                    branch, place = self.resolve(f"{pointer}/{key}/{index}")
                    if not isinstance(branch, dict) or branch.get("type") == "null" or branch.get("enum") == [None]:
                        continue
                    fold(branch, place, level + 1)
                    discriminator = schema.get("discriminator", {})
                    name = discriminator.get("propertyName")
                    if name:
                        last = place.split("/")[-1]
                        for value, target in discriminator.get("mapping", {}).items():
                            if target.split("/")[-1] == last:
                                last = value
                                break
                        flat.setdefault("@constants", {})[name] = last
                    break
                del base
            for name in schema.get("properties", {}):
                place = f"{pointer}/properties/" + name.replace("~", "~0").replace("/", "~1")
                flat["@properties"].setdefault(name, []).append(place)
            flat["required"] = list(dict.fromkeys(flat["required"] + (schema.get("required") or [])))
            for key, value in schema.items():
                if key == "items":
                    flat.setdefault("@items", pointer + "/items")
                elif key == "additionalProperties":
                    flat.setdefault("@additional", (value, pointer + "/additionalProperties"))
                elif key == "enum" and "enum" in flat:
                    flat["enum"] = [item for item in flat["enum"] if item in value]
                elif key == "type" and isinstance(value, list):
                    flat["type"] = next((item for item in value if item != "null"), "null")
                elif key == "type" and flat.get("type") == "integer":
                    continue
                elif key not in ("allOf", "oneOf", "anyOf", "properties", "required", "$ref"):
                    flat[key] = value

        fold(schema, pointer, 0)
        return flat

    def of(self, flat, is_full, is_request, depth):
        if "const" in flat:
            return flat["const"]
        if "enum" in flat:
            values = [value for value in flat["enum"] if value is not None]
            if not values:
                raise NoSample("an enum without values")
            return values[-1 if is_full else 0]
        kind = flat.get("type")
        if kind is None:
            kind = "object" if flat["@properties"] else "array" if "@items" in flat else self.implied(flat)
        if kind == "object":
            return self.object(flat, is_full, is_request, depth)
        if kind == "array":
            count = max(flat.get("minItems", 0), 1 if is_full or flat.get("minItems") else 0)
            if flat.get("maxItems") == 0 or count == 0:
                return []
            if "@items" not in flat:
                return ["any"] * count
            item = self.value(flat["@items"], is_full and depth < 4, is_request, depth + 1)
            return [item] * (1 if flat.get("uniqueItems") else count)
        if kind in ("integer", "number"):
            return self.number(flat, kind)
        if kind == "boolean":
            return True
        if kind == "string":
            return self.text(flat)
        if kind == "null":
            return None
        return "any"

    @staticmethod
    def implied(flat):
        if flat.get("format") in TEXTS or "pattern" in flat or "maxLength" in flat:
            return "string"
        return "object" if flat["required"] or "@additional" in flat else None

    def object(self, flat, is_full, is_request, depth):
        result = {}
        for name, places in flat["@properties"].items():
            is_required = name in flat["required"]
            if not is_required and (not is_full or depth > 4):
                continue
            if name in flat.get("@constants", {}):
                continue
            schema, _ = self.resolve(places[-1])
            is_one_way = isinstance(schema, dict) and schema.get("readOnly" if is_request else "writeOnly")
            if is_one_way:
                continue
            try:
                if len(places) == 1:
                    result[name] = self.value(places[0], is_full and depth < 4, is_request, depth + 1)
                else:
                    first, *rest = [self.resolve(place) for place in places]
                    merged = self.merged({"allOf": []}, "", depth)
                    for part in [first, *rest]:
                        one = self.merged(part[0], part[1], depth + 1)
                        merged["@properties"].update(one.pop("@properties"))
                        merged["required"] += one.pop("required")
                        merged.update(one)
                    result[name] = self.of(merged, is_full and depth < 4, is_request, depth + 1)
            except NoSample:
                if is_required:
                    raise
        for name, value in flat.get("@constants", {}).items():
            places = flat["@properties"].get(name)
            own = None
            if places:
                try:
                    own = self.value(places[-1], False, is_request, depth + 1)
                except NoSample:
                    pass
                schema = self.merged(*self.resolve(places[-1]), depth)
                if "enum" not in schema and "const" not in schema:
                    own = None
            result[name] = value if own is None else own
        for name in flat["required"]:
            if name not in flat["@properties"] and name not in result:
                result[name] = "any"
        additional, place = flat.get("@additional", (None, None))
        if is_full and additional is not None and additional is not False and depth < 4:
            if not flat["@properties"] or additional is not True:
                try:
                    result["key"] = "any" if additional is True else self.value(place, False, is_request, depth + 1)
                except NoSample:
                    pass
        return result

    @staticmethod
    def number(flat, kind):
        low, high = flat.get("minimum"), flat.get("maximum")
        if isinstance(flat.get("exclusiveMinimum"), (int, float)) and flat["exclusiveMinimum"] is not True:
            low = flat["exclusiveMinimum"] + (1 if kind == "integer" else 0.5)
        value = 7 if kind == "integer" else 1.5
        if low is not None and value < low:
            value = low
        if high is not None and value > high:
            value = high
        step = flat.get("multipleOf")
        if step and value % step:
            value = step
        return int(value) if kind == "integer" else value

    @staticmethod
    def text(flat):
        low, high, pattern = flat.get("minLength", 0), flat.get("maxLength"), flat.get("pattern")
        tries = [TEXTS[flat["format"]]] if flat.get("format") in TEXTS else []
        tries += [text for text in (flat.get("example"), flat.get("default")) if isinstance(text, str)] if pattern else []
        for text in tries + TRIES + ["text" * (low // 4 + 1)]:
            if high is not None and not tries:
                text = text[:high]
            if len(text) < low or high is not None and len(text) > high:
                continue
            try:
                if pattern is None or re.search(pattern, text):
                    return text
            except re.error:
                return text
        raise NoSample("no text fits " + repr(pattern))
