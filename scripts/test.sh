#!/usr/bin/env bash
# Installs what is missing, builds everything, and runs the whole test suite.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh
. scripts/servers.sh
. scripts/watchdog.sh
. scripts/rerun.sh

usage() {
    cat <<'TEXT'
usage: scripts/test.sh [--quick] [options of swift test]

Installs the system packages that are missing, starts nginx, httpbin, Redis, Prometheus, caching proxies and token
servers on free loopback ports, builds, runs every test, and compiles the code generated from the documents in openapi/
and from the test documents in a package of its own. The servers write to a temporary folder and are stopped at the end.

A test that fails is run again, twice and alone: where it passes both times it is named as unsteady, and the run goes on.
That holds for at most three tests, and never for a crash, a hang or a data race.

All output, at the highest level of logging, is searched for the secrets that were used (scripts/check-secrets.sh).

  --quick             the tests alone, without compiling generated code outside
  --sanitize=thread   under ThreadSanitizer, in a build folder of its own (.build-tsan); implies --quick
  -h, --help          this text

Everything else is passed to `swift test`, such as: --filter GatewayAuthTests
A plain `swift test` skips the tests that need these servers. A token server that cannot be installed is left out with its
tests; where CI is set that is a failure. Tests/README.md has a table of the token servers.
Environment: GATEWAY_TEST_TRACE_FILE keeps the whole output, with what is logged, in a file. GATEWAY_SOAK_SCALE multiplies the rounds of the long tests (1 by default, 0.1 under a sanitizer).
GATEWAY_TEST_SILENCE: after so many seconds without a line (600 by default) the tests have failed, and their stacks are shown.
Exit status: 0 when every test passed, 1 when one failed, 2 for wrong usage, 3 when something is missing.
TEXT
}

quick=false
# One at a time: tests of limits in time must not starve beside tests of load.
options=(--disable-xctest --no-parallel)
# Which tests run, apart, since filters add up: one that is run alone must be the only one.
selection=()
# A few tests may use no secret at all.
ledger_option=()
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help)
            usage
            exit 0
            ;;
        --quick) quick=true ;;
        --sanitize=thread)
            quick=true
            options+=("$1" -Xswiftc -DTHREAD_SANITIZER --scratch-path .build-tsan)
            export GATEWAY_SOAK_SCALE=${GATEWAY_SOAK_SCALE:-0.1}
            export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
            ;;
        --filter | --skip)
            if [ $# -lt 2 ]; then
                say "test.sh: $1 needs a regular expression (see --help)"
                exit 2
            fi
            selection+=("$1" "$2")
            ledger_option=(--may-be-empty)
            shift
            ;;
        *)
            options+=("$1")
            ledger_option=(--may-be-empty)
            ;;
    esac
    shift
done

require_swift
require_packages "${library_packages[@]}" iproute2 strace
secrecy_folder=$(mktemp -d "${TMPDIR:-/tmp}/gateway-secrecy.XXXXXX")
trap 'stop_servers; rm -rf "$secrecy_folder"' EXIT
start_servers

# What is logged goes to the file alone; all else is shown as well.
output=${GATEWAY_TEST_TRACE_FILE:-$secrecy_folder/output}
export GATEWAY_TEST_SECRETS=$secrecy_folder/secrets GATEWAY_TEST_TRACE=1
status=0
say "== Building and testing"
watched "${GATEWAY_TEST_SILENCE:-600}" "$output" swift test "${options[@]}" ${selection[@]+"${selection[@]}"} || status=$?
alone=$secrecy_folder/alone
mkdir "$alone"
if [ "$status" -ne 0 ] && only_unsteady "$output" "$alone" swift test "${options[@]}"; then
    status=0
fi
say "== Searching the output for secrets"
for text in "$output" "$alone"/*; do
    [ -e "$text" ] || continue
    if ! scripts/check-secrets.sh "$text" "$GATEWAY_TEST_SECRETS" ${ledger_option[@]+"${ledger_option[@]}"}; then
        status=1
        say "To see what was logged, run again with GATEWAY_TEST_TRACE_FILE naming a file."
    fi
done
if [ "$status" -ne 0 ]; then
    show_failures "$output"
    say "== Something failed"
    exit 1
fi
unset GATEWAY_TEST_SECRETS GATEWAY_TEST_TRACE

if ! $quick; then
    say "== Compiling generated code in a package of its own"
    GATEWAY_COMPILE_DIR="$PWD/.build/outsider" scripts/compile-generated.sh --plugin --names openapi Tests/OpenAPIGenerationTests/Fixtures
fi
say "== All tests passed"
