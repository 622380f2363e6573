"""JSON text and the comparison of JSON values."""

import base64
import datetime
import decimal
import json
import re


def text(value):
    """JSON text; decimals keep their digits."""
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(str(k)) + ":" + text(v) for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(text(item) for item in value) + "]"
    if isinstance(value, decimal.Decimal):
        return format(value, "f") if value == value.to_integral_value() and abs(value) < 10**18 else str(value)
    return json.dumps(value)


def parse(source):
    """JSON whose numbers are exact."""
    return json.loads(source, parse_float=decimal.Decimal)


def number(value):
    return isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool)


def exact(value):
    return decimal.Decimal(repr(value)) if isinstance(value, float) else decimal.Decimal(value)


MOMENT = re.compile(r"^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$")


def moment(value):
    """The instant of an RFC 3339 text, in seconds and the digits of its fraction; None if it is none."""
    match = MOMENT.match(value)
    if not match:
        return None
    day, clock, fraction, zone = match.groups()
    leap = clock.endswith(":60")
    try:
        base = datetime.datetime.fromisoformat(day + "T" + (clock[:-2] + "59" if leap else clock))
    except ValueError:
        return None
    seconds = (base - datetime.datetime(1970, 1, 1)).total_seconds() + (1 if leap else 0)
    if zone not in "Zz":
        sign = -1 if zone[0] == "+" else 1
        seconds += sign * (int(zone[1:3]) * 3600 + int(zone[4:6]) * 60)
    return int(seconds), (fraction or "").rstrip("0")


def respelt(one, other):
    """Whether two texts are the same instant, UUID or bytes, spelt differently: what a typed model may do."""
    a, b = moment(one), moment(other)
    if a and a == b:
        return True
    # A model keeps nanoseconds.
    if a and b and a[0] == b[0] and a[1][:9].ljust(9, "0") == b[1][:9].ljust(9, "0"):
        return True
    if re.fullmatch(r"[0-9A-Fa-f-]{36}", one) and one.lower() == other.lower():
        return True
    try:
        if re.fullmatch(r"[A-Za-z0-9+/_=\s-]*", one) and base64.b64decode(one) == base64.b64decode(other):
            return True
    except ValueError:
        pass
    return False


def differences(expected, actual, path="$"):
    """(kind, path, expected, actual) of each difference: `value`, `missing`, `extra`, `respelt`."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key, value in expected.items():
            if key in actual:
                yield from differences(value, actual[key], path + "/" + key)
            else:
                yield "missing", path + "/" + key, value, None
        for key in actual:
            if key not in expected:
                yield "extra", path + "/" + key, None, actual[key]
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield "value", path, expected, actual
            return
        for index, (one, other) in enumerate(zip(expected, actual)):
            yield from differences(one, other, f"{path}/{index}")
    elif number(expected) and number(actual):
        if exact(expected) != exact(actual):
            yield "value", path, expected, actual
    elif type(expected) is not type(actual) or expected != actual:
        if isinstance(expected, str) and isinstance(actual, str) and respelt(expected, actual):
            yield "respelt", path, expected, actual
        else:
            yield "value", path, expected, actual
