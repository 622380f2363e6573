# Sourced by test.sh, after packages.sh: ends a command that has stopped saying anything, and shows where it hangs.

# Runs a command in a process group of its own; all it says goes to a file, and all but traces is shown. Where the file
# has not grown for so many seconds, prints the stacks of the group's processes and ends the group.
# Arguments: the seconds, the file, and the command with its arguments. Returns the command's status; a hang's is 137.
watched() {
    local limit=$1 output=$2 leader guard status=0
    shift 2
    : > "$output"
    setsid setpriv --pdeathsig KILL "$@" > "$output" 2>&1 < /dev/null &
    leader=$!
    # An interrupt from the terminal does not reach the group.
    trap 'kill -KILL -- "-$leader" 2> /dev/null; exit 130' INT TERM
    end_when_silent "$limit" "$output" "$leader" &
    guard=$!
    tail --pid="$leader" -n +1 -s 0.2 -f "$output" | grep -a --line-buffered -v '^trace ' || true
    wait "$leader" || status=$?
    wait "$guard" || true
    trap - INT TERM
    return "$status"
}

# Returns when a process has ended; ends its group itself where a file has not grown for so many seconds.
end_when_silent() {
    local limit=$1 output=$2 leader=$3 silence=0 size=-1 now
    while kill -0 "$leader" 2> /dev/null; do
        sleep 1
        now=$(stat -c %s "$output")
        silence=$((now == size ? silence + 1 : 0))
        size=$now
        if [ "$silence" -ge "$limit" ]; then
            say "== Nothing was said for $limit seconds; the command is ended. Its last line:"
            grep -a -v '^trace ' "$output" | tail -n 1 >&2
            show_stacks "$leader"
            kill -KILL -- "-$leader"
            return
        fi
    done
}

# Prints what the threads of a group's processes wait for: stacks with gdb, the kernel's word without.
show_stacks() {
    local process thread
    for process in $(pgrep -g "$1"); do
        say "== Process $process: $(tr '\0' ' ' < "/proc/$process/cmdline" | cut -c 1-200)"
        if command -v gdb > /dev/null; then
            gdb -p "$process" -batch -ex 'set pagination off' -ex 'thread apply all backtrace 16' >&2 2> /dev/null
        else
            for thread in "/proc/$process/task/"*; do
                printf '%s in %s\n' "$(cat "$thread/comm")" "$(cat "$thread/wchan")" >&2
            done
        fi
    done
}
