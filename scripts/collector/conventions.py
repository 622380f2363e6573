"""What OpenTelemetry's semantic conventions require of the telemetry of an HTTP client."""

import pathlib
import re

import opentelemetry.semconv
from google.protobuf.unknown_fields import UnknownFieldSet

CLIENT, INTERNAL, ERROR = 3, 1, 2
# The specification of the metrics SDK names it, and the conventions do not.
OTHERS = {"otel.metric.overflow"}
REQUIRED = ("http.request.method", "server.address", "server.port", "url.full")
INTEGERS = {
    "http.request.resend_count",
    "http.response.status_code",
    "network.peer.port",
    "server.port",
}


def known_names():
    """Every attribute, metric and event that is not deprecated."""
    names = set(OTHERS)
    for folder in opentelemetry.semconv.__path__:
        for file in pathlib.Path(folder).rglob("*.py"):
            if file.parent.name not in ("attributes", "metrics"):
                continue
            for name, text in re.findall(
                r'^[A-Z0-9_]+: Final = \(?\s*"([^"]+)"\s*\)?\n(?:"""\n(.*?)""")?', file.read_text(), re.M | re.S
            ):
                # An incubating module names the stable one of which it has a copy.
                if not text.startswith("Deprecated") or "in favor of stable" in text:
                    names.add(name)
    return names


KNOWN = known_names()


def problems(request):
    """What is wrong with an export request, a sentence each."""
    found = unknown_fields(request)
    for resource in request.ListFields()[0][1] if request.ListFields() else []:
        found += attributes("resource", resource.resource.attributes)
        for name in ("scope_spans", "scope_metrics", "scope_logs"):
            for scope in getattr(resource, name, []):
                for span in getattr(scope, "spans", []):
                    found += of_span(span)
                for metric in getattr(scope, "metrics", []):
                    found += of_metric(metric)
                for log in getattr(scope, "log_records", []):
                    found += of_log(log)
    return found


def unknown_fields(message):
    found = [f"{message.DESCRIPTOR.name} has an unknown field {f.field_number}" for f in UnknownFieldSet(message)]
    for field, value in message.ListFields():
        if field.message_type:
            for one in value if not hasattr(value, "ListFields") else [value]:
                found += unknown_fields(one)
    return found


def known(kind, name):
    return [] if name.startswith("gateway.") or name in KNOWN else [f"{kind} {name} is not in the conventions"]


def attributes(place, pairs):
    found = []
    names = [pair.key for pair in pairs]
    if len(set(names)) != len(names):
        found.append(f"{place} has an attribute twice")
    for pair in pairs:
        found += known("attribute", pair.key)
        expected = "int_value" if pair.key in INTEGERS else None
        if expected and pair.value.WhichOneof("value") != expected:
            found.append(f"{pair.key} is no integer")
    return found


def identifiers(place, trace_id, span_id):
    valid = len(trace_id) == 16 and any(trace_id) and len(span_id) == 8 and any(span_id)
    return [] if valid else [f"{place} has no valid identifiers"]


def of_span(span):
    found = attributes(f"span {span.name}", span.attributes) + identifiers("span", span.trace_id, span.span_id)
    has = {pair.key: pair.value for pair in span.attributes}
    if span.start_time_unix_nano > span.end_time_unix_nano or not span.start_time_unix_nano:
        found.append("a span ends before it starts")
    if not span.flags & 1:
        found.append("a span is not sampled")
    is_error = span.status.code == ERROR
    if is_error != ("error.type" in has):
        found.append(f"span {span.name} has a status or error.type without the other")
    if span.kind == CLIENT:
        found += [f"span {span.name} has no {name}" for name in REQUIRED if name not in has]
        method, template = has.get("http.request.method"), has.get("url.template")
        name = "HTTP" if method and method.string_value == "_OTHER" else method and method.string_value
        if span.name != (f"{name} {template.string_value}" if template else name):
            found.append(f"span {span.name} has another name than its method and template")
        status = has.get("http.response.status_code")
        if status and is_error != (status.int_value >= 400):
            found.append(f"status {status.int_value} and the status of its span do not agree")
        if status and is_error and has["error.type"].string_value != str(status.int_value):
            found.append("error.type is not the status")
        if "http.request.resend_count" in has and has["http.request.resend_count"].int_value < 1:
            found.append("a resend count is not positive")
    elif span.kind != INTERNAL or span.name != "gateway.call" or any(key.startswith("http.") for key in has):
        found.append(f"span {span.name} is neither an exchange nor a call")
    for event in span.events:
        found += known("event", event.name) + attributes(f"event {event.name}", event.attributes)
        if not span.start_time_unix_nano <= event.time_unix_nano <= span.end_time_unix_nano:
            found.append(f"event {event.name} is outside of its span")
    for link in span.links:
        found += identifiers("link", link.trace_id, link.span_id) + attributes("link", link.attributes)
    return found


def of_metric(metric):
    found = known("metric", metric.name)
    data = getattr(metric, metric.WhichOneof("data"))
    for point in data.data_points:
        found += attributes(f"metric {metric.name}", point.attributes)
        if metric.name == "http.client.request.duration":
            has = {pair.key for pair in point.attributes}
            found += [f"{metric.name} has no {name}" for name in REQUIRED[:3] if name not in has]
        for exemplar in getattr(point, "exemplars", []):
            found += identifiers("exemplar", exemplar.trace_id, exemplar.span_id or b"1" * 8)
    return found


def of_log(log):
    found = attributes("log record", log.attributes)
    if log.event_name:
        found += known("event", log.event_name)
    if log.trace_id:
        found += identifiers("log record", log.trace_id, log.span_id or b"1" * 8)
    return found
