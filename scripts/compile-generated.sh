#!/usr/bin/env bash
# Generates a client from each document and compiles each in a package of its own, as an outsider would.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

usage() {
    cat <<'TEXT'
usage: scripts/compile-generated.sh [options] DOCUMENT-OR-FOLDER...

Generates a client from each OpenAPI document (YAML or JSON) with default settings, compiles each in a package of its own,
as an outsider would (Swift 6 mode, debug, warnings are errors), and prints a table. A folder stands for the documents in
it and below: the files whose outermost object has the key "openapi".

  --plugin          the first document is also built by the build plugin, under MainActor isolation; building it
                    again must write no file and compile nothing, and the third build must not run the tool; and its client
                    is written, checked and built with the commands generate-client and check-client
  --names           also compiles the client of a document that has a schema, tag, operation, property, parameter, enum
                    value and so on for each identifier of the generated code
  --generate-only   nothing is compiled
  --tool PATH       a gateway-openapi to use; by default it is built, in debug
  --json FILE       the figures, as JSON, too
  -h, --help        this text

The table: operations and types that were generated, warnings; seconds and megabytes that generating took; lines, and
those that are neither blank nor comment; seconds that the generated module alone took to compile (the runtime was built
before) and that all its compiler processes computed, megabytes of the largest of them, megabytes of machine code (text, as
`size` counts it).

Example: scripts/compile-generated.sh openapi Tests/OpenAPIGenerationTests/Fixtures
Environment: GATEWAY_COMPILE_DIR keeps the packages there, so that the runtime is built once; else they are temporary.
Exit status: 0 when every document generates and compiles without errors and warnings, 1 when not, 2 for wrong usage, 3 when
something is missing.
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
    say "compile-generated: python3 is not installed"
    exit 3
fi
cd - > /dev/null
exec python3 "$(dirname "${BASH_SOURCE[0]}")/compile_generated.py" "$@"
