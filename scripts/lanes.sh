# Sourced by test.sh, steady.sh and soak.sh, after packages.sh: builds the tests and runs them in two processes.

lanes=()
# Whether a test may be skipped because something is not installed. In CI everything is installed.
may_skip=yes
[ -z "${CI:-}" ] || may_skip=no

# The targets that compute, and half of those that wait for servers and processes: both lanes take about as long.
readonly processor_targets='^(GatewayAuthTests|GatewayCoreTests|GatewayJSONTests|GatewayResilienceTests|GatewaySecrecyTests|GatewayOpenAPITests|OpenAPIGenerationTests)\.'
readonly waiting_targets="^(?!${processor_targets#^})"

# Builds all tests, with the same flags wherever they are built: other flags would compile everything again. Sets test_binary.
# Argument: thread for ThreadSanitizer, thread-all for that with generated clients, release for an optimized build, or
# nothing.
build_tests() {
    local log options=(--build-tests --disable-xctest "${build_options[@]}") built=.build/debug
    # What is built must be what is run.
    unset SWIFTPM_BUILD_DIR
    # Warnings are errors.
    export GATEWAY_WARNINGS_AS_ERRORS=true
    case "${1:-}" in
        thread | thread-all)
            # Package.swift leaves targets out.
            export GATEWAY_THREAD_SANITIZER=$1
            # Package.swift depends on which files have the tag. What is reported has lines, and nothing else that a debugger
            # needs.
            options=(--build-tests --disable-xctest --manifest-cache none --sanitize=thread --scratch-path .build-tsan
                -Xswiftc -DTHREAD_SANITIZER -Xswiftc -gline-tables-only)
            built=.build-tsan/debug
            ;;
        release)
            options+=(-c release -Xswiftc -enable-testing)
            built=.build/release
            ;;
    esac
    # The build ends with this script, however this script ends.
    if [ -t 1 ]; then
        setpriv --pdeathsig TERM swift build "${options[@]}" || exit 1
    else
        log=$(mktemp)
        if ! setpriv --pdeathsig TERM swift build "${options[@]}" > "$log" 2>&1; then
            grep -a -A 4 'error:' "$log" | head -n 100 >&2 || tail -n 20 "$log" >&2
            say "The build failed; its whole log is $log."
            exit 1
        fi
        grep -a '^Build complete' "$log" || true
        rm -f "$log"
    fi
    unset GATEWAY_THREAD_SANITIZER
    test_binary=$built/GatewayClientPackageTests.xctest
    if [ ! -x "$test_binary" ]; then
        say "The build has not made $test_binary."
        exit 1
    fi
}

# Starts a process of tests, one test at a time. Arguments: a folder for its output and costs, its name, and options of the
# test binary.
start_lane() {
    local folder=$1 name=$2 options=(--silence "${GATEWAY_TEST_SILENCE:-600}")
    shift 2
    [ "$may_skip" = yes ] || options+=(--no-skips)
    # What tests leave in their temporary folder goes with the run's.
    mkdir -p "$folder/tmp"
    # It ends with this script, however this script ends.
    TMPDIR=$folder/tmp setpriv --pdeathsig TERM scripts/lane.py "${options[@]}" "$name" \
        "$folder/$name.output" "$folder/$name.costs" "$test_binary" --testing-library swift-testing --no-parallel "$@" &
    lanes+=($!)
}

# Starts all tests, in two processes. Arguments: the folder, and options of the test binary that select some of them.
start_all_lanes() {
    local folder=$1
    shift
    start_lane "$folder" processor --skip "$waiting_targets" "$@"
    start_lane "$folder" waits --skip "$processor_targets" "$@"
}

# Waits for the processes that were started. Returns 1 where one of them failed.
await_lanes() {
    local id status=0
    for id in "${lanes[@]}"; do wait "$id" || status=1; done
    lanes=()
    return "$status"
}

# Ends them.
stop_lanes() {
    end_processes "${lanes[@]}"
    lanes=()
}
