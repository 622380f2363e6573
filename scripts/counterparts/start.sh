# Sourced by servers.sh: third-party servers that issue or check tokens, and zsh, which completes command lines. A server
# that cannot be installed is left out with a reason, and so are its tests; where CI is set that is a failure.
#
# start_counterparts exports
#   GATEWAY_TEST_KEYS            the folder with the keys made by make_keys.py
#   GATEWAY_TEST_PYJWT           http://127.0.0.1:PORT, PyJWT over HTTP
#   GATEWAY_TEST_AUTHLIB         http://127.0.0.1:PORT, an authorization server and an API by Authlib
#   GATEWAY_TEST_AUTHLIB_TLS     https://127.0.0.1:PORT, the same behind nginx with client certificates, see nginx.conf
#   GATEWAY_TEST_DJANGO          http://127.0.0.1:PORT, an authorization server and an API by Django OAuth Toolkit
#   GATEWAY_TEST_CANAILLE        http://127.0.0.1:PORT, the OpenID Connect provider canaille
#   GATEWAY_TEST_MOCK            http://127.0.0.1:PORT, the OpenID Connect provider oidc-provider-mock
#   GATEWAY_TEST_GLEWLWYD        http://127.0.0.1:PORT, the OpenID Connect provider glewlwyd, see glewlwyd_setup.py
#   GATEWAY_TEST_HAPROXY         http://127.0.0.1:PORT, haproxy in front of nginx, see haproxy.cfg
#   GATEWAY_TEST_LIMITED         http://127.0.0.1:PORT, haproxy in front of httpbin, with 16 requests at once
#   GATEWAY_TEST_APACHE          http://127.0.0.1:PORT, Apache with mod_oauth2 in front of nginx, see apache.conf
#   GATEWAY_TEST_APACHE_TLS      https://127.0.0.1:PORT, the same with tokens that are bound to certificates

counterparts=scripts/counterparts

start_counterparts() {
    local ports
    install_packages zsh zsh || true
    install_counterparts || return 0
    read -r -a ports < <(free_ports 11)
    export GATEWAY_TEST_KEYS="$server_folder/keys" GATEWAY_COUNTERPART_KEYS="$server_folder/keys"
    "$httpbin_folder/bin/python" "$counterparts/make_keys.py" "$GATEWAY_TEST_KEYS"

    start_python pyjwt pyjwt_server:app "${ports[0]}" 4
    export GATEWAY_COUNTERPART_FOLDER="$server_folder"
    start_python authlib authlib_server:app "${ports[1]}" 16
    start_python django django_server:app "${ports[2]}" 16
    export GATEWAY_COUNTERPART_CANAILLE="127.0.0.1:${ports[7]}"
    start_python canaille canaille_server:app "${ports[7]}" 16
    start_python mock "oidc_provider_mock:app(require_client_registration=True)" "${ports[8]}" 16
    await_server pyjwt "${ports[0]}" /ready
    await_server authlib "${ports[1]}" /ready
    await_server django "${ports[2]}" /ready
    await_server canaille "${ports[7]}" /.well-known/openid-configuration
    await_server mock "${ports[8]}" /.well-known/openid-configuration

    export GATEWAY_TEST_PYJWT="http://127.0.0.1:${ports[0]}"
    export GATEWAY_TEST_AUTHLIB="http://127.0.0.1:${ports[1]}"
    export GATEWAY_TEST_DJANGO="http://127.0.0.1:${ports[2]}"
    export GATEWAY_TEST_CANAILLE="http://127.0.0.1:${ports[7]}"
    export GATEWAY_TEST_MOCK="http://127.0.0.1:${ports[8]}"
    start_glewlwyd "${ports[9]}"
    start_mutual_tls "${ports[6]}" "${ports[1]}"
    start_haproxy "${ports[3]}" "${ports[10]}"
    start_apache "${ports[@]:4:2}" "${ports[0]}"
}

# Installs Authlib where it is missing, and starts it alone, for the tests of Samples. servers.sh has what it needs.
start_authlib() {
    local port
    require_packages python3-venv
    install_httpbin /usr/bin/python3
    install_counterparts || return 0
    server_folder=$(mktemp -d "${TMPDIR:-/tmp}/gateway-servers.XXXXXX")
    port=$(free_ports 1)
    export GATEWAY_COUNTERPART_KEYS="$server_folder/keys"
    "$httpbin_folder/bin/python" "$counterparts/make_keys.py" "$GATEWAY_COUNTERPART_KEYS"
    start_python authlib authlib_server:app "$port" 16
    await_server authlib "$port" /ready
    export GATEWAY_TEST_AUTHLIB="http://127.0.0.1:$port"
}

# Starts glewlwyd with a database of its own, and configures it over its administration API. Argument: the port.
start_glewlwyd() {
    local folder="$server_folder/glewlwyd" url="http://127.0.0.1:$1" setup="$counterparts/glewlwyd_setup.py"
    # With dbconfig-sqlite3 the package sets itself up without a database server.
    command -v glewlwyd > /dev/null || install_packages glewlwyd dbconfig-sqlite3 glewlwyd || return 0
    mkdir -p "$folder"
    sed -e "s|@PORT@|$1|" -e "s|@FOLDER@|$folder|" "$counterparts/glewlwyd.conf" > "$folder/glewlwyd.conf"
    "$httpbin_folder/bin/python" "$setup" database "$folder/database.sqlite3"
    start_server glewlwyd glewlwyd "--config-file=$folder/glewlwyd.conf"
    await_server glewlwyd "$1" /config
    "$httpbin_folder/bin/python" "$setup" server "$url" || {
        say "glewlwyd could not be configured. The end of its log:"
        tail -n 20 "$server_folder/glewlwyd.log" >&2
        exit 3
    }
    export GATEWAY_TEST_GLEWLWYD="$url"
}

