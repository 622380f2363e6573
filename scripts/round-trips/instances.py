"""JSON instances of schemas, by seeded chance; whether they are valid is for jsonschema to say."""

import copy
import datetime
import decimal
import random
import re
import uuid

import patterns

WORDS = ["", "a", "Zürich", "two words", 'quo"te', "back\\slash", "tab\there", "line\nend", "emoji 😀", "a/b?c#d&e=f+g%20",
         "null", "true", "0", "-1.5", "<tag>", "\u2028", "ключ", "x" * 40]
PLAIN = ["a", "bc", "Word", "with-dash", "under_score", "v1.2", "42", "tilde~"]
HARD = ["two words", "a/b", "50%", "a+b", "q?r", "x&y=z", "Zürich", "semi;colon", "'quote'", "a:b@c", "€uro", "[x]"]
COMBINERS = ("allOf", "oneOf", "anyOf")


class Impossible(Exception):
    """No instance is known for a schema; the reason is the message."""


class Maker:
    """Makes instances of the schemas of a document.

    direction: `write` leaves out what is read-only, `read` what is write-only, `both` nothing.
    kind: `full` has all optional properties at the top, `minimal` none, `random` some.
    texts: the words that free strings are made of.
    """

    def __init__(self, document, seed, direction="both", kind="random", texts=None, examples=0.0, branch=None):
        self.document = document
        self.random = random.Random(seed)
        self.direction = direction
        self.kind = kind
        self.texts = texts
        self.examples = examples
        self.branch = branch
        self.budget = 250

    def make(self, schema, depth=0):
        if schema is True or schema == {}:
            return self.anything(depth)
        if schema is False:
            raise Impossible("the schema forbids everything")
        if depth > 40:
            raise Impossible("the schema has no finite instance that was found")
        self.budget -= 1
        schema = self.flat(schema, depth)
        if "const" in schema:
            return copy.deepcopy(schema["const"])
        if self.nullable(schema) and self.random.random() < (0.15 if depth else 0.05):
            return None
        if schema.get("enum"):
            values = [value for value in schema["enum"] if value is not None] or [None]
            return copy.deepcopy(self.random.choice(values))
        if self.examples and self.random.random() < self.examples:
            if "example" in schema and schema["example"] is not None:
                return copy.deepcopy(schema["example"])
            if isinstance(schema.get("examples"), list) and schema["examples"]:
                return copy.deepcopy(self.random.choice(schema["examples"]))
        kinds = self.types(schema)
        kind = self.random.choice(kinds)
        return getattr(self, "make_" + kind)(schema, depth)

    # Flattening

    def flat(self, schema, depth):
        """The schema without references and combiners: one of the alternatives is chosen."""
        merged = {}
        for _ in range(60):
            if not isinstance(schema, dict):
                if schema is False:
                    raise Impossible("an alternative forbids everything")
                return merged
            if isinstance(schema.get("$ref"), str):
                target = self.document.at(schema["$ref"])
                siblings = {key: value for key, value in schema.items() if key != "$ref"}
                if self.document.version == "3.0" or not siblings:
                    schema = target
                    continue
                schema = {"allOf": [target, siblings]}
            break
        else:
            raise Impossible("references go in a circle")
        own = {key: value for key, value in schema.items() if key not in COMBINERS}
        parts = [own] + [self.flat(part, depth) for part in schema.get("allOf") or []]
        for word in ("oneOf", "anyOf"):
            if schema.get(word):
                parts.append(self.alternative(schema, schema[word], depth))
        for part in parts:
            merged = self.merge(merged, part)
        # An alternative was chosen that the enum beside it does not name.
        if "const" in merged and merged.get("enum") and merged["const"] not in merged["enum"]:
            del merged["const"]
        return merged

    def alternative(self, schema, branches, depth):
        # Deep down the one that is likely to end is taken.
        choices = [branch for branch in branches if not self.is_null(branch)] or branches
        if len(choices) < len(branches) and self.random.random() < 0.15:
            return {"type": "null"} if self.document.version != "3.0" else {"enum": [None], "nullable": True}
        if depth > 6:
            choices = sorted(choices, key=lambda branch: len(str(branch)) + (1000 if "$ref" in branch else 0))[:1]
        if depth == 0 and self.branch is not None:
            branch = choices[self.branch % len(choices)]
        else:
            branch = self.random.choice(choices)
        chosen = self.flat(branch, depth)
        discriminator = schema.get("discriminator")
        if isinstance(discriminator, dict) and isinstance(branch.get("$ref"), str):
            name = discriminator["propertyName"]
            values = [key for key, target in (discriminator.get("mapping") or {}).items()
                      if target == branch["$ref"] or "#/components/schemas/" + target == branch["$ref"]]
            values = values or [branch["$ref"].split("/")[-1].replace("~1", "/").replace("~0", "~")]
            own = self.flat((chosen.get("properties") or {}).get(name, {}), depth)
            named = [own["const"]] if "const" in own else own.get("enum")
            # What the alternative itself says counts: some documents forget the mapping.
            if named is None or any(value in values for value in named):
                chosen = self.merge(chosen, {"properties": {name: {"enum": values}}, "required": [name]})
        return chosen

    @staticmethod
    def is_null(schema):
        return isinstance(schema, dict) and (schema.get("type") == "null" or schema.get("enum") == [None])

    def merge(self, one, other):
        if not one:
            return dict(other)
        result = dict(one)
        for key, value in other.items():
            if key not in result or result[key] == value:
                result[key] = value
            elif key == "properties":
                merged = dict(result[key])
                for name, schema in value.items():
                    if name in merged and merged[name] != schema:
                        merged[name] = {"allOf": [merged[name], schema]}
                    else:
                        merged[name] = schema
                result[key] = merged
            elif key == "required" and isinstance(value, list):
                result[key] = result[key] + [name for name in value if name not in result[key]]
            elif key == "type":
                first = result[key] if isinstance(result[key], list) else [result[key]]
                second = value if isinstance(value, list) else [value]
                both = [kind for kind in first if kind in second]
                if not both and "integer" in first + second and "number" in first + second:
                    both = ["integer"]
                result[key] = both or first
            elif key == "enum":
                result[key] = [item for item in result[key] if item in value] or result[key]
            elif key in ("minimum", "minLength", "minItems", "minProperties"):
                result[key] = max(result[key], value)
            elif key in ("maximum", "maxLength", "maxItems", "maxProperties"):
                result[key] = min(result[key], value)
            elif key == "nullable":
                result[key] = result[key] and value
            elif key in ("items", "additionalProperties") and isinstance(value, dict):
                result[key] = {"allOf": [result[key], value]} if isinstance(result[key], dict) else value
        return result

    def nullable(self, schema):
        kind = schema.get("type")
        if isinstance(kind, list) and "null" in kind:
            return True
        return bool(schema.get("nullable")) and "type" in schema and (not schema.get("enum") or None in schema["enum"])

    def types(self, schema):
        kind = schema.get("type")
        kinds = [item for item in (kind if isinstance(kind, list) else [kind]) if item != "null"]
        if kind is None:
            if "properties" in schema or "additionalProperties" in schema or "required" in schema:
                return ["object"]
            if "items" in schema:
                return ["array"]
            if "pattern" in schema or "format" in schema:
                return ["string"]
            if "minimum" in schema or "maximum" in schema:
                return ["number"]
            return ["any"]
        return [{"null": "null"}.get(item, item) for item in kinds] or ["null"]

    # Values

    def anything(self, depth):
        choices = [None, True, "text", 7, decimal.Decimal("0.5"), [1, "two", None], {"k": "v", "deep": {"er": [False]}}]
        return copy.deepcopy(self.random.choice(choices if depth else choices[1:]))

    def make_any(self, schema, depth):
        return self.anything(depth)

    def make_null(self, schema, depth):
        return None

    def make_boolean(self, schema, depth):
        return self.random.random() < 0.5

    def make_file(self, schema, depth):
        raise Impossible("the type `file` is not OpenAPI 3's")

    def bounds(self, schema, low, high, step):
        exclusive_low, exclusive_high = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
        if "minimum" in schema:
            low = schema["minimum"] + (step if exclusive_low is True else 0)
            high = max(high, low)
        if "maximum" in schema:
            high = schema["maximum"] - (step if exclusive_high is True else 0)
            low = min(low, high) if "minimum" not in schema else low
        if exclusive_low not in (None, True, False):
            low = max(low, exclusive_low + step) if "minimum" in schema else exclusive_low + step
            high = max(high, low)
        if exclusive_high not in (None, True, False):
            high = min(high, exclusive_high - step)
            low = min(low, high)
        return low, high

    def make_integer(self, schema, depth):
        fixed = schema.get("format")
        limit = 2**31 - 1 if fixed == "int32" else 2**63 - 1
        low, high = self.bounds(schema, 0 if fixed == "uint64" else -1000, 1_000_000, 1)
        if "minimum" not in schema and "maximum" not in schema and self.texts is None and self.random.random() < 0.2:
            return self.random.choice([0, -1, limit, limit - 1, min(limit, 9007199254740993)])
        low, high = int(-(-low // 1)), int(min(high // 1, limit))
        if low > high:
            raise Impossible("no integer is within the bounds")
        value = self.random.randint(low, high)
        step = schema.get("multipleOf")
        return int(value // step * step) if step and step >= 1 else value

    def make_number(self, schema, depth):
        low, high = self.bounds(schema, -1000, 1000, 0.25)
        step = schema.get("multipleOf")
        if step:
            count = self.random.randint(0, 50)
            return decimal.Decimal(str(step)) * (count + int(-(-low // step) if low > 0 else 0))
        if schema.get("format") == "float":
            value = round(self.random.uniform(float(low), float(high)) * 4) / 4
            return value if low <= value <= high else low
        draw = self.random.random()
        if draw < 0.3 and low <= 1 <= high:
            return 1
        if draw < 0.5:
            value = round(self.random.uniform(float(low), float(high)), 2)
            return value if low <= value <= high else low
        return self.random.uniform(float(low), float(high))

    def make_string(self, schema, depth):
        made = self.formatted(schema.get("format"), schema)
        if made is not None:
            return made
        low, high = schema.get("minLength", 0), schema.get("maxLength")
        if schema.get("pattern"):
            return patterns.matching(schema["pattern"], self.random, low, high)
        if "contentEncoding" in schema and schema["contentEncoding"].lower() == "base64":
            return self.random.choice(["", "AA==", "aGVsbG8=", "+/8="])
        words = self.texts or WORDS
        value = self.random.choice(words)
        while len(value) < low:
            value += self.random.choice(words) or "y"
        if high is not None and len(value) > high:
            value = value[:high]
        return value

    def formatted(self, form, schema):
        pick = self.random
        if schema.get("pattern") and form not in ("date-time", "date", "uuid"):
            return None
        moment = datetime.datetime(2000 + pick.randint(0, 60), pick.randint(1, 12), pick.randint(1, 28),
                                   pick.randint(0, 23), pick.randint(0, 59), pick.randint(0, 59))
        if form == "date-time":
            fraction = pick.choice(["", "", ".5", ".123", ".123456"])
            return moment.isoformat() + fraction + "Z"
        if form == "date":
            return moment.date().isoformat()
        if form == "time":
            return moment.time().isoformat() + "Z"
        if form == "uuid":
            return str(uuid.UUID(int=pick.getrandbits(128), version=4))
        if form in ("uri", "url", "uri-reference", "iri"):
            tail = pick.choice(["", "/", "/a/b", "/p?q=1&r=two%20words", "/caf%C3%A9#part"])
            return self.fitting("https://host.example" + tail, schema, "https://h.example")
        if form == "email":
            return self.fitting("name%d@mail.example" % pick.randint(1, 99), schema, "a@b.example")
        if form in ("byte", "base64"):
            return pick.choice(["", "AA==", "aGVsbG8=", "+/8=", "d29ybGQh"])
        if form == "ipv4":
            return "192.0.2.%d" % pick.randint(1, 254)
        if form == "ipv6":
            return "2001:db8::%x" % pick.randint(1, 0xFFFF)
        if form in ("hostname", "idn-hostname"):
            return "host%d.example" % pick.randint(1, 99)
        if form == "duration":
            return pick.choice(["P1D", "PT5M", "P1Y2M3DT4H5M6S", "P2W"])
        if form == "decimal":
            return pick.choice(["0.10", "12.34", "-7"])
        if form in ("int64", "int32", "uint64"):
            return str(pick.randint(0, 2**31 - 1))
        return None

    def fitting(self, value, schema, short):
        high = schema.get("maxLength")
        return value if high is None or len(value) <= high else short[:high]

    def make_array(self, schema, depth):
        low = schema.get("minItems", 0)
        high = schema.get("maxItems")
        count = low
        if self.budget > 0 and depth < 8:
            most = 3 if depth < 3 else 1
            count = max(low, self.random.randint(0 if self.kind != "full" else 1, most))
        if self.kind == "minimal":
            count = low
        if high is not None:
            count = min(count, high)
        first = schema.get("prefixItems") or []
        items = schema.get("items", True)
        made = []
        for index in range(max(count, len(first)) if first else count):
            for _ in range(20):
                value = self.make(first[index] if index < len(first) else items, depth + 1)
                if not schema.get("uniqueItems") or value not in made:
                    made.append(value)
                    break
        return made

    def make_object(self, schema, depth):
        properties = schema.get("properties") or {}
        required = [name for name in schema.get("required") or []]
        made = {}
        chance = {"full": 1.0 if depth == 0 else 0.4, "minimal": 0.0}.get(self.kind, 0.5) * (0.6 ** max(depth - 1, 0))
        least = schema.get("minProperties", 0)
        if least > len(required) and not schema.get("additionalProperties"):
            names = [name for name, inner in properties.items() if name not in required and not self.one_way(inner)]
            required += self.random.sample(names, min(least - len(required), len(names)))
        for name, inner in properties.items():
            if self.one_way(inner):
                continue
            wanted = name in required or (self.budget > 0 and depth < 8 and self.random.random() < chance)
            if not wanted:
                continue
            try:
                made[name] = self.make(inner, depth + 1)
            except (Impossible, patterns.Unmatched, RecursionError):
                if name in required:
                    raise
        extra = schema.get("additionalProperties")
        for name in required:
            if name not in made and name not in properties:
                made[name] = self.make(extra if isinstance(extra, dict) else True, depth + 1)
        holds = extra is True or isinstance(extra, dict)
        if holds and self.budget > 0 and depth < 8 and (self.kind != "minimal" or schema.get("minProperties")):
            count = self.random.randint(schema.get("minProperties", 0) or (1 if depth == 0 else 0), 2)
            for name in self.random.sample(["extra", "x-unknown", "Straße", "two words", "0"], count):
                if name not in properties and len(made) < schema.get("maxProperties", 10**6):
                    try:
                        made[name] = self.make(extra if isinstance(extra, dict) else True, depth + 1)
                    except (Impossible, patterns.Unmatched):
                        pass
        return made

    def one_way(self, schema):
        """Whether a property does not travel in this direction."""
        if self.direction == "both" or not isinstance(schema, dict):
            return False
        word = "readOnly" if self.direction == "write" else "writeOnly"
        seen = [schema]
        for part in seen:
            part = self.document.resolved(part) if isinstance(part, dict) else {}
            if isinstance(part, dict):
                if part.get(word) is True:
                    return True
                if len(seen) < 20:
                    seen += part.get("allOf") or []
        return False
