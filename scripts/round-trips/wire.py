"""A request as a server reads it: parameters and bodies by the tables of the OpenAPI standard."""

import base64
import re
import urllib.parse

from values import differences, exact, number, parse, respelt, text


class Request:
    """What was recorded, taken apart."""

    def __init__(self, recorded):
        self.method = recorded["method"].lower()
        self.origin = recorded["origin"]
        self.target = recorded["target"]
        self.path, _, query = self.target.partition("?")
        self.pairs = []
        for pair in query.split("&") if query else []:
            name, _, value = pair.partition("=")
            self.pairs.append((urllib.parse.unquote_plus(name), value))
        self.fields = [(name, value) for name, value in recorded["fields"]]
        self.body = base64.b64decode(recorded["body"])

    def field(self, name):
        found = [value for key, value in self.fields if key.lower() == name.lower()]
        return ", ".join(found) if found else None

    @property
    def media_type(self):
        return self.field("Content-Type") or ""

    @property
    def cookies(self):
        pairs = [pair.strip().partition("=") for pair in (self.field("Cookie") or "").split(";") if pair.strip()]
        return {urllib.parse.unquote(name): value for name, _, value in pairs}


def same(expected, actual):
    """Whether a text stands for a primitive."""
    if isinstance(expected, bool):
        return actual == ("true" if expected else "false")
    if expected is None:
        return actual in ("", "null")
    if number(expected):
        try:
            return exact(expected) == exact(float(actual) if "e" in actual.lower() else parse(actual))
        except ValueError:
            return False
    if isinstance(expected, (dict, list)):
        # Where a style has no text for a value it is JSON.
        return _json(expected, [actual], "") is None
    return expected == actual or respelt(expected, actual)


def plain(raw):
    return urllib.parse.unquote(raw)


def plus(raw):
    return urllib.parse.unquote_plus(raw)


def tree(pairs):
    """Names with brackets as a tree: leaves are lists of texts under the key None."""
    root = {}
    for name, value in pairs:
        head, brackets = re.match(r"^([^\[]*)((?:\[[^\]]*\])*)", name).groups()
        node = root.setdefault(head, {})
        for part in re.findall(r"\[([^\]]*)\]", brackets):
            node = node.setdefault(part, {})
        node.setdefault(None, []).append(value)
    return root


def matches(expected, node, path=""):
    """What is wrong with a tree of texts; None if it says what is expected."""
    if hollow(expected):
        return None if node is None or set(node) == {None} else f"{path}: nothing is expected"
    if node is None:
        return f"{path}: is missing"
    texts = node.get(None)
    if isinstance(expected, dict):
        if texts is not None:
            return _json(expected, texts, path)
        extra = [key for key in node if key not in expected]
        if extra:
            return f"{path}: unknown {extra}"
        for key, value in expected.items():
            wrong = matches(value, node.get(key), f"{path}[{key}]")
            if wrong:
                return wrong
        return None
    if isinstance(expected, list):
        if texts is not None:
            filled = [item for item in expected if item is not None]
            if len(texts) == len(filled):
                # Null has no text. What is no primitive is JSON, item by item.
                bad = [_json(one, [other], path) if isinstance(one, (list, dict)) else
                       None if same(one, other) else f"{path}: {(one, other)}" for one, other in zip(filled, texts)]
                bad = [one for one in bad if one]
                if not bad or len(texts) > 1:
                    return bad[0] if bad else None
            return _json(expected, texts, path)
        if set(node) == {""}:
            return matches(expected, node[""], path)
        if set(node) - {None} != {str(index) for index, item in enumerate(expected) if not hollow(item)}:
            return f"{path}: {sorted(map(str, node))} instead of {len(expected)} items"
        for index, item in enumerate(expected):
            wrong = matches(item, node.get(str(index)), f"{path}[{index}]")
            if wrong:
                return wrong
        return None
    if texts is None or len(texts) != 1 or not same(expected, texts[0]):
        return f"{path}: {texts} instead of {expected!r}"
    return None


def hollow(value):
    """Whether there is nothing in a value that a form could hold."""
    if isinstance(value, dict):
        return all(hollow(item) for item in value.values())
    return value is None or (isinstance(value, list) and all(hollow(item) for item in value))


def _json(expected, texts, path):
    try:
        found = parse(texts[0]) if len(texts) == 1 else None
    except ValueError:
        found = None
    wrong = [item for item in differences(expected, found) if item[0] != "respelt"]
    return f"{path}: {texts} instead of {text(expected)}" if wrong else None