# Starts nginx in front of Authlib; servers.sh has installed it. Arguments: the port of TLS, and Authlib's port.
start_mutual_tls() {
    local folder="$server_folder/mutual-tls" user=
    mkdir -p "$folder/temporary"
    [ "$(id -u)" -ne 0 ] || user="user root;"
    cat "$GATEWAY_TEST_KEYS/client.pem" "$GATEWAY_TEST_KEYS/other-client.pem" > "$folder/clients.pem"
    sed -e "s|@USER@|$user|" -e "s|@PORT@|$1|" -e "s|@API_PORT@|$2|" -e "s|@CLIENTS@|$folder/clients.pem|" \
        -e "s|@CERTIFICATE@|$server_folder/nginx/cert.pem|" \
        -e "s|@CERTIFICATE_KEY@|$server_folder/nginx/key.pem|" "$counterparts/nginx.conf" > "$folder/nginx.conf"
    start_server mutual_tls "$(PATH=$PATH:/usr/sbin command -v nginx)" -p "$folder/" -c "$folder/nginx.conf"
    await_tls mutual_tls "$1"
    export GATEWAY_TEST_AUTHLIB_TLS="https://127.0.0.1:$1"
}

# Waits until a server accepts a TLS connection; otherwise shows its log and exits. Arguments: its name, and its port.
await_tls() {
    local id_name="server_id_$1"
    for _ in $(seq 150); do
        kill -0 "${!id_name}" 2> /dev/null || break
        if openssl s_client -connect "127.0.0.1:$2" > /dev/null 2>&1 < /dev/null; then return 0; fi
        sleep 0.1
    done
    say "$1 does not answer on port $2. The end of its log:"
    tail -n 20 "$server_folder/$1.log" >&2
    exit 3
}

# Starts haproxy. Arguments: the port of the API with tokens, and that of the one with a limit.
start_haproxy() {
    install_packages haproxy haproxy || return 0
    start_server haproxy env COUNTERPART_PORT="$1" COUNTERPART_API="${GATEWAY_TEST_NGINX##*:}" \
        COUNTERPART_LIMITED_PORT="$2" COUNTERPART_LIMITED_API="${GATEWAY_TEST_HTTPBIN##*:}" \
        COUNTERPART_KEYS="$GATEWAY_TEST_KEYS" COUNTERPART_HS256="$(cat "$GATEWAY_TEST_KEYS/HS256.secret")" \
        "$(PATH=$PATH:/usr/sbin command -v haproxy)" -db -f "$counterparts/haproxy.cfg"
    await_server haproxy "$1" /ready
    export GATEWAY_TEST_HAPROXY="http://127.0.0.1:$1" GATEWAY_TEST_LIMITED="http://127.0.0.1:$2"
}

# Starts Apache. Arguments: the ports of plain HTTP and of TLS, and the port of PyJWT, which publishes the keys.
start_apache() {
    install_packages Apache apache2-bin libapache2-mod-oauth2 || return 0
    mkdir -p "$server_folder/apache"
    start_server apache env COUNTERPART_FOLDER="$server_folder/apache" COUNTERPART_PORT="$1" \
        COUNTERPART_TLS_PORT="$2" COUNTERPART_API="$GATEWAY_TEST_NGINX" \
        COUNTERPART_JWKS="http://127.0.0.1:$3/keys" COUNTERPART_MODULES=/usr/lib/apache2/modules \
        COUNTERPART_CERTIFICATE="$server_folder/nginx/cert.pem" \
        COUNTERPART_CERTIFICATE_KEY="$server_folder/nginx/key.pem" \
        "$(PATH=$PATH:/usr/sbin command -v apache2)" -DFOREGROUND -f "$PWD/$counterparts/apache.conf"
    await_server apache "$1" /echo-fields
    export GATEWAY_TEST_APACHE="http://127.0.0.1:$1" GATEWAY_TEST_APACHE_TLS="https://127.0.0.1:$2"
}

# Installs the distribution packages that a server needs. Arguments: the server's name, and the packages.
install_packages() {
    local name=$1
    shift
    # In a subshell, because require_packages exits where a package is missing.
    (require_packages "$@") || {
        leave_out "$name" "these packages could not be installed: $*"
        return 1
    }
}

# Says why tests are left out. Arguments: the server's name, and the reason.
leave_out() {
    say "The tests against $1 are left out: $2"
    [ -z "${CI:-}" ] || exit 3
}

# Installs packages.txt into httpbin's virtual environment, unless it is installed already.
install_counterparts() {
    local wanted="$counterparts/packages.txt" installed="$httpbin_folder/counterparts.txt" log
    ! cmp -s "$wanted" "$installed" || return 0
    say "Installing token servers into .build/httpbin"
    log=$(mktemp)
    if ! "$httpbin_folder/bin/python" -m pip install --disable-pip-version-check --no-input \
        -r scripts/servers/httpbin.txt -r "$wanted" > "$log" 2>&1 < /dev/null; then
        tail -n 5 "$log" >&2
        leave_out "token servers" "they could not be installed from PyPI; the whole log is in $log."
        return 1
    fi
    rm -f "$log"
    cp "$wanted" "$installed"
}

# Starts a Python server under gunicorn. Arguments: its name, its module and application, the port, and the number of
# threads.
start_python() {
    start_server "$1" env PYTHONDONTWRITEBYTECODE=1 "$httpbin_folder/bin/python" -m gunicorn \
        --chdir "$counterparts" --bind "127.0.0.1:$3" --workers 1 --worker-class gthread --threads "$4" \
        --keep-alive 60 --graceful-timeout 1 --worker-tmp-dir "$server_folder" --backlog 1024 "$2"
}
