#!/usr/bin/env bash
# Compares every import in Sources, and every dependency in the manifest, with .ci/layers.txt.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
    -h | --help)
        echo "usage: scripts/check-layers.sh"
        echo "Checks that no room imports a room it may not know (.ci/layers.txt). Exit 0: clean, 1: not."
        exit 0
        ;;
    "") ;;
    *)
        echo "check-layers.sh: unknown argument '$1' (see --help)" >&2
        exit 2
        ;;
esac

manifest=$(mktemp)
trap 'rm -f "$manifest"' EXIT
swift package dump-package > "$manifest"
python3 - "$manifest" <<'PY'
import json
import pathlib
import re
import sys

layers = {}
foundation_free = set()
for line in pathlib.Path(".ci/layers.txt").read_text().splitlines():
    line = line.split("#")[0].strip()
    if not line:
        continue
    room, _, allowed = line.partition(":")
    words = allowed.split()
    if "no-foundation" in words:
        foundation_free.add(room)
    layers[room] = {word for word in words if word != "no-foundation"}

manifest = json.load(open(sys.argv[1]))
targets = {t["name"]: t for t in manifest["targets"]}
rooms = {n for n, t in targets.items() if t["type"] != "test"}
problems = []

for room in sorted(set(layers) - rooms):
    problems.append(f".ci/layers.txt: room '{room}' is not in the manifest")
pattern = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)"
)
for room in sorted(rooms):
    if room not in layers:
        problems.append(f"Package.swift: room '{room}' has no line in .ci/layers.txt")
        continue
    target = targets[room]
    for dependency in target["dependencies"]:
        name = (dependency.get("byName") or dependency.get("target") or dependency.get("product"))[0]
        if name in rooms and name not in layers[room]:
            problems.append(f"Package.swift: {room} depends on {name}, which it may not know")
    folder = pathlib.Path(target.get("path") or f"Sources/{room}")
    for source in sorted(folder.rglob("*.swift")):
        for number, line in enumerate(source.read_text().splitlines(), 1):
            match = pattern.match(line)
            if not match:
                continue
            module = match.group(1)
            if module in rooms and module != room and module not in layers[room]:
                problems.append(f"{source}:{number}: {room} imports {module}, which it may not know")
            if room in foundation_free and module.startswith("Foundation"):
                problems.append(f"{source}:{number}: {room} imports {module}")

for problem in problems:
    print(problem, file=sys.stderr)
print(f"layers: {len(rooms)} rooms, {'clean' if not problems else f'{len(problems)} problem(s)'}")
sys.exit(1 if problems else 0)
PY
