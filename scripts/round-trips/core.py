"""What openapi-core says of a request, and what it cannot judge, with the reasons."""

import re
import urllib.parse
import warnings

from jsonschema_path import SchemaPath
from openapi_core import V30RequestValidator, V31RequestValidator, V32RequestValidator
from openapi_core.datatypes import RequestParameters
from openapi_core.deserializing.media_types.util import json_loads, plain_loads
from openapi_core.exceptions import OpenAPIError
from werkzeug.datastructures import Headers, ImmutableMultiDict

from document import METHODS
from wire import hollow, kind_of, plain, plus, style_of

warnings.simplefilter("ignore")
VALIDATORS = {"3.0": V30RequestValidator, "3.1": V31RequestValidator, "3.2": V32RequestValidator}


class CoreRequest:
    """A request as openapi-core wants it."""

    def __init__(self, request, path):
        self.host_url = request.origin
        self.path = urllib.parse.unquote(request.path) if "{" not in path else request.path
        self.method = request.method
        self.body = request.body or None
        self.content_type = request.media_type.lower()
        self.parameters = RequestParameters(
            query=ImmutableMultiDict([(name, plus(value)) for name, value in request.pairs]),
            header=Headers(request.fields),
            cookie=ImmutableMultiDict({name: plain(value) for name, value in request.cookies.items()}))


def parameter_gap(document, parameter, value):
    """Why openapi-core cannot judge a parameter; None when it can."""
    if "content" in parameter:
        return None
    style, explode = style_of(parameter)
    if style in ("label", "matrix"):
        return f"style {style}: openapi-core looks for the parameter under another name"
    if style == "spaceDelimited":
        return "style spaceDelimited: openapi-core splits at %20 after decoding"
    kind = kind_of(document, parameter.get("schema", {}))
    if style == "deepObject" and kind != "object":
        return "deepObject of arrays or several types: openapi-core reads objects alone"
    if kind == "object":
        if parameter["in"] == "query" and style == "form" and explode:
            return "form-exploded object: openapi-core looks for one pair of the object's name"
        if style == "deepObject" and (value == {} or any(isinstance(v, (dict, list)) or v is None for v in (value or {}).values())):
            return "deepObject with nested or no values: openapi-core reads one level"
    if value == "" and parameter["in"] == "query":
        return "an empty text in the query: openapi-core takes it for none"
    if kind in ("array", "object") and value in ([], {}) and parameter.get("required"):
        return "an empty array or object has no text"
    if isinstance(value, list) and any(item is None or isinstance(item, (list, dict)) for item in value):
        return "an array of other values than primitives has no text"
    if isinstance(value, (list, dict)) and not (style == "form" and explode):
        parts = value if isinstance(value, list) else list(value.values())
        if any(mark in str(part) for part in parts for mark in ",| "):
            return "delimiters inside items: openapi-core splits after decoding"
    if kind == "union":
        return "a parameter of several types: openapi-core takes every text for a string"
    if value is None and parameter.get("required"):
        return "null has no text"
    return None


def body_gap(document, media_type, schema, value, encoding, is_required):
    kind = media_type.partition(";")[0].lower()
    if kind == "application/x-www-form-urlencoded":
        if any((item or {}).get("style") == "deepObject" for item in (encoding or {}).values()):
            return "a form whose encoding is deepObject: openapi-core reads one level of objects and no arrays"
        if hollow(value) and is_required:
            return "a form of nothing is no body"
        if kind_of(document, schema) == "union":
            return "a form of several shapes: openapi-core takes every text for a string"
        inner = list(value.values()) if isinstance(value, dict) else []
        if any(isinstance(item, dict) or item is None or item == [] for item in inner):
            return "a form with nested objects, nulls or empty arrays: openapi-core reads one level"
        if any(isinstance(item, list) and any(isinstance(part, (dict, list)) for part in item) for item in inner):
            return "a form with nested objects, nulls or empty arrays: openapi-core reads one level"
        properties = document.resolved(schema or {}).get("properties") or {}
        if any(kind_of(document, properties[name]) == "union" for name in (value or {}) if name in properties):
            return "a form with properties of several types: openapi-core takes every text for a string"
        if any(isinstance(item, list) for item in inner):
            return "a form with arrays: openapi-core does not read deepObject arrays"
        if any(name not in properties for name in (value or {})):
            return "a form with additional properties: openapi-core leaves them out"
        return None
    if kind == "application/json" or kind.endswith("+json"):
        return None
    return f"a body of {kind}: openapi-core has no reader for it" if not kind.startswith("text/") else None


