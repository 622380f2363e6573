#!/usr/bin/env bash
# Installs what is missing, builds the demo, and runs it.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

usage() {
    cat <<'TEXT'
usage: scripts/demo.sh [--release] [--calls N] [--metrics PORT] [--serve]
       scripts/demo.sh [--release] --dashboard [--rate N] [--seconds N] [--calm N] [--operations N]

Installs the system packages that are missing, builds the demo of Samples, and runs it: typed calls through an
authenticating gateway, a token revoked under 1,000 concurrent calls, a burst of 503s, coalesced duplicates.

With --dashboard it prints the link to a page that shows steady traffic, and lets things go wrong, one after the other and
again: a token is revoked, a burst of 503s, a slow operation, a rate limit, an outage that opens a circuit breaker. On a
terminal it says what comes next. Ctrl-C ends it.

  --release       optimized build: takes three times as long; the default is a debug build
  --calls N       how many calls meet the revoked token, 1 to 10000 (default 1000)
  --metrics P     serves the metrics at http://127.0.0.1:P/metrics, and waits at the end; 0 for any free port
  --serve         only starts the gateway, and says how to call it
  --dashboard     traffic, faults, and the page that shows them, until it is stopped
  --rate N        calls per second, 0 to 2000 (default 300)
  --seconds N     ends after so many seconds
  --calm N        seconds without a fault before each fault, 1 to 3600 (default 12)
  --operations N  operations that are called beside those of the document, 0 to 200 (default 0)
  -h, --help      this text

Exit status: 0 when everything went as it should, 1 when not, 2 for wrong usage, 3 when something is missing.
TEXT
}

configuration=debug
arguments=()
help=false
for argument in "$@"; do
    case "$argument" in
        --release) configuration=release ;;
        -h | --help) help=true ;;
        *) arguments+=("$argument") ;;
    esac
done
if $help; then
    usage
    exit 0
fi

require_swift
require_packages "${library_packages[@]}"

say "== Building the demo ($configuration; the first time takes a minute or more)"
options=(--package-path Samples -c "$configuration")
swift build "${options[@]}" --product bookshop-demo
program=$(swift build "${options[@]}" --show-bin-path)/bookshop-demo
say "== Running it"
exec "$program" ${arguments[@]+"${arguments[@]}"}
