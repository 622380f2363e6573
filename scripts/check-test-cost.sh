#!/usr/bin/env bash
# Compares what the tests of a run cost with their budgets.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/check-test-cost.sh COSTS...

Prints a table of the seconds of processor time that the tests of each target needed, and compares it with the budgets in
Tests/budgets.txt. The files COSTS are those that scripts/lane.py writes. Time on the wall is shown, but not judged: it
depends on what else the machine does. Where the yardstick of the runs took longer than 9 ms, the machine was slower than
the one of the budgets: they are raised by as much, up to three times.

A test that needs more than 2 s of processor time has the trait .long with the reason, one that waits for more than 1 s
the trait .waits; what has none is listed. From 5 s on a test without .long is a failure: other processes make the same
work look longer.

  -h, --help   this text

Exit status: 0 within the budgets, 1 over them, 2 wrong usage.
TEXT
}

case "${1:-}" in
    -h | --help)
        usage
        exit 0
        ;;
    "" | -*)
        echo "check-test-cost.sh: needs the files that scripts/lane.py writes (see --help)" >&2
        exit 2
        ;;
esac

exec python3 - "$(dirname "${BASH_SOURCE[0]}")/.." "$@" <<'PY'
import collections
import functools
import math
import pathlib
import re
import sys

root, files = pathlib.Path(sys.argv[1]), sys.argv[2:]
long, waits, failure = 2, 1, 5
# Seconds of scripts/lane.py's yardstick on the machine of the budgets.
usual = 0.009


@functools.cache
def source(path):
    try:
        return pathlib.Path(path).read_text().splitlines()
    except OSError:
        return []


def has_trait(trait, path, line):
    """Whether a test, or the suite around it, has a trait: in the attribute above its function, or above a type."""
    lines = source(path)
    attribute = []
    for text in lines[line - 1 :]:
        attribute.append(text)
        if re.search(r"\bfunc\b", text):
            break
    suites = re.findall(r"@Suite\b.*?\b(?:struct|class|actor|enum)\b", "\n".join(lines[: line - 1]), re.DOTALL)
    return any(f".{trait}(" in text for text in ["\n".join(attribute)] + suites[-1:])


budgets = {}
for line in (root / "Tests/budgets.txt").read_text().splitlines():
    if line.strip() and not line.startswith("#"):
        target, seconds = line.split()
        if target in budgets or not 0 < float(seconds) < math.inf:
            sys.exit(f"Tests/budgets.txt: a second budget of {target}, or one that is no number of seconds: {line}")
        budgets[target] = float(seconds)

totals = collections.defaultdict(lambda: [0, 0.0, 0.0])
problems, notes, lines, yardsticks = [], [], [], []
for file in files:
    for line in pathlib.Path(file).read_text().splitlines():
        test, wall, used, path, number, verdict = line.split("\t")
        wall, used = float(wall), float(used)
        if not math.isfinite(wall + used):
            sys.exit(f"{file}: not a number of seconds: {line}")
        if verdict == "yardstick":
            yardsticks.append(used)
        elif verdict != "skipped":
            lines.append((test, wall, used, path, number))
slowness = min(3, max(1, *(used / usual for used in yardsticks))) if yardsticks else 1
budgets = {target: seconds * slowness for target, seconds in budgets.items()}
if slowness > 1:
    print(f"The machine was slow: the budgets are {slowness:.2f} times those of Tests/budgets.txt.")
for test, wall, used, path, number in lines:
    total = totals[test.partition(".")[0]]
    total[0] += 1
    total[1] += used
    total[2] += wall
    name = re.sub(r"/[^/]*\.swift:\d+:\d+$", "", test)
    if used > long * slowness and not has_trait("long", path, int(number)):
        (problems if used > failure * slowness else notes).append(f"{used:5.1f} s of processor time without .long: {name}")
    if wall - used > waits and not has_trait("waits", path, int(number)):
        notes.append(f"{wall - used:5.1f} s of waiting without .waits: {name}")

if not budgets:
    problems.append("Tests/budgets.txt has no budget")
print(f"{'target':<28} {'tests':>6} {'processor':>10} {'budget':>8} {'wall':>8}")
for target, (tests, used, wall) in sorted(totals.items(), key=lambda item: -item[1][1]):
    budget = budgets.get(target)
    print(f"{target:<28} {tests:>6} {used:>8.1f} s {'none' if budget is None else f'{budget:.0f} s':>8} {wall:>6.1f} s")
    if budget is None:
        problems.append(f"{target} has no budget in Tests/budgets.txt")
    elif used > budget:
        problems.append(f"{target} needs {used:.1f} s of processor time, its budget is {budget:.0f} s")
for target in budgets.keys() - totals.keys():
    problems.append(f"{target} has a budget, but none of its tests ran")
print(f"{'all':<28} {sum(t[0] for t in totals.values()):>6} {sum(t[1] for t in totals.values()):>8.1f} s"
      f" {sum(budgets.values()):>6.0f} s {sum(t[2] for t in totals.values()):>6.1f} s")
for note in sorted(notes, reverse=True):
    print("note:", note)
for problem in problems:
    print("over budget:", problem, file=sys.stderr)
sys.exit(1 if problems else 0)
PY
