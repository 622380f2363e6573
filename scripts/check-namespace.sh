#!/usr/bin/env bash
# Compares what `import GatewayClient` adds outside of its own types with .ci/namespace.txt.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'TEXT'
usage: scripts/check-namespace.sh [--update]

Reads the public symbols of GatewayClient and of the modules that it re-exports, without the SPI of generated code, and
compares those that every user gets outside of the types of these modules with .ci/namespace.txt: functions, variables,
operators and type aliases at file level, and members of types of other modules. Prints the number of public symbols of
each module. Builds GatewayClient first.

  --update   writes .ci/namespace.txt
  -h, --help this text

Exit status: 0 when they are the same, 1 when not, 2 for wrong usage.
TEXT
}

update=false
case "${1:-}" in
    -h | --help)
        usage
        exit 0
        ;;
    --update) update=true ;;
    "") ;;
    *)
        echo "check-namespace.sh: unknown argument '$1' (see --help)" >&2
        exit 2
        ;;
esac

. scripts/packages.sh
swift build --quiet "${build_options[@]}" --target GatewayClient
modules="$(swift build --show-bin-path)/Modules"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
triple=$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["unversionedTriple"])')
options=()
for map in Sources/C*/module.modulemap; do options+=(-Xcc "-fmodule-map-file=$PWD/$map"); done
exports=$(sed -n 's/^@_exported public import //p' Sources/GatewayClient/Exports.swift)
for module in GatewayClient $exports; do
    swift symbolgraph-extract -module-name "$module" -I "$modules" "${options[@]}" -target "$triple" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$folder"
done

python3 - "$folder" "$update" <<'PY'
import collections
import json
import pathlib
import sys

folder, update = pathlib.Path(sys.argv[1]), sys.argv[2] == "true"
listed = pathlib.Path(".ci/namespace.txt")
graphs = sorted(folder.glob("*.symbols.json"))
own = {path.name.split(".")[0] for path in graphs if "@" not in path.name}
counts, found = collections.Counter(), set()
for path in graphs:
    module, _, extended = path.name[: -len(".symbols.json")].partition("@")
    for symbol in json.loads(path.read_text())["symbols"]:
        counts[module] += 1
        kind = symbol["kind"]["identifier"].removeprefix("swift.")
        name = ".".join(symbol["pathComponents"])
        at_file_level = len(symbol["pathComponents"]) == 1 and kind in {
            "func", "func.op", "var", "typealias", "macro"}
        if at_file_level or (extended and extended not in own):
            found.add(f"{module}: {name}")

head = [
    "# What `import GatewayClient` adds outside of its own types: functions and type aliases at file level, and members",
    "# of types of other modules. Only what calls by hand need belongs here. Written by scripts/check-namespace.sh --update.",
]
if update:
    listed.write_text("\n".join(head + sorted(found)) + "\n")
known = {line for line in listed.read_text().splitlines() if line and not line.startswith("#")}
for line in sorted(found - known):
    print(f"{line}: not in {listed}; use the SPI Generated if only generated code needs it", file=sys.stderr)
for line in sorted(known - found):
    print(f"{line}: in {listed}, and not in the modules", file=sys.stderr)
total = ", ".join(f"{module} {count}" for module, count in sorted(counts.items()))
print(f"public symbols: {total}; {sum(counts.values())} in all")
print(f"namespace: {len(found)} symbols, {'as listed' if found == known else 'not as listed'}")
sys.exit(0 if found == known else 1)
PY