def style_of(parameter):
    style = parameter.get("style") or {"query": "form", "cookie": "form"}.get(parameter["in"], "simple")
    return style, parameter.get("explode", style in ("form", "cookie"))


def joined(value, raw, separators, decode, explode):
    """Checks `a,b` and `k,v,k,v` or `k=v,k=v`."""
    parts = re.split(separators, raw)
    if isinstance(value, list):
        if len(parts) != len(value):
            return f"{raw!r} has {len(parts)} items instead of {len(value)}"
        bad = [(one, other) for one, other in zip(value, parts) if not same(one, decode(other))]
        return f"{bad[0]}" if bad else None
    if explode:
        pairs = [part.partition("=")[::2] for part in parts]
    else:
        pairs = list(zip(parts[::2], parts[1::2]))
    found = {decode(name): decode(item) for name, item in pairs}
    known = {name: item for name, item in value.items() if item is not None or name in found}
    if set(found) != set(known):
        return f"{raw!r} has {sorted(found)} instead of {sorted(known)}"
    bad = [name for name in found if not same(value[name], found[name])]
    return f"{bad[0]}: {found[bad[0]]!r} instead of {value[bad[0]]!r}" if bad else None


def check_parameters(request, path, base, parameters, arguments, key_names):
    """What is wrong with the parameters of a request, as far as this program reads them: a list of texts."""
    wrong = []
    prefix = urllib.parse.urlsplit(base).path.rstrip("/")
    raw_path = request.path
    if not raw_path.startswith(prefix):
        return [f"the path {raw_path} does not begin with the server's {prefix}"]
    template, _, fixed_query = path.partition("?")
    names = re.findall(r"\{([^}]+)\}", template)
    pattern = "".join("(.*?)" if part.startswith("{") else re.escape(part)
                      for part in re.split(r"(\{[^}]+\})", template))
    match = re.fullmatch(pattern, raw_path[len(prefix):] or "/")
    if not match:
        return [f"the path {raw_path} is not {path}"]
    places = dict(zip(names, match.groups()))
    if any("/" in value for value in places.values()):
        wrong.append(f"a path parameter has become two segments: {raw_path}")
    consumed = set(key_names) | {name for name, _ in urllib.parse.parse_qsl(fixed_query, keep_blank_values=True)}
    for parameter in parameters:
        name, place = parameter["name"], parameter["in"]
        value = arguments.get((name, place))
        problem = None
        if "content" in parameter:
            raw = {"query": next((v for n, v in request.pairs if n == name), None), "path": places.get(name),
                   "header": request.field(name), "cookie": request.cookies.get(name)}[place]
            consumed.add(name)
            if value is None and raw is None:
                continue
            try:
                decoded = raw if place == "header" else plus(raw) if place == "query" else plain(raw)
                if list(differences(value, parse(decoded))):
                    problem = f"{decoded} instead of {text(value)}"
            except (ValueError, TypeError, AttributeError):
                problem = f"{raw!r} is no JSON"
        else:
            problem = check_style(request, parameter, value, places, consumed)
        if problem:
            wrong.append(f"{place} parameter {name}: {problem}")
    unknown = [name for name, _ in request.pairs if name not in consumed]
    if unknown:
        wrong.append(f"unknown in the query: {unknown}")
    return wrong


def check_style(request, parameter, value, places, consumed):
    name, place = parameter["name"], parameter["in"]
    if isinstance(value, list):
        # Null has no text: it is left out of arrays.
        value = [item for item in value if item is not None]
    style, explode = style_of(parameter)
    empty = value is None or value == [] or value == {}
    if place == "query":
        return check_query(request, name, style, explode, value, empty, consumed)
    if place == "header":
        raw = request.field(name)
        if raw is None or empty:
            return None if empty and not raw else f"{raw!r} instead of {value!r}"
        if isinstance(value, (list, dict)):
            return joined(value, raw, r",\s*", lambda item: item, explode)
        return None if same(value, raw) else f"{raw!r} instead of {value!r}"
    if place == "cookie":
        raw = request.cookies.get(name)
        if raw is None or empty:
            return None if empty and raw is None else f"{raw!r} instead of {value!r}"
        if isinstance(value, (list, dict)):
            return joined(value, raw, ",", plain, explode)
        return None if same(value, plain(raw)) else f"{raw!r} instead of {value!r}"
    raw = places.get(name)
    if raw is None:
        return "is not in the path's template"
    separators = ","
    if style == "label":
        if not raw.startswith("."):
            return f"{raw!r} has no dot before it"
        raw, separators = raw[1:], r"\." if explode else ","
    if style == "matrix":
        if not isinstance(value, (list, dict)) or not explode:
            if not raw.startswith(f";{name}="):
                return f"{raw!r} does not begin with ;{name}="
            raw = raw[len(name) + 2:]
        elif isinstance(value, list):
            raw = ",".join(part.partition("=")[2] for part in raw.split(";")[1:])
        else:
            raw, separators = raw[1:], ";"
    if isinstance(value, (list, dict)):
        return joined(value, raw, separators, plain, explode)
    return None if same(value, plain(raw)) else f"{raw!r} instead of {value!r}"


