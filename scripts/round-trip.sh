#!/usr/bin/env bash
# Sends every operation of documents and writes every schema, and has both judged by what others wrote.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

usage() {
    cat <<'TEXT'
usage: scripts/round-trip.sh [options] DOCUMENT-OR-FOLDER...

Generates a client from each OpenAPI document and runs it. Values are made from the schemas, twice each: with every
property, and with the required ones alone; to these come the examples of the schemas. Each is read by the generated type and
written again: the JSON must be the same. Every operation is called with such values; what goes out is recorded and
validated by openapi-core (pinned, from PyPI) against the document. Security and servers are left out of the documents
beforehand.

  --tool PATH   a gateway-openapi to use; by default it is built, in debug
  --verbose     every failure, not the first ones alone
  -h, --help    this text

Example: scripts/round-trip.sh openapi
Environment: GATEWAY_ROUND_TRIP_DIR keeps packages and Python's there; else they are temporary.
Exit status: 0 when nothing failed, 1 when something did, 2 for wrong usage, 3 when something is missing.
TEXT
}

for argument in "$@"; do
    case "$argument" in
        -h | --help)
            usage
            exit 0
            ;;
    esac
done
if [ $# -eq 0 ]; then
    usage >&2
    exit 2
fi
require_swift
if ! command -v python3 > /dev/null; then
    say "round-trip: python3 is not installed"
    exit 3
fi
root=$PWD
cd - > /dev/null
work=${GATEWAY_ROUND_TRIP_DIR:-$(mktemp -d "${TMPDIR:-/tmp}/round-trip.XXXXXX")}
[ -n "${GATEWAY_ROUND_TRIP_DIR:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
if [ ! -x "$work/python/bin/python" ]; then
    if ! { python3 -m venv "$work/python" && "$work/python/bin/python" -m pip install --disable-pip-version-check \
        --no-input --quiet -r "$root/scripts/round-trip.txt"; }; then
        say "round-trip: openapi-core cannot be installed"
        exit 3
    fi
fi
"$work/python/bin/python" "$root/scripts/round_trip.py" --work "$work" "$@"
