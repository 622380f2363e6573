#!/usr/bin/env bash
# Checks the page of a running dashboard in headless Chromium, and takes screenshots.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

# The pictures of README and the documentation.
pictures=Sources/GatewayClient/GatewayClient.docc
demo=Samples/.build/debug/bookshop-demo
usage() {
    cat <<TEXT
usage: scripts/check-page.sh [--out FOLDER] [option...] [[NAME=]URL...]

Installs Chromium with its driver, and axe, where they are missing. Then opens the link of a running dashboard and checks
what a person would: contrast and names (axe) in light and dark at three widths, no horizontal scrolling, 200 % zoom, the
keyboard alone, a redraw that keeps its place, six questions in at most three clicks, that the page does not grow, and
that it sends no request elsewhere. The first link gets all checks: its traffic must include failures, a token and shared
exchanges. Further links are checked for their layout. Screenshots are written to the folder (.build/page).

Without a link it starts $demo, which scripts/test-samples.sh builds: with traffic and faults, with
200 operations, and without calls. All of it takes a minute.

GATEWAY_UPDATE_GOLDEN=1 makes the pictures of the documentation again, and checks nothing. This takes twelve minutes.
Tests/Dashboard/page_test.py --help names further options; they are passed on.

Exit status: 0 when all checks passed, 1 when one failed, 2 for wrong usage, 3 when something is missing.
TEXT
}

case "${1:-}" in
    -h | --help)
        usage
        exit 0
        ;;
esac
require_packages chromium chromium-driver python3-selenium python3-venv fonts-dejavu-core

# axe, at the version of packages.txt, in a folder of its own. Only one script of the package is used.
list=Tests/Dashboard/packages.txt
tools=${XDG_CACHE_HOME:-$HOME/.cache}/gateway-page-$(sha256sum "$list" | cut -c 1-12)
axe=$tools/axe_playwright_python/axe.min.js
if [ ! -f "$axe" ]; then
    say "Installing: axe"
    rm -rf "$tools"
    /usr/bin/python3 -m venv "$tools"
    if ! "$tools/bin/pip" download -q --no-deps -d "$tools" -r "$list" > "$tools.log" 2>&1; then
        tail -n 20 "$tools.log" >&2
        say "axe could not be installed."
        exit 3
    fi
    /usr/bin/python3 -m zipfile -e "$tools"/axe_playwright_python-*.whl "$tools"
fi
if [[ " $* " != *"://"* ]] && [ ! -x "$demo" ]; then
    say "There is no $demo: build it with scripts/test-samples.sh."
    exit 3
fi
if [ -n "${GATEWAY_UPDATE_GOLDEN:-}" ]; then
    require_packages pngquant
    /usr/bin/python3 -B Tests/Dashboard/page_test.py --axe "$axe" --demo "$demo" --out .build/page --pictures "$pictures" "$@"
    pngquant --force --skip-if-larger --ext .png --speed 1 --nofs 200 "$pictures"/dashboard*.png
    exit 0
fi
exec /usr/bin/python3 -B Tests/Dashboard/page_test.py --axe "$axe" --demo "$demo" --out .build/page "$@"
