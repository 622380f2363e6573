#!/usr/bin/env bash
# Checks that the Swift of the README and of some pages is compiled by Samples: each of their blocks must be in
# Samples/Sources/ReadmeExamples, apart from imports, blank lines and indentation.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
    -h | --help)
        echo "usage: scripts/check-readme.sh"
        echo "Compares the Swift of the README and of pages with Samples/Sources/ReadmeExamples. Exit 0: the same, 1: not."
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
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("import ")]


compiled = [lines(path.read_text()) for path in sorted(pathlib.Path("Samples/Sources/ReadmeExamples").glob("*.swift"))]
catalog = "Sources/GatewayClient/GatewayClient.docc/"
pages = ["README.md"] + [
    catalog + name + ".md"
    for name in (
        "Caching", "Calls", "ClientAuthenticationStyles", "Errors", "Fallback", "GeneratedClients", "GeneratedSecurity", "Health",
        "Network", "Protection", "Queue", "SignIn", "Staging",
        "Telemetry", "Webhooks"
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
            if not any(
                wanted == file[start : start + len(wanted)]
                for file in compiled
                for start in range(len(file) + 1)
            ):
                problems += 1
                print(f"{page}:{place}: not in Samples/Sources/ReadmeExamples: {wanted[0]} …", file=sys.stderr)
print(f"readme: {count} blocks of Swift, {'all compiled' if not problems else f'{problems} part(s) are not'}")
sys.exit(1 if problems else 0)
PY
