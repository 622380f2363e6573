#!/usr/bin/env python3
"""Prints a regular expression for the identifiers of the tests that have a tag or a trait.

usage: scripts/tagged.py NAME [TARGET ...] [--missing-from COSTS ...]

The test library of this toolchain cannot select tests by tag, so the sources are read: the arguments of @Suite(…) and
@Test(…) that contain .tags(.NAME) or .NAME(…). Those of each TARGET are left out.

  --missing-from COSTS ...   prints instead the suites and tests of which nothing is in these files (scripts/lane.py)
  -h, --help                 this text

Exit status: 0, 1 where no test has the tag or trait or a use of it is not understood, 2 wrong usage.
"""

import argparse
import collections
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent / "Tests"
# An attribute with up to three levels of parentheses, and what it belongs to.
ARGUMENTS = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"
DECLARATION = r"(?:\s|@\w+|\w+)*?\b(?:struct|class|actor|enum|func)\s+(\w+)"


class Parser(argparse.ArgumentParser):
    def format_help(self):
        return __doc__


def pattern(target, names):
    return rf"^{target}\.(.*/)?({'|'.join(names)})(/|\()"


def main():
    parser = Parser()
    parser.add_argument("name")
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--missing-from", nargs="+")
    options = parser.parse_args()
    name = re.escape(options.name)
    tag = re.compile(rf"\.tags\([^)]*\.{name}\b|\.{name}\(")
    mention = re.compile(rf"\.{name}\b")
    names = collections.defaultdict(set)
    for file in sorted(TESTS.glob("*Tests/**/*.swift")):
        text = re.sub(r"^\s*//.*$", "", file.read_text(), flags=re.MULTILINE)
        found = 0
        for match in re.finditer(rf"@(?:Suite|Test)\s*({ARGUMENTS}){DECLARATION}", text):
            if tag.search(match[1]):
                names[file.relative_to(TESTS).parts[0]].add(match[2])
                found += 1
        if found != len(mention.findall(text)):
            print(f"tagged.py: {file}: {options.name} is used in a form that is not understood", file=sys.stderr)
            return 1
    for target in options.targets:
        names.pop(target, None)
    if not names:
        print(f"tagged.py: no test has the tag or trait {options.name}", file=sys.stderr)
        return 1
    if options.missing_from is None:
        print("|".join(pattern(target, sorted(found)) for target, found in sorted(names.items())))
        return 0
    ran = "\n".join(pathlib.Path(file).read_text() for file in options.missing_from)
    for target, found in sorted(names.items()):
        for one in sorted(found):
            if not re.search(pattern(target, [one]), ran, re.MULTILINE):
                print(f"{target}.{one}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