def check_query(request, name, style, explode, value, empty, consumed):
    if style == "deepObject":
        pairs = [(key, plus(item)) for key, item in request.pairs if key == name or key.startswith(name + "[")]
        consumed.update(key for key, _ in pairs)
        return matches(value, tree(pairs).get(name))
    if isinstance(value, dict) and style == "form" and explode:
        for key, item in value.items():
            found = [plus(text) for other, text in request.pairs if other == key]
            consumed.add(key)
            items = item if isinstance(item, list) else [item]
            if item is None or item == []:
                continue
            if len(found) != len(items) or not all(same(one, other) for one, other in zip(items, found)):
                return f"{key}: {found} instead of {item!r}"
        return None
    consumed.add(name)
    found = [item for key, item in request.pairs if key == name]
    if empty or not found:
        return None if empty and (not found or found == [""]) else f"{found} instead of {value!r}"
    if isinstance(value, list) and style in ("form", "spaceDelimited", "pipeDelimited") and explode:
        bad = len(found) != len(value) or not all(same(one, plus(other)) for one, other in zip(value, found))
        return f"{found} instead of {value!r}" if bad else None
    if len(found) != 1:
        return f"{found} instead of {value!r}"
    if isinstance(value, (list, dict)):
        separators = {"spaceDelimited": r"%20|\+", "pipeDelimited": r"\||%7[Cc]"}.get(style, ",")
        return joined(value, found[0], separators, plus, False)
    return None if same(value, plus(found[0])) else f"{found[0]!r} instead of {value!r}"


def check_body(request, media_type, value):
    """What is wrong with a body of this media type; None if it says what is expected."""
    if value is None and not request.body:
        return None
    kind = media_type.partition(";")[0].strip().lower()
    if "*" not in kind and request.media_type.partition(";")[0].strip().lower() != kind:
        return f"the Content-Type is {request.media_type!r} instead of {media_type!r}"
    if kind == "application/json" or kind.endswith("+json"):
        try:
            found = parse(request.body)
        except ValueError:
            return f"{request.body[:200]!r} is no JSON"
        for what, path, one, other in differences(value, found):
            if what != "respelt":
                return f"{path}: {what}: {text(other)} instead of {text(one)}"
        return None
    if kind == "application/x-www-form-urlencoded":
        pairs = []
        for pair in request.body.decode().split("&") if request.body else []:
            name, _, item = pair.partition("=")
            pairs.append((plus(name), plus(item)))
        found = tree(pairs)
        extra = [name for name in found if name not in value]
        if extra:
            return f"unknown in the form: {extra}"
        for name, item in value.items():
            wrong = matches(item, found.get(name), name)
            if wrong:
                return f"{wrong} in {request.body[:300]!r}"
        return None
    if isinstance(value, str):
        return None if request.body == value.encode() else f"{request.body[:200]!r} instead of {value!r}"
    return None


def kind_of(document, schema):
    """`object`, `array`, `union` or `primitive`."""
    schema = document.resolved(schema) if isinstance(schema, dict) else {}
    if schema.get("oneOf") or schema.get("anyOf"):
        return "union"
    if schema.get("allOf"):
        kinds = [kind_of(document, part) for part in schema["allOf"]]
        return next((kind for kind in kinds if kind != "primitive"), "primitive")
    kind = schema.get("type")
    if isinstance(kind, list):
        return "union"
    if kind == "object" or "properties" in schema:
        return "object"
    return "array" if kind == "array" else "primitive"
