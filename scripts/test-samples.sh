#!/usr/bin/env bash
# Builds Samples, and runs the tests of its service.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh
. scripts/servers.sh

case "${1:-}" in
    -h | --help)
        echo "usage: scripts/test-samples.sh"
        echo "Installs what is missing, builds the programs of Samples and their tests, and runs these against the embedded"
        echo "gateway and, with Authlib's tokens, against Authlib (scripts/counterparts). Exit status: 0 when all passed, 1 when"
        echo "not, 2 for wrong usage, 3 when something is missing."
        exit 0
        ;;
    "") ;;
    *)
        say "test-samples.sh: unknown argument '$1' (see --help)"
        exit 2
        ;;
esac

require_swift
require_packages "${library_packages[@]}"
trap stop_servers EXIT
swift build --build-tests --disable-xctest "${build_options[@]}" --package-path Samples
start_authlib
# They wait for processes: one that hangs fails.
timeout 300 Samples/.build/debug/SamplesPackageTests.xctest --testing-library swift-testing
