#!/usr/bin/env bash
# Runs the long proofs, part by part, and writes a table of their results.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/packages.sh
. scripts/servers.sh
. scripts/lanes.sh

usage() {
    cat <<'TEXT'
usage: scripts/soak.sh [--quick] [--seed N] [--results FILE] [PART...]

Installs the system packages that are missing, builds in release what is about load, and runs these parts one after the
other, or those that are named. Each takes at most an hour.

  models             random orders to each state machine and its model, at full count, optimized
  races              interleavings of the transport's state machines, and threads that race
  real-time          the tests that judge by the machine's clock or need minutes (the trait .realTime), but for those of
                     other parts
  load               1,000,000 calls of the whole stack, 100,000 refused connections, and 1,000 streams that stand still
                     and are cancelled: memory and file descriptors must stay flat; outages of 30 s at 500 calls a second
  limit              an adaptive limit of calls in front of a server that processes 16 requests at once, for 10 minutes:
                     it must stay from 12 to 24
  traces             what metrics and traces add to a call, and 10 pairs of runs of 10,000 calls a second, with a collector that
                     answers and with one that hangs: p99 may change by 5 %, and memory by 4 MiB
  rollover           60 lifetimes of tokens of 3 s under as many calls as the machine gives, by one process, and by four
                     that share files or Redis: no call may fail, no 401 be seen, and one token be asked for in each
  storms             tokens revoked under 1,000 concurrent calls, 1,000 rounds; four processes that share a login in files
                     or Redis, 1,000 rounds each of kills, stops, late answers, lost records and locks, full disks and
                     restarts: no refresh token may be used twice without a reason, no login be lost, no call hang
  network            1,000 changes of links, addresses and routes in network namespaces, and an outage of a minute at 500
                     calls a second: each change must be seen once and in time, and no circuit open (root only)
  cache              a process that is killed while it writes a cache on disk, 200 times, two users of one file, 1,000
                     rounds, damaged files, 600 times, and 10,000 requests for 100 URIs of each caching proxy
  queue              processes that use an offline queue and are killed, 500 times, and two that share a file, 20,000
                     entries: each entry must take effect once, and in its order
  disk               losses of power at every point of 300 transactions, 1,000 damaged files, and system calls before
                     tickets: no entry with a ticket may be missing or torn
  queue-outage       5,000 entries of an offline queue after a minute without a network, in front of a server that takes 8
                     calls at once: at most 1 % may be answered with 429 or 503 (root only)
  steady-busy        both processes of scripts/test.sh five times, beside four busy loops
  steady-stops       the same three times, while all processes are stopped for 5 s at ten random moments
  tsan-all           all tests of the concurrent targets under ThreadSanitizer, generated clients included, and not only
                     those with the tag .concurrent
  round-trips        round trips over openapi/ and the test documents, with unknown properties kept, too
  fuzz               each fuzz target for two minutes
  compile-generated  clients of openapi/ and of the test documents, compiled in a package of their own, and by the plugins

  --quick            a tenth of it
  --seed N           the seed of random tests (default: a new one for each run)
  --results FILE     where the table goes (default: .build/soak-results.txt; new lines are added at its end)
  -h, --help         this text

Environment: GATEWAY_SOAK_SCALE multiplies the rounds of the long tests (10 by default, 1 with --quick).
Exit status: 0 when all went well, 1 when something did not, 2 for wrong usage, 3 when something is missing.
TEXT
}

readonly parts=(models races real-time load traces limit rollover storms network cache queue disk queue-outage steady-busy steady-stops tsan-all
    round-trips fuzz compile-generated)
