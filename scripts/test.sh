#!/usr/bin/env bash
# Installs what is missing, builds everything, and runs the whole test suite.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh
. scripts/servers.sh
. scripts/lanes.sh

usage() {
    cat <<'TEXT'
usage: scripts/test.sh [--sanitize=thread] [--filter REGEX]... [--skip REGEX]... [--keep FOLDER]

Installs the system packages that are missing, starts nginx, httpbin, Redis, a collector, Prometheus, caching
proxies and token servers on free loopback ports, builds, and runs every test. The servers write to a temporary folder and are stopped at
the end. A test that fails is not run again: it fails the run.

The tests run in two processes at once, each one test at a time: "processor" runs the targets that compute and those of
tokens, "waits" all others, which wait for servers and processes. All output, at the highest level of logging, is
searched for the secrets that were used (scripts/check-secrets.sh), and what the tests cost is compared with their
budgets (scripts/check-test-cost.sh). Skipped tests are named with the reason; where CI is set, one that is skipped for
another reason than its tier (Tests/README.md) is a failure.

  --sanitize=thread   only tests with the tag .concurrent, but for those of generated clients, under ThreadSanitizer, in
                      a build folder of their own (.build-tsan)
  --filter REGEX      only tests whose identifiers match, in one process, without budgets: Target.Suite/function()
  --skip REGEX        not those
  --keep FOLDER       the output, with all that is logged, and the costs of each test are kept there
  -h, --help          this text

A plain `swift test` skips the tests that need these servers. A token server that cannot be installed is left out with its
tests; where CI is set that is a failure. Tests/README.md has a table of the token servers, and describes the tiers.
Environment: GATEWAY_TEST_SEED changes the seeds of all random tests (0: the fixed ones). GATEWAY_SOAK_SCALE multiplies the
rounds of the long tests (1 by default, 0.1 under a sanitizer). GATEWAY_TEST_SILENCE: after so many seconds without output
(600 by default) the tests have failed, and their stacks are shown; so they have where one test takes 15 minutes.
Exit status: 0 when every test passed, 1 when one failed, 2 for wrong usage, 3 when something is missing.
TEXT
}

sanitizer=
selection=()
keep=
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help)
            usage
            exit 0
            ;;
        --sanitize=thread) sanitizer=thread ;;
        --filter | --skip | --keep)
            if [ $# -lt 2 ]; then
                say "test.sh: $1 needs a value (see --help)"
                exit 2
            fi
            if [ "$1" = --keep ]; then keep=$2; else selection+=("$1" "$2"); fi
            shift
            ;;
        *)
            say "test.sh: unknown argument '$1' (see --help)"
            exit 2
            ;;
    esac
    shift
done

if [ -n "$keep" ]; then
    # A path is relative to where the command was given.
    [[ $keep = /* ]] || keep=$OLDPWD/$keep
    mkdir -p "$keep"
fi
require_numbers GATEWAY_SOAK_SCALE GATEWAY_TEST_SEED GATEWAY_TEST_SILENCE
require_swift
require_packages "${library_packages[@]}" iproute2 strace
run_folder=$(mktemp -d "${TMPDIR:-/tmp}/gateway-tests.XXXXXX")
# Also on an interrupt.
clean_up() {
    trap '' INT TERM HUP
    stop_lanes
    stop_servers
    [ -z "$keep" ] || cp "$run_folder"/*.output "$run_folder"/*.costs "$keep" || say "The output could not be kept in $keep."
    rm -rf "$run_folder"
}
trap clean_up EXIT

say "== Building"
build_tests "$sanitizer"
say "== Starting servers"
start_servers
export GATEWAY_TEST_SECRETS=$run_folder/secrets GATEWAY_TEST_TRACE=1

say "== Testing"
began=$SECONDS
if [ -n "$sanitizer" ]; then
    # What it cannot watch is skipped here alone.
    may_skip=yes
    export GATEWAY_SOAK_SCALE=${GATEWAY_SOAK_SCALE:-0.1} TSAN_OPTIONS="${TSAN_OPTIONS:-} halt_on_error=1"
    if [[ " ${selection[*]} " != *" --filter "* ]]; then
        # Clients that are generated are left to scripts/soak.sh: to build them takes minutes.
        concurrent=$(scripts/tagged.py concurrent GatewayOpenAPITests)
        start_all_lanes "$run_folder" --filter "$concurrent" "${selection[@]}"
    else
        start_lane "$run_folder" tsan "${selection[@]}"
    fi
elif [ "${#selection[@]}" -gt 0 ]; then
    start_lane "$run_folder" tests "${selection[@]}"
else
    start_all_lanes "$run_folder"
fi
status=0
await_lanes || status=1
check_servers || status=1
say "== Tested in $((SECONDS - began)) s"
touch "$run_folder/none.costs" "$run_folder/none.output"
awk -F '\t' '{ count[$6]++ }
    END { printf "%d passed, %d failed, %d skipped\n", count["passed"], count["failed"], count["skipped"] }' \
    "$run_folder"/*.costs
if [ -n "${concurrent:-}" ] && [ "${#selection[@]}" -eq 0 ]; then
    # What the sanitizer's build leaves out must have no such test.
    missing=$(scripts/tagged.py concurrent GatewayOpenAPITests --missing-from "$run_folder"/*.costs)
    [ -z "$missing" ] || { say "These have the tag, and nothing of them has run:" "$missing"; status=1; }
fi
# It may have happened in a process that a test started.
if grep -a -m 1 'WARNING: ThreadSanitizer' "$run_folder"/*.output >&2; then status=1; fi

say "== Searching the output for secrets"
began=$SECONDS
# A few tests may use no secret at all.
cat "$run_folder"/*.output > "$run_folder/whole"
scripts/check-secrets.sh "$run_folder/whole" "$GATEWAY_TEST_SECRETS" ${selection[@]+--may-be-empty} || status=1
say "== Searched $(du -m "$run_folder/whole" | cut -f 1) MB in $((SECONDS - began)) s"
rm -f "$run_folder/whole"
if [ -z "$sanitizer" ] && [ "${#selection[@]}" -eq 0 ]; then
    say "== Comparing the costs of the tests with their budgets"
    scripts/check-test-cost.sh "$run_folder"/*.costs || status=1
fi
if [ "$status" -ne 0 ]; then
    say "== Something failed. To see all that was logged, run again with --keep FOLDER."
    exit 1
fi
say "== All tests passed"
