"""Strings, numbers and any values for schemas, by seeded chance."""

import copy
import datetime
import decimal
import uuid

import patterns

WORDS = ["", "a", "Zürich", "two words", 'quo"te', "back\\slash", "tab\there", "line\nend", "emoji 😀", "a/b?c#d&e=f+g%20",
         "null", "true", "0", "-1.5", "<tag>", "\u2028", "ключ", "x" * 40]
PLAIN = ["a", "bc", "Word", "with-dash", "under_score", "v1.2", "42", "tilde~"]
HARD = ["two words", "a/b", "50%", "a+b", "q?r", "x&y=z", "Zürich", "semi;colon", "'quote'", "a:b@c", "€uro", "[x]"]


class Impossible(Exception):
    """No instance is known for a schema; the reason is the message."""


class Scalars:
    """The part of a maker that makes what holds nothing else."""

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
            return pick.choice(["0.10", "12.34", "-7", "100", "2.50000"])
        if form in ("int64", "int32", "uint64"):
            return str(pick.randint(0, 2**31 - 1))
        return None

    def fitting(self, value, schema, short):
        high = schema.get("maxLength")
        return value if high is None or len(value) <= high else short[:high]
