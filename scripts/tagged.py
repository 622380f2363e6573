#!/usr/bin/env python3
"""Prints a regular expression for the identifiers of the tests that have a tag or a trait.

usage: scripts/tagged.py NAME [TARGET ...]

The test library of this toolchain cannot select tests by tag, so the sources are read: the arguments of @Suite(…) and
@Test(…) that contain .tags(.NAME) or .NAME(…). Those of each TARGET are left out.

Exit status: 0, 1 where no test has the tag or trait or a use of it is not understood, 2 wrong usage.
"""

import collections
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent / "Tests"
# An attribute with up to three levels of parentheses, and what it belongs to.
ARGUMENTS = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"
DECLARATION = r"(?:\s|@\w+|\w+)*?\b(?:struct|class|actor|enum|func)\s+(\w+)"


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    name = re.escape(sys.argv[1])
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
            print(f"tagged.py: {file}: {sys.argv[1]} is used in a form that is not understood", file=sys.stderr)
            return 1
    for target in sys.argv[2:]:
        names.pop(target, None)
    if not names:
        print(f"tagged.py: no test has the tag or trait {sys.argv[1]}", file=sys.stderr)
        return 1
    print("|".join(
        rf"^{target}\.(.*/)?({'|'.join(sorted(found))})(/|\()" for target, found in sorted(names.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
