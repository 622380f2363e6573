#!/usr/bin/env bash
# Checks that the Swift of the README and of pages is compiled: each of their blocks must be in Samples/Sources/ReadmeExamples
# or Tests/GatewayOpenAPITests/Documentation, apart from imports, blank lines and indentation. Checks that the links of the
# README and of all pages lead to a file, a heading or a page that exists.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
    -h | --help)
        echo "usage: scripts/check-readme.sh"
        echo "Compares the Swift of the README and of pages with what is compiled, and checks their links."
        echo "Exit 0: all is as it should be, 1: not."
        exit 0
        ;;
    "") ;;
    *)
        echo "check-readme.sh: unknown argument '$1' (see --help)" >&2
        exit 2
        ;;
esac

python3 - <<'PY'
import pathlib
import re
import sys


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip() and not re.match(r"(@testable )?import ", line)]


folders = ["Samples/Sources/ReadmeExamples", "Tests/GatewayOpenAPITests/Documentation"]
compiled = [lines(path.read_text()) for folder in folders for path in sorted(pathlib.Path(folder).glob("*.swift"))]
catalog = "Sources/GatewayClient/GatewayClient.docc/"
pages = ["README.md"] + [
    catalog + name + ".md"
    for name in (
        "Caching", "Calls", "ClientAuthenticationStyles", "Connections", "Dashboard", "Errors", "Fallback", "FirstService",
        "GeneratedClients", "GeneratedSecurity", "Health", "Network", "Protection", "Queue", "SignIn", "Staging", "Telemetry",
        "Testing", "Webhooks"
    )
]
problems = count = 0
for page in pages:
    text = pathlib.Path(page).read_text()
    blocks = [
        (text[: match.start()].count("\n") + 1, match.group(1))
        for match in re.finditer(r"^```swift\n(.*?)^```$", text, re.S | re.M)
        if "import PackageDescription" not in match.group(1)
    ]
    count += len(blocks)
    for place, block in blocks:
        # Parts that a blank line divides may stand in different places.
        for part in re.split(r"\n\s*\n(?=\S)", block.strip("\n")):
            wanted = lines(part)
            if wanted and not any(
                wanted == file[start : start + len(wanted)]
                for file in compiled
                for start in range(len(file) + 1)
            ):
                problems += 1
                print(f"{page}:{place}: not compiled: {wanted[0]} …", file=sys.stderr)


# MARK: Links


def prose(text):
    """A text without blocks of code and code spans, which have no links."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^(```+)[^\n]*\n.*?^\1$", "", text, flags=re.S | re.M))


def headings(path):
    """The fragments of the headings of a page, as GitHub makes them."""
    text = re.sub(r"^(```+)[^\n]*\n.*?^\1$", "", path.read_text(), flags=re.S | re.M)
    titles = re.findall(r"^#+ +(.+?) *$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


broken = links = 0
for page in sorted({*pages, *map(str, pathlib.Path(catalog).glob("*.md"))}):
    text = prose(pathlib.Path(page).read_text())
    for name in re.findall(r"<doc:(\w+)>", text):
        links += 1
        if not pathlib.Path(catalog, name + ".md").exists():
            broken += 1
            print(f"{page}: no page {name}", file=sys.stderr)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", target):
            continue
        links += 1
        name, _, fragment = target.partition("#")
        path = pathlib.Path(page).parent / name if name else pathlib.Path(page)
        if not path.exists():
            broken += 1
            print(f"{page}: no file {target}", file=sys.stderr)
        elif fragment and fragment not in headings(path):
            broken += 1
            print(f"{page}: no heading {target}", file=sys.stderr)

rows = re.findall(r"^\| .*\|$", pathlib.Path("README.md").read_text().split("\n## How to\n")[1].split("\n## ")[0], re.M)[1:]
for row in rows:
    if "](" not in row:
        broken += 1
        print(f"README.md: a row of \"How to\" has no link: {row}", file=sys.stderr)

print(f"readme: {count} blocks of Swift, {'all compiled' if not problems else f'{problems} part(s) are not'}")
print(f"readme: {links} links, {'none broken' if not broken else f'{broken} broken'}")
sys.exit(1 if problems or broken else 0)
PY
