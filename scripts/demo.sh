#!/usr/bin/env bash
# Installs what is missing, builds the demo, and runs it.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh

usage() {
    cat <<'TEXT'
usage: scripts/demo.sh [--release] [options of the demo]

Installs the system packages that are missing, builds the demo of Samples, and runs it: typed calls through an
authenticating gateway, a token revoked under 1,000 concurrent calls, a burst of 503s, coalesced duplicates.

  --release    optimized build: takes three times as long; the default is a debug build
  -h, --help   this text, then the demo's own options

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