def verdict(document, base, path, method, item, operation, hidden, hides_body, request):
    """(verdict, reason): `valid`, `invalid`, `crash`. hidden: the parameters that openapi-core is not to see."""
    operation = dict(operation)
    own = {key: value for key, value in item.items() if key not in METHODS}
    parameters = [parameter for parameter in document.parameters(item, operation)
                  if (parameter.get("name"), parameter.get("in")) not in hidden]
    operation["parameters"] = parameters
    own.pop("parameters", None)
    own.pop("servers", None)
    operation.pop("servers", None)
    if hides_body:
        operation.pop("requestBody", None)
    slim = document.only(path.partition("?")[0], method, own, operation)
    slim["servers"] = [{"url": base}]
    core = CoreRequest(request, path)
    names = re.findall(r"\{([^}]+)\}", path)
    if names:
        prefix = urllib.parse.urlsplit(base).path.rstrip("/")
        pattern = "".join("(.*?)" if part.startswith("{") else re.escape(part)
                          for part in re.split(r"(\{[^}]+\})", path.partition("?")[0]))
        match = re.fullmatch(pattern, request.path[len(prefix):])
        if match:
            core.parameters.path = dict(zip(names, [plain(value) for value in match.groups()]))
    verdict, reason = judged(document, slim, core)
    if verdict == "invalid" and any(mark in reason for mark in UNNAMED):
        verdict, second = judged(document, without_discriminators(slim), core)
        reason = "discriminators whose values name no schema: judged without them" if verdict == "valid" else second
        verdict = "part" if verdict == "valid" else verdict
    return verdict, reason


# What openapi-core says where a discriminator has no mapping and its values are no schemas' names.
UNNAMED = ("could not be resolved", "does not contain discriminating property")


def without_discriminators(value):
    if isinstance(value, dict):
        return {key: without_discriminators(item) for key, item in value.items()
                if key != "discriminator" or not isinstance(item, dict)}
    return [without_discriminators(item) for item in value] if isinstance(value, list) else value


def judged(document, slim, core):
    """(verdict, reason) of openapi-core on a document."""
    try:
        spec = SchemaPath.from_dict(slim)
        kind = core.content_type.partition(";")[0]
        # openapi-core reads only some of the text types as text.
        readers = ({kind: json_loads} if kind.endswith("+json")
                   else {kind: plain_loads} if kind.startswith("text/") else {})
        VALIDATORS[document.version](spec, extra_media_type_deserializers=readers).validate(core)
        return "valid", None
    except OpenAPIError as error:
        cause = error.__cause__ or error.__context__
        inner = getattr(error, "schema_errors", None) or getattr(cause, "schema_errors", None)
        detail = "; ".join(sorted(str(item.message)[:300] for item in inner)) if inner else str(cause or "")[:300]
        return "invalid", f"{type(error).__name__}: {str(error)[:300]} {detail} {marks(error, cause)}"
    except Exception as error:
        return "crash", f"openapi-core fails by itself: {type(error).__name__}: {str(error)[:80]}"


def marks(error, cause):
    """What is said of discriminators anywhere in an error: messages are cut elsewhere."""
    whole = f"{error} {cause} {getattr(cause, 'schema_errors', '')} {getattr(error, 'schema_errors', '')}"
    return " ".join(mark for mark in UNNAMED if mark in whole or mark in nested(cause) or mark in nested(error))


def nested(error):
    todo = list(getattr(error, "schema_errors", None) or [])
    texts = []
    while todo and len(texts) < 500:
        one = todo.pop()
        texts.append(one.message)
        todo += one.context or []
    return " ".join(texts)
