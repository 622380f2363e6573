"""Whether a JSON value is an instance of a schema, by jsonschema with OpenAPI's dialects."""

import re

import jsonschema
import jsonschema._keywords
import jsonschema.validators
import referencing
from openapi_schema_validator import (
    OAS30ReadValidator, OAS30Validator, OAS30WriteValidator, OAS31Validator)

from values import moment

PLACE = "urn:document"
FORMATS = jsonschema.FormatChecker(formats=())
FORMATS.checks("date-time")(lambda value: not isinstance(value, str) or moment(value) is not None)
FORMATS.checks("date")(lambda value: not isinstance(value, str) or bool(re.fullmatch(r"\d{4}-\d\d-\d\d", value)))
FORMATS.checks("uuid")(lambda value: not isinstance(value, str) or bool(re.fullmatch(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", value)))
FORMATS.checks("uri")(lambda value: not isinstance(value, str) or bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[]A-Za-z0-9._~:/?#[@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*", value)))


# openapi-schema-validator looks for the schema that a discriminator's value names, and fails where there is none.
PLAIN = {"oneOf": jsonschema._keywords.oneOf, "anyOf": jsonschema._keywords.anyOf}


class Validity:
    def __init__(self, document):
        self.document = document
        resource = referencing.Resource(contents=document.root, specification=referencing.Specification.OPAQUE)
        self.registry = referencing.Registry().with_resource(PLACE, resource)
        self.known = {}

    def error(self, schema, value, direction="both"):
        """What is wrong with the value; None when it is valid."""
        reason = self._error(schema, value, direction, PLAIN)
        # By the standard a discriminator changes no verdict; but documents rely on it where branches overlap.
        return reason and self._error(schema, value, direction, {}) and reason

    def _error(self, schema, value, direction, keywords):
        kind = OAS31Validator
        if self.document.version == "3.0":
            kind = {"read": OAS30ReadValidator, "write": OAS30WriteValidator}.get(direction, OAS30Validator)
        place = (id(schema), kind, bool(keywords))
        if place not in self.known:
            # References are looked up in the whole document.
            resolver = self.registry.resolver(base_uri=PLACE)
            kind = jsonschema.validators.extend(kind, keywords) if keywords else kind
            self.known[place] = kind(schema, registry=self.registry, _resolver=resolver, format_checker=FORMATS), schema
        try:
            error = next(iter(self.known[place][0].iter_errors(value)), None)
        except (re.error, RecursionError, TypeError, ValueError, ArithmeticError) as problem:
            return f"jsonschema cannot judge: {type(problem).__name__}: {problem}"
        except jsonschema.exceptions.UnknownType as problem:
            return f"jsonschema does not know the type {problem.type}"
        except referencing.exceptions.Unresolvable as problem:
            return f"jsonschema cannot resolve {problem}"
        return f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" if error else None