scale=10
seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
results=.build/soak-results.txt
chosen=()
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help)
            usage
            exit 0
            ;;
        --quick) scale=1 ;;
        --seed | --results)
            if [ $# -lt 2 ]; then
                say "soak.sh: $1 needs a value (see --help)"
                exit 2
            fi
            if [ "$1" = --seed ]; then seed=$2; else results=$2; fi
            # A path is relative to where the command was given.
            [[ $results = /* ]] || [ "$1" = --seed ] || results=$OLDPWD/$results
            shift
            ;;
        *)
            if [[ " ${parts[*]} " != *" $1 "* ]]; then
                say "soak.sh: unknown argument '$1' (see --help)"
                exit 2
            fi
            chosen+=("$1")
            ;;
    esac
    shift
done
[ "${#chosen[@]}" -gt 0 ] || chosen=("${parts[@]}")
if ! [[ $seed =~ ^[0-9]+$ ]]; then
    say "soak.sh: the seed must be a number (see --help)"
    exit 2
fi
require_numbers GATEWAY_SOAK_SCALE
export GATEWAY_SOAK_SCALE=${GATEWAY_SOAK_SCALE:-$scale} GATEWAY_TEST_SEED=$seed GATEWAY_TEST_REAL_TIME=true

# So much of what a part does at full length.
portion() { awk -v count="$1" -v scale="$GATEWAY_SOAK_SCALE" 'BEGIN { part = int(count * scale / 10); print part < 1 ? 1 : part }'; }

# The suites of each part, and how often the soak runs their rounds where that is not GATEWAY_SOAK_SCALE: the gate's counts
# differ. `real-time` leaves out the suites of the other parts.
declare -A suites=(
    [models]='ModelTests|BulkheadTests|DeadlineHeapTests|FlightBoardTests|TimeoutRateTests|AdaptiveLimitTests|LatencyEstimatorTests|HedgeBudgetTests|RateLimitDialectTests|DurationHistogramTests|TokenSlotExplorationTests|RejectionTests|AuthenticationChallengeTests|CorpusTests|QueueStoreConformanceTests|DiskFaultTests|QueueCredentialTests|QualityTrafficTests|NetlinkTests|HeadReaderTests|TimerWheelTests|AdmissionQueueTests|HishelTests'
    [races]='TransferStateMachineTests|TransferRaceTests|StreamUploadStateMachineTests|DownloadStateMachineTests|DownloadEndTests|DrainTests|EventStreamTests|InboxTests|CancellationTests|HostileFloodTests'
    [limit]='AdaptiveLimitServerTests'
    [rates]='RateLimitTests'
    [revocations]='RevocationStormTests'
    [token-storm-files]='filesSurviveAStorm'
    [token-storm-redis]='redisSurvivesAStorm'
    [network]='NamespaceTests|OfflineTests|SlowLinkTests'
    [cache]='KilledWriterTests|TwoUsersTests|BrokenFileTests'
    [proxies]='CachingProxyTests'
    [queue]='KilledQueueTests|QueueMixedRunTests'
    [disk]='CrashImageTests|DamagedFileTests|SystemCallTests|ManyEntriesTests'
    [queue-outage]='QueueOutageTests'
)
declare -A scales=([limit]=120 [network]=20 [token-storm-files]=40 [token-storm-redis]=40 [cache]=3 [queue]=5 [disk]=3)

require_swift
require_packages "${library_packages[@]}" iproute2 strace
running=
# Also on an interrupt.
clean_up() {
    trap '' INT TERM HUP
    [ -z "$running" ] || end_processes "$running"
    stop_servers
    [ -n "${keeps_logs:-}" ] || rm -rf "$logs"
}
trap clean_up EXIT
logs=$(mktemp -d "${TMPDIR:-/tmp}/gateway-soak.XXXXXX")
mkdir "$logs/tmp"
[ "$(id -u)" -ne 0 ] || export GATEWAY_REQUIRE_NETNS=1
failed=false
commit=$(git rev-parse --short HEAD 2> /dev/null || echo unknown)
git diff --quiet HEAD 2> /dev/null || commit+=+

# Whether one of these parts was asked for.
wanted() {
    local name
    for name in "$@"; do [[ " ${chosen[*]} " != *" $name "* ]] || return 0; done
    return 1
}

# Runs a part, shows its last words where it fails, and notes a line of the table. Arguments: the part, and its command.
part() {
    local name=$1 started=$SECONDS verdict=passed status=0
    shift
    say "== $name"
    setpriv --pdeathsig TERM timeout --kill-after=60 3600 "$@" > "$logs/$name.log" 2>&1 < /dev/null &
    running=$!
    wait "$running" || status=$?
    running=
    if [ "$status" -ne 0 ]; then
        verdict=FAILED
        [ "$status" -ne 124 ] || verdict="FAILED: longer than an hour"
        failed=true
        grep -aE '✘|failed:|error' "$logs/$name.log" | head -n 20 >&2 || true
        tail -n 10 "$logs/$name.log" >&2
    fi
    # A run that is ended early leaves the lines that it has.
    printf '%-20s %-10s %-11s %6d s  %s\n' "$name" "$commit" "$seed" $((SECONDS - started)) "$verdict" | tee -a "$results"
}

# Runs the tests of a part, one at a time: those with time limits must not starve next to load.
# Arguments: the part's line of the table, and options of the test binary (by default, the part's suites).
tests() {
    local name=$1
    shift
    [ $# -gt 0 ] || set -- --filter "${suites[$name]}"
    part "$name" env GATEWAY_SOAK_SCALE="$(awk -v full="${scales[$name]:-10}" -v scale="$GATEWAY_SOAK_SCALE" \
        'BEGIN { print full * scale / 10 }')" TMPDIR="$logs/tmp" scripts/lane.py --silence 3600 --longest 3600 --no-skips "$name" "$logs/$name.output" "$logs/$name.costs" \
        "$test_binary" --testing-library swift-testing --no-parallel "$@"
}

for name in "${!suites[@]}"; do
    for suite in ${suites[$name]//|/ }; do
        grep -rqE "(struct|class|func) $suite\b|(struct|class) \w*$suite\b" Tests --include='*.swift' && continue
        say "soak.sh: the part $name names $suite, which no test has"
        exit 1
    done
done

say "== Building what the parts need (the first time takes some minutes)"
# With it come gateway-bench and gateway-chaos. To build them alone, with other flags, would compile everything again.
if wanted models races real-time load traces limit rollover storms network cache queue disk queue-outage; then
    build_tests release
fi
bench=.build/release/gateway-bench
start_servers
mkdir -p "$(dirname "$results")"
printf '%-20s %-10s %-11s %8s  %s\n' part commit seed time verdict >> "$results"

for name in models races limit network queue disk queue-outage; do
    ! wanted "$name" || tests "$name"
done
if wanted real-time; then
    others=$(IFS='|' && echo "${suites[*]}")
    real_time=$(scripts/tagged.py realTime)
    tests real-time --filter "$real_time" --skip "$others"
    tests rates
fi
if wanted storms; then
    tests revocations
    tests token-storm-files
    tests token-storm-redis
fi
if wanted cache; then
    tests cache
    tests proxies
fi
if wanted load; then
    part load-resources "$bench" soak --requests "$(portion 1000000)" --refused "$(portion 100000)" \
        --streams "$(portion 1000)"
    part load-outages "$bench" resilience --seconds "$(portion 30)"
fi
if wanted traces; then part traces "$bench" telemetry --collector "$(portion 10)"; fi
if wanted rollover; then
    part rollover-one "$bench" rollover --lifetimes "$(portion 60)"
    part rollover-files "$bench" rollover --lifetimes "$(portion 60)" --processes 4 --store file
    part rollover-redis "$bench" rollover --lifetimes "$(portion 60)" --processes 4 \
        --store "redis:${GATEWAY_TEST_REDIS##*:}"
fi
# The gate's tests as they are in the gate.
gate=(env -u GATEWAY_TEST_REAL_TIME -u GATEWAY_SOAK_SCALE -u GATEWAY_TEST_SEED -u GATEWAY_STEADY_FILTER)
if wanted steady-busy; then part steady-busy "${gate[@]}" scripts/steady.sh busy "$(portion 5)"; fi
if wanted steady-stops; then part steady-stops "${gate[@]}" scripts/steady.sh stops "$(portion 3)"; fi
if wanted tsan-all; then
    if (build_tests thread-all); then
        part tsan-all env -u GATEWAY_TEST_REAL_TIME GATEWAY_SOAK_SCALE=0.1 TMPDIR="$logs/tmp" \
            TSAN_OPTIONS="${TSAN_OPTIONS:-} halt_on_error=1" scripts/lane.py tsan-all "$logs/tsan-all.output" \
            "$logs/tsan-all.costs" .build-tsan/debug/GatewayClientPackageTests.xctest --testing-library swift-testing \
            --no-parallel
    else
        part tsan-all false
    fi
fi
if wanted round-trips; then
    part round-trips scripts/round-trips.sh --work .build/round-trips openapi Tests/GatewayOpenAPITests/Shapes.openapi.yaml
    part round-trips-unknown scripts/round-trips.sh --unknown-properties --work .build/round-trips openapi \
        Tests/GatewayOpenAPITests/Shapes.openapi.yaml Tests/GatewayOpenAPITests/Archive.openapi.yaml
fi
if wanted fuzz; then part fuzz scripts/fuzz.sh --seconds "$(portion 120)"; fi
if wanted compile-generated; then
    part compile-generated env GATEWAY_COMPILE_DIR="$PWD/.build/outsider" scripts/compile-generated.sh --plugin --names \
        openapi Tests/OpenAPIGenerationTests/Fixtures
fi

grep -hE '^(flat|GROWN):|^(smooth|BROKEN):|MISS$|^storm over ' "$logs"/*.log | tee -a "$results" || true
say "The table is in $results."
if $failed; then
    keeps_logs=yes
    say "Something failed; the logs are in $logs."
    exit 1
fi
