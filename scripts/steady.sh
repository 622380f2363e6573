#!/usr/bin/env bash
# Runs the tests of the gate several times on a machine that is disturbed.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh
. scripts/servers.sh
. scripts/lanes.sh

usage() {
    cat <<'TEXT'
usage: scripts/steady.sh busy|stops [ROUNDS]

Builds, starts the servers, and runs both processes of scripts/test.sh, ROUNDS times (1 by default).

  busy         beside four loops that never rest
  stops        while all tests, servers and commands are stopped for 5 s (SIGSTOP), at ten random moments; a round of
               less than three stops has failed

Environment: GATEWAY_STEADY_FILTER, a regular expression: only the tests that match, in one process.
Exit status: 0 when no test failed in any round, 1 when one did, 2 for wrong usage, 3 when something is missing.
TEXT
}

case "${1:-}" in
    -h | --help)
        usage
        exit 0
        ;;
    busy | stops) ;;
    *)
        say "steady.sh: needs busy or stops (see --help)"
        exit 2
        ;;
esac
disturbance=$1
rounds=${2:-1}
if ! [[ $rounds =~ ^[1-9][0-9]*$ ]] || [ $# -gt 2 ]; then
    say "steady.sh: ROUNDS must be a number from 1 on, and the last argument (see --help)"
    exit 2
fi

# Ends what a disturbance started.
end_disturbers() {
    local id
    for id in "${disturbers[@]}"; do kill "$id" 2> /dev/null || true; done
    for id in "${disturbers[@]}"; do wait "$id" || true; done
    disturbers=()
}
disturbers=()

busy() {
    local _
    for _ in 1 2 3 4; do
        # They end with this script, however it ends.
        while kill -0 $$ 2> /dev/null; do for _ in {1..10000}; do :; done; done &
        disturbers+=($!)
    done
}

stops() {
    stop_at_random $$ &
    disturbers+=($!)
}

# Stops all processes below a process but shells, ten times, for 5 s each.
stop_at_random() {
    local ids=() _
    # Nothing stays stopped when the tests or this script end meanwhile.
    trap '[ "${#ids[@]}" -eq 0 ] || kill -CONT "${ids[@]}" 2> /dev/null' EXIT
    trap 'kill $! 2> /dev/null; exit 0' INT TERM HUP
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        # A signal ends this wait, but not a sleep in the foreground.
        sleep $((RANDOM % 20 + 3)) & wait $! || true
        kill -0 "$1" 2> /dev/null || return 0
        mapfile -t ids < <(descendants "$1")
        echo "stopped: ${#ids[@]} processes"
        kill -STOP "${ids[@]}" 2> /dev/null || true
        sleep 5 & wait $! || true
        kill -CONT "${ids[@]}" 2> /dev/null || true
        echo . >> "$run_folder/stops"
    done
}

# The processes below a process that are no shells: test binaries, what they started, and servers.
descendants() {
    ps -eo pid=,ppid=,comm= | awk -v root="$1" '
        { parent[$1] = $2; name[$1] = $3 }
        END {
            for (id in parent) {
                for (up = id; up in parent && up != root; up = parent[up]);
                if (up == root && id != root && name[id] !~ /^(bash|sleep|ps|awk)$/) print id
            }
        }'
}

# A process that is stopped cannot be ended with SIGTERM.
continue_all() { descendants $$ | xargs -r kill -CONT 2> /dev/null || true; }

require_numbers GATEWAY_SOAK_SCALE GATEWAY_TEST_SEED GATEWAY_TEST_SILENCE
require_swift
require_packages "${library_packages[@]}" iproute2 strace procps
run_folder=$(mktemp -d "${TMPDIR:-/tmp}/gateway-steady.XXXXXX")
clean_up() {
    trap '' INT TERM HUP
    continue_all
    end_disturbers
    continue_all
    stop_lanes
    stop_servers
    rm -rf "$run_folder"
}
trap clean_up EXIT
# A skipped test would count as steady.
may_skip=no
build_tests
start_servers
status=0
for ((round = 1; round <= rounds; round++)); do
    say "== Round $round of $rounds, $disturbance"
    began=$SECONDS
    if [ -n "${GATEWAY_STEADY_FILTER:-}" ]; then
        start_lane "$run_folder" tests --filter "$GATEWAY_STEADY_FILTER"
    else
        start_all_lanes "$run_folder"
    fi
    : > "$run_folder/stops"
    "$disturbance"
    outcome=passed
    await_lanes || outcome=FAILED
    end_disturbers
    if [ "$disturbance" = stops ] && [ "$(wc -l < "$run_folder/stops")" -lt 3 ] && [ -z "${GATEWAY_STEADY_FILTER:-}" ]; then
        outcome="FAILED: the processes were stopped less than three times"
    fi
    [ "$outcome" = passed ] || status=1
    say "== Round $round: $outcome after $((SECONDS - began)) s"
done
exit "$status"
