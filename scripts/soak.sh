#!/usr/bin/env bash
# Runs the long tests at ten times their length, and looks whether memory and descriptors stay flat.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh
. scripts/servers.sh

usage() {
    cat <<'TEXT'
usage: scripts/soak.sh [--quick] [part ...]

Installs the system packages that are missing, builds, and runs these parts one after the other, or those that are named:

  storms         tokens revoked under 1,000 concurrent calls, 1,000 rounds, with and without cancellations
  races          seeded interleavings of an exchange's, an upload's and a download's state machine, and threads that
                 race
  resources      1,000,000 calls of the whole stack, 100,000 refused connections, and 1,000 streams that stand still
                 and are cancelled: memory and file descriptors must stay flat
  rollover       60 lifetimes of tokens of 3 s under as many calls as the machine gives, by one process, and by four
                 that share files or Redis: no call may fail, no 401 be seen, and one token be asked for in each
  resilience     outages of 30 s at 500 calls a second: refused connections, a black hole, fast 503s, and a server that
                 accepts and never answers; no bound on attempts, deadlines and recovery may be broken
  limit          an adaptive limit of calls in front of a server that processes 16 requests at once, for 10 minutes: it
                 must stay from 12 to 24
  network        1,000 changes of links, addresses and routes in network namespaces, and an outage of a minute at 500 calls
                 a second: each change must be seen once and in time, and no circuit open (root only)
  cache          a process that is killed while it writes a cache on disk, 200 times, two users of one file, 1,000 rounds,
                 damaged files, 600 times, and 100,000 requests for 100 URIs of each caching proxy: no torn body and no
                 byte of another user may be served, and 11 of 100 requests be sent at most
  queue          processes that use an offline queue and are killed, 500 times, and two that share a file, 20,000 entries:
                 each entry must take effect once, and in its order
  disk           losses of power at every point of 300 transactions, 1,000 damaged files, and system calls before tickets:
                 no entry with a ticket may be missing or torn
  queue-outage   5,000 entries of an offline queue after a minute without a network, in front of a server that takes 8 calls
                 at once: at most 1 % may be answered with 429 or 503 (root only)
  token-storm    four processes that share a login in files or Redis, 1,000 rounds each of kills, stops, late
                 answers, lost records and locks, full disks and restarts: no refresh token may be used twice without
                 a reason, no login be lost, no call hang

  --quick      a tenth of it
  -h, --help   this text

Environment: GATEWAY_SOAK_SCALE multiplies the rounds of the long tests (10 by default, 1 with --quick).
Exit status: 0 when all went well, 1 when something did not, 2 for wrong usage, 3 when something is missing.
TEXT
}

scale=10
requests=1000000
refused=100000
streams=1000
lifetimes=60
outage_seconds=30
parts=(storms races resources rollover resilience limit queue disk queue-outage network cache token-storm)
chosen=()
for argument in "$@"; do
    case "$argument" in
        -h | --help)
            usage
            exit 0
            ;;
        --quick)
            scale=1
            requests=100000
            refused=10000
            streams=100
            lifetimes=6
            outage_seconds=3
            ;;
        *)
            if [[ " ${parts[*]} " != *" $argument "* ]]; then
                say "soak.sh: unknown argument '$argument' (see --help)"
                exit 2
            fi
            chosen+=("$argument")
            ;;
    esac
done
[ "${#chosen[@]}" -gt 0 ] || chosen=("${parts[@]}")
export GATEWAY_SOAK_SCALE=${GATEWAY_SOAK_SCALE:-$scale}

require_swift
require_packages "${library_packages[@]}"
trap stop_servers EXIT
start_servers

logs=$(mktemp -d)
failed=false
summary=()

# Whether the caller asked for this part.
wanted() { [[ " ${chosen[*]} " == *" $1 "* ]]; }

