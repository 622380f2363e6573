#!/usr/bin/env bash
# Sees to it that every option that libcurl is told stands in Tests/GatewayCurlTests/Options/OPTIONS.md, with tests
# that exist or a reason.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
    -h | --help)
        echo "usage: scripts/check-options.sh"
        echo "Compares Tests/GatewayCurlTests/Options/OPTIONS.md with the sources and tests. Exit 0: agree, 1: do not."
        exit 0
        ;;
    "") ;;
    *)
        echo "check-options.sh: unknown argument '$1' (see --help)" >&2
        exit 2
        ;;
esac

python3 - <<'PY'
import pathlib
import re
import sys

table = pathlib.Path("Tests/GatewayCurlTests/Options/OPTIONS.md")
tests = pathlib.Path("Tests/GatewayCurlTests")
sources = [*pathlib.Path("Sources/GatewayCurl").rglob("*.swift"), *pathlib.Path("Sources/CLibcurl").glob("*.h")]
option = re.compile(r"\bCURLM?OPT_\w+")
used = {name: path for path in sources for name in option.findall(path.read_text())}

problems, listed = [], {}
for number, line in enumerate(table.read_text().splitlines(), 1):
    if not line.startswith("| `CURL"):
        continue
    place = f"{table}:{number}"
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    if len(cells) != 3:
        problems.append(f"{place}: a row has three cells")
        continue
    for name in option.findall(cells[0]):
        if name in listed:
            problems.append(f"{place}: '{name}' is a duplicate")
        listed[name] = place
    if cells[2].startswith("No test: "):
        continue
    found = 0
    for path, functions in re.findall(r"([\w/]+\.swift): ((?:`\w+`(?:, )?)+)", cells[2]):
        source = tests / path
        text = source.read_text() if source.exists() else ""
        for function in re.findall(r"`(\w+)`", functions):
            if re.search(rf"func {function}\b", text):
                found += 1
            else:
                problems.append(f"{place}: {source} has no test '{function}'")
    if not found:
        problems.append(f"{place}: no test and no reason")

for name in sorted(used.keys() - listed.keys()):
    problems.append(f"{used[name]}: '{name}' is set and does not stand in {table}")
for name in sorted(listed.keys() - used.keys()):
    problems.append(f"{listed[name]}: '{name}' is not set")
for problem in problems:
    print(problem, file=sys.stderr)
print(f"options: {len(listed)}, {'all accounted for' if not problems else f'{len(problems)} problem(s)'}")
sys.exit(1 if problems else 0)
PY
