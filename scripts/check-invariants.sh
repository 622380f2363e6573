#!/usr/bin/env bash
# Sees to it that every test that Tests/INVARIANTS.md names exists, and that every promise names one.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."

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
import functools
import pathlib
import re
import sys

# An attribute with its parentheses, up to six levels of them, and the function that it belongs to.
ARGUMENTS = r"\([^()]*\)"
for _ in range(5):
    ARGUMENTS = rf"\((?:[^()]|{ARGUMENTS})*\)"
TEST = re.compile(rf"@Test\s*({ARGUMENTS})?(?:\s|@\w+(?:{ARGUMENTS})?|\w+)*?\bfunc\s+(\w+)")
# What comes first wins: strings may hold comments, and comments quotes.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|(#+)("""|").*?\2\1|"""(?:\\.|.)*?"""|"(?:\\.|[^"\\\n])*"', re.DOTALL)

problems, promises, names = [], 0, set()
tests = pathlib.Path("Tests")


@functools.cache
def functions(source):
    """The tests of a file, each with its arguments; the functions of a file of Python."""
    if source.suffix == ".py":
        return {name: "" for name in re.findall(r"^def (\w+)\(", source.read_text(), re.MULTILINE)}
    code = NO_CODE.sub(lambda match: "" if match[0][0] == "/" else '""', source.read_text())
    return {match[2]: match[1] or "" for match in TEST.finditer(code)}


def check(group):
    """Yields what is wrong with a group of tests: a file of Tests and functions, or scripts."""
    path, colon, list_of_names = group.partition(": ")
    if not colon:
        scripts = re.findall(r"`((?:scripts|\.ci)/[^\s`]+)", group)
        if not scripts:
            yield f"'{group}' is neither a file with tests nor a script"
        yield from (f"there is no {script}" for script in scripts if not pathlib.Path(script).exists())
        return
    source = tests / path
    if not source.is_file():
        yield f"there is no {source}"
        return
    for name in list_of_names.split(", "):
        if not (match := re.fullmatch(r"`(\w+)`(?: \(.*\))?", name)):
            yield f"{name} is not the name of a test"
        elif match[1] not in functions(source):
            yield f"{source} has no test '{match[1]}'"
        elif ".disabled(" in functions(source)[match[1]]:
            yield f"'{match[1]}' is disabled"


for number, line in enumerate((tests / "INVARIANTS.md").read_text().splitlines(), 1):
    cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
    if not line.lstrip().startswith("|") or cells == ["Name", "Promise", "Tests"] or re.fullmatch(r"[|\s:-]+", line):
        continue
    place = f"Tests/INVARIANTS.md:{number}"
    promises += 1
    name = re.fullmatch(r"`(\S+)`", cells[0])
    if len(cells) != 3 or not name:
        problems.append(f"{place}: a promise has a name in backticks, a sentence, and tests")
        continue
    if name[1] in names:
        problems.append(f"{place}: '{name[1]}' is a duplicate")
    names.add(name[1])
    problems += [f"{place}: {problem}" for group in cells[2].split("; ") for problem in check(group)]
if not promises:
    problems.append("Tests/INVARIANTS.md: there is no promise")
for problem in problems:
    print(problem, file=sys.stderr)
print(f"invariants: {promises} promises, {'all tests exist' if not problems else f'{len(problems)} problem(s)'}")
sys.exit(1 if problems else 0)
PY