# Runs a part, shows its last words where it fails, and notes a line of the summary.
part() {
    local name=$1 started=$SECONDS outcome=passed
    shift
    say "== $name"
    if ! "$@" > "$logs/$name.log" 2>&1; then
        outcome=FAILED
        failed=true
        tail -n 20 "$logs/$name.log" >&2
    fi
    summary+=("$(printf '%-17s %-8s %6d s' "$name" "$outcome" $((SECONDS - started)))")
}

say "== Building (the first time takes some minutes)"
if ! { swift build --build-tests && swift build -c release --product gateway-bench \
    && swift build -c release --product gateway-chaos; } > "$logs/build.log" 2>&1; then
    tail -n 30 "$logs/build.log" >&2
    say "The build failed; its whole log is $logs/build.log."
    exit 1
fi
bench=$(swift build -c release --show-bin-path)/gateway-bench
# One at a time: tests with time limits must not starve next to load tests.
tests=(swift test --disable-xctest --skip-build --no-parallel)

wanted storms && part storms "${tests[@]}" --filter RevocationStormTests
wanted races && part races "${tests[@]}" --filter 'TransferStateMachineTests|TransferRaceTests|StreamUploadStateMachineTests|DownloadStateMachineTests'
wanted resources && part resources "$bench" soak --requests "$requests" --refused "$refused" --streams "$streams"
wanted rollover && part rollover-one "$bench" rollover --lifetimes "$lifetimes"
wanted rollover && part rollover-files "$bench" rollover --lifetimes "$lifetimes" --processes 4 --store file
wanted rollover && part rollover-redis "$bench" rollover --lifetimes "$lifetimes" --processes 4 --store "redis:${GATEWAY_TEST_REDIS##*:}"
wanted resilience && part resilience "$bench" resilience --seconds "$outage_seconds"
# The test watches the limit for 5 s at scale 1. Here that is 600 s, or 60 s with --quick.
limit_scale=$(awk -v scale="$GATEWAY_SOAK_SCALE" 'BEGIN { print scale * 12 }')
wanted limit && part limit env GATEWAY_SOAK_SCALE="$limit_scale" \
    "${tests[@]}" --filter AdaptiveLimitServerTests
# 500 kills, 20,000 entries of two processes, 1,000 damaged files, crash images of 300 transactions.
wanted queue && part queue "${tests[@]}" --filter KilledQueueTests
wanted disk && part disk "${tests[@]}" --filter 'CrashImageTests|DamagedFileTests|SystemCallTests'
# 5,000 entries after a minute without a network.
wanted queue-outage && part queue-outage "${tests[@]}" --filter QueueOutageTests

# 50 changes and 6 s at scale 1, 1,000 and two minutes here.
network_scale=$(awk -v scale="$GATEWAY_SOAK_SCALE" 'BEGIN { print scale * 2 }')
wanted network && part network env GATEWAY_SOAK_SCALE="$network_scale" \
    "${tests[@]}" --filter 'NamespaceTests|OfflineTests'
wanted cache && part cache "${tests[@]}" \
    --filter 'KilledWriterTests|TwoUsersTests|BrokenFileTests|CachingProxyTests'
# 25 rounds at scale 1, and four times as many here.
storm_scale=$(awk -v scale="$GATEWAY_SOAK_SCALE" 'BEGIN { print scale * 4 }')
for storm in files:filesSurviveAStorm redis:redisSurvivesAStorm; do
    wanted token-storm && part "token-storm-${storm%:*}" env GATEWAY_SOAK_SCALE="$storm_scale" \
        "${tests[@]}" --filter "${storm#*:}"
done

printf '\n%-17s %-8s %8s\n' part outcome time
printf '%s\n' "${summary[@]}"
grep -hE '^(flat|GROWN):|^(smooth|BROKEN):|MISS$|^storm over ' "$logs"/*.log || true
if $failed; then
    say "Something failed; the logs are in $logs."
    exit 1
fi
rm -rf "$logs"
