#!/usr/bin/env bash
# Sees to it that every test that Tests/INVARIANTS.md names exists, and that every promise names one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
    -h | --help)
        echo "usage: scripts/check-invariants.sh"
        echo "Checks the tests named in Tests/INVARIANTS.md. Exit 0: all exist, 1: some do not."
        exit 0
        ;;
    "") ;;
    *)
        echo "check-invariants.sh: unknown argument '$1' (see --help)" >&2
        exit 2
        ;;
esac

python3 - <<'PY'
import pathlib
import re
import sys

problems, promises, names = [], 0, set()
tests = pathlib.Path("Tests")
for number, line in enumerate((tests / "INVARIANTS.md").read_text().splitlines(), 1):
    if not line.startswith("| `"):
        continue
    place = f"Tests/INVARIANTS.md:{number}"
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    promises += 1
    if len(cells) != 3:
        problems.append(f"{place}: a promise has three cells")
        continue
    name = cells[0].strip("` ")
    if name in names:
        problems.append(f"{place}: '{name}' is a duplicate")
    names.add(name)
    found = 0
    for group in cells[2].split("; "):
        path, colon, functions = group.partition(": ")
        if not colon:
            found += bool(re.findall(r"`(scripts/\S+)`", group)) and all(
                pathlib.Path(script).exists() for script in re.findall(r"`(scripts/\S+)`", group))
            continue
        source = tests / path
        if not source.exists():
            problems.append(f"{place}: there is no {source}")
            continue
        text = source.read_text()
        for function in re.findall(r"`(\w+)`", functions):
            if re.search(rf"func {function}\b", text):
                found += 1
            else:
                problems.append(f"{place}: {source} has no test '{function}'")
    if not found:
        problems.append(f"{place}: '{name}' names no test")
for problem in problems:
    print(problem, file=sys.stderr)
print(f"invariants: {promises} promises, {'all tests exist' if not problems else f'{len(problems)} problem(s)'}")
sys.exit(1 if problems else 0)
PY
