# Sourced by servers.sh: servers written by others that issue or check tokens. One that cannot be installed is left out
# with its reason, and so are the tests that need it; where CI is set that is a failure.
#
# start_counterparts exports
#   GATEWAY_TEST_KEYS            the folder with the keys that make_keys.py has made
#   GATEWAY_TEST_PYJWT           http://127.0.0.1:PORT, PyJWT over HTTP
#   GATEWAY_TEST_AUTHLIB         http://127.0.0.1:PORT, an authorization server and an API by Authlib
#   GATEWAY_TEST_DJANGO          http://127.0.0.1:PORT, the same by Django OAuth Toolkit

counterparts=scripts/counterparts

start_counterparts() {
    local ports
    install_counterparts || return 0
    read -r -a ports < <(free_ports 3)
    export GATEWAY_TEST_KEYS="$server_folder/keys" GATEWAY_COUNTERPART_KEYS="$server_folder/keys"
    "$httpbin_folder/bin/python" "$counterparts/make_keys.py" "$GATEWAY_TEST_KEYS"

    start_python pyjwt pyjwt_server:app "${ports[0]}" 4
    export GATEWAY_COUNTERPART_FOLDER="$server_folder"
    start_python authlib authlib_server:app "${ports[1]}" 16
    start_python django django_server:app "${ports[2]}" 16
    await_server pyjwt "${ports[0]}" /ready
    await_server authlib "${ports[1]}" /ready
    await_server django "${ports[2]}" /ready

    export GATEWAY_TEST_PYJWT="http://127.0.0.1:${ports[0]}"
    export GATEWAY_TEST_AUTHLIB="http://127.0.0.1:${ports[1]}"
    export GATEWAY_TEST_DJANGO="http://127.0.0.1:${ports[2]}"
}

# Explains why tests are left out.
leave_out() {
    say "The tests against $1 are left out: $2"
    [ -z "${CI:-}" ] || exit 3
}

# Adds what packages.txt names to httpbin's virtual environment, unless it is there already.
install_counterparts() {
    local wanted="$counterparts/packages.txt" installed="$httpbin_folder/counterparts.txt" log
    ! cmp -s "$wanted" "$installed" || return 0
    say "Installing servers of tokens into .build/httpbin"
    log=$(mktemp)
    if ! "$httpbin_folder/bin/python" -m pip install --disable-pip-version-check --no-input \
        -r scripts/servers/httpbin.txt -r "$wanted" > "$log" 2>&1 < /dev/null; then
        tail -n 5 "$log" >&2
        leave_out "servers of tokens" "they could not be installed from PyPI; the whole log is in $log."
        return 1
    fi
    rm -f "$log"
    cp "$wanted" "$installed"
}

# Starts a program of this folder. Arguments: its name, its module and application, the port, the number of threads.
start_python() {
    start_server "$1" env PYTHONDONTWRITEBYTECODE=1 "$httpbin_folder/bin/python" -m gunicorn \
        --chdir "$counterparts" --bind "127.0.0.1:$3" --workers 1 --worker-class gthread --threads "$4" \
        --keep-alive 60 --graceful-timeout 1 --worker-tmp-dir "$server_folder" --backlog 1024 "$2"
}
