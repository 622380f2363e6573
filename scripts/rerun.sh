# Sourced by test.sh, after packages.sh and watchdog.sh: names the tests of a run that failed, and runs a few of them again,
# alone, to tell a test that depends on the machine's speed from one that finds a fault.

# At most so many tests are run again; where more failed, something is broken.
readonly unsteady_limit=3
# A test is called unsteady only where so many runs of it alone pass, one after the other.
readonly runs_alone=2

# Prints the names of the tests of a run that failed, a line each.
failed_tests() {
    grep -aoP '^✘ Test \K[A-Za-z0-9_]+(?=\(.*(recorded an issue|failed after))' "$1" | sort -u
}

# Prints what a run says of its failures.
show_failures() {
    grep -a -A 3 -P '^✘ Test .*recorded an issue' "$1" | grep -a -v -e '^trace ' -e '^✘ Test run with' | head -n 60 >&2
    grep -a '^✘ Test run with' "$1" >&2 || true
}

# Runs the failed tests of a run again, each alone. Arguments: the output of the run, a folder for the output of the others,
# and the command with its arguments.
# Returns 0 where all of them are unsteady. A run that crashed, hung, met a data race or could not be built is not judged.
only_unsteady() {
    local output=$1 folder=$2 names name round
    shift 2
    grep -aq '^✘ Test run with' "$output" || return 1
    mapfile -t names < <(failed_tests "$output")
    [ "${#names[@]}" -gt 0 ] || return 1
    if [ "${#names[@]}" -gt "$unsteady_limit" ]; then
        say "${#names[@]} tests failed; they are not run again."
        return 1
    fi
    for name in "${names[@]}"; do
        for ((round = 1; round <= runs_alone; round++)); do
            say "== $name failed; run $round of $runs_alone of it alone"
            watched "${GATEWAY_TEST_SILENCE:-600}" "$folder/$name.$round" "$@" --skip-build --filter "/$name\\(" \
                || return 1
            # A run of no tests passes, too.
            grep -aqP '^✔ Test run with [1-9]' "$folder/$name.$round" || return 1
        done
    done
    say "== Unsteady: failed among the others and passed $runs_alone times alone; each needs to be mended: ${names[*]}"
}
