"""JSON instances of schemas, by seeded chance; whether they are valid is for jsonschema to say."""

import copy
import random

import patterns
from scalars import Impossible, Scalars

UNKNOWN = ["~z", "~a", "~two words", "~Straße", '~"\\', "~", "~0", "~unknownProperties"]
COMBINERS = ("allOf", "oneOf", "anyOf")


class Maker(Scalars):
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
        self.unknown = 0
        self.adds_unknown = False
        self.kept = 0

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
        extra = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
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
                        self.unknown += 1
                    except (Impossible, patterns.Unmatched):
                        pass
        if self.adds_unknown and extra is None:
            self.add_unknown(made, properties, schema)
        return made

    def add_unknown(self, made, properties, schema):
        """Adds properties that the document does not define, before, among and after the others."""
        count = self.random.randint(1, 3)
        names = self.random.sample(UNKNOWN, count)
        for name in names[:max(0, schema.get("maxProperties", 10**6) - len(made))]:
            if name not in properties:
                made[name] = self.anything(1)
                self.kept += 1
        order = list(made)
        self.random.shuffle(order)
        values = dict(made)
        made.clear()
        made.update((name, values[name]) for name in order)

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
