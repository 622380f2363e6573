#!/usr/bin/env bash
# Proves that generated clients say on the wire what their documents say: round trips of models, requests, answers.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/round-trips.sh [OPTION]... DOCUMENT|FOLDER...

Generates a client from each OpenAPI document, compiles it with a driver, and sees to it that
  - instances of all schemas, made by seeded chance and judged by jsonschema, and the document's own examples are
    the same JSON after decoding and encoding;
  - the requests of all operations, recorded behind the client, say what they were given, as the standard's tables
    of styles read them and as openapi-core validates them against the document;
  - answers made from the documented responses decode to what was sent.
Prints a table, what openapi-core cannot judge with its reasons and counts, and the first failures of each document.

  --seed TEXT       another seed makes other instances (default: 1)
  --instances N     for each schema, at least (default: 6)
  --variants N      calls of each operation, at least (default: 3)
  --failures N      how many are printed for each document (default: 10); report.txt has all
  --unknown-properties  with `unknownProperties: keep`: each JSON object that permits it gets properties that its
                    document does not define, and all of them must come back, those of examples too
  --record FILE     writes what was judged to be right there, a line for each case: the ordinary tests repeat it
  --work DIR        keeps clients, builds and report.txt there, so that a second run is incremental
  -h, --help        this text

Columns: schemas; instances; mismatch: instances that came back otherwise; none: schemas of which no valid instance
was made; operations; requests that were recorded; judged whole and in part by openapi-core; unjudged: it fails by
itself; wrong; answers; wrong; skipped: operations that were not driven, the list below says why.

All types are generated with `directions: both`, so that each of them can be decoded and encoded.

Example: scripts/round-trips.sh openapi
Exit status: 0 all is the same, 1 something is not, 2 wrong usage, 3 something is missing on this machine.
TEXT
}

options=()
paths=()
work=
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help)
            usage
            exit 0
            ;;
        --unknown-properties)
            options+=("$1")
            shift
            ;;
        --seed | --instances | --variants | --failures | --record | --work)
            [ $# -ge 2 ] || { echo "round-trips: $1 needs a value; see --help" >&2; exit 2; }
            if [ "$1" = --work ]; then work=$2; else options+=("$1" "$2"); fi
            shift 2
            ;;
        -*)
            echo "round-trips: unknown option $1; see --help" >&2
            exit 2
            ;;
        *)
            [ -r "$1" ] || { echo "round-trips: cannot read $1" >&2; exit 2; }
            paths+=("$1")
            shift
            ;;
    esac
done
if [ "${#paths[@]}" -eq 0 ]; then
    usage >&2
    exit 2
fi

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/packages.sh"
require_swift
require_packages python3-venv "${library_packages[@]}"

# openapi-core and jsonschema, at the versions of packages.txt, in a folder of their own.
list=$root/scripts/round-trips/packages.txt
tools=${XDG_CACHE_HOME:-$HOME/.cache}/gateway-round-trips-$(sha256sum "$list" | cut -c 1-12)
if [ ! -f "$tools/complete" ]; then
    say "Installing: $(grep -c == "$list") Python packages"
    rm -rf "$tools"
    python3 -m venv "$tools"
    if ! "$tools/bin/pip" install -q --no-deps -r "$list" > "$tools.log" 2>&1; then
        tail -n 20 "$tools.log" >&2
        say "The Python packages could not be installed."
        exit 3
    fi
    touch "$tools/complete"
fi

if [ -n "$work" ]; then
    mkdir -p "$work"
    work=$(cd "$work" && pwd)
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/gateway-round-trips.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
swift build --quiet "${build_options[@]}" --package-path "$root" --product gateway-openapi
tool=$(swift build --package-path "$root" --show-bin-path)/gateway-openapi
"$tools/bin/python" "$root/scripts/round-trips/run.py" --root "$root" --work "$work" --tool "$tool" \
    ${options[@]+"${options[@]}"} "${paths[@]}"
