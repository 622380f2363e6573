# Sourced by test.sh, after packages.sh: nginx, httpbin and Redis, and the servers of counterparts/start.sh, installed
# where they are missing, started on free loopback ports, and stopped each by its own process id. Whatever they write
# goes to a temporary folder.
#
# start_servers exports
#   GATEWAY_TEST_NGINX           http://127.0.0.1:PORT
#   GATEWAY_TEST_NGINX_TLS       https://127.0.0.1:PORT, with HTTP/2
#   GATEWAY_TEST_NGINX_CLOSING   the same, but a connection ends after ten requests
#   GATEWAY_TEST_NGINX_FILES     the folder with nginx's certificate (cert.pem), its log (access.log), and the
#                                files it serves (www)
#   GATEWAY_TEST_HTTPBIN         http://127.0.0.1:PORT
#   GATEWAY_TEST_HOSTILE         http://127.0.0.1:PORT, where hostile/server.py opens ports that break HTTP/2
#   GATEWAY_TEST_LIMITER         http://127.0.0.1:PORT, limits/server.py: an API with the rate limits of Flask-Limiter
#   GATEWAY_TEST_COLLECTOR       http://127.0.0.1:PORT, collector/server.py: a collector of opentelemetry-proto that fails
#   GATEWAY_TEST_COLLECTOR_DESCRIPTORS   the descriptors of its protocol, for protoc
#   GATEWAY_TEST_REAL_COLLECTOR  http://127.0.0.1:PORT, Rotel, which passes everything on to the run "rotel" of the one above
#   GATEWAY_TEST_HISHEL_PYTHON   a Python with hishel, for scripts/hishel/decide.py
#   GATEWAY_TEST_REDIS           127.0.0.1:PORT, a server that keeps nothing on disk
# and what counterparts/start.sh, servers/prometheus.sh and servers/caches.sh name.

. scripts/counterparts/start.sh
. scripts/servers/prometheus.sh
. scripts/servers/caches.sh

server_ids=()
server_names=()
server_folder=

# Installs what is missing, starts them, and returns when they answer.
start_servers() {
    local nginx=/usr/sbin/nginx tools=(openssl python3-venv) python=/usr/bin/python3
    command -v redis-server > /dev/null || tools+=(redis-server)
    command -v protoc > /dev/null || tools+=(protobuf-compiler)
    [ -x "$nginx" ] || nginx=$(command -v nginx) || tools+=(nginx-light)
    require_packages "${tools[@]}"
    [ -n "$nginx" ] || nginx=/usr/sbin/nginx
    install_httpbin "$python"
    install_packages_of hostile "the hostile HTTP/2 server"
    install_packages_of limits "the server with rate limits"
    install_packages_of hishel "the comparison with hishel"
    install_packages_of collector "the collector of traces and metrics"

    server_folder=$(mktemp -d "${TMPDIR:-/tmp}/gateway-servers.XXXXXX")
    local ports
    read -r -a ports < <(free_ports 10)
    make_nginx_folder "$server_folder/nginx" "${ports[@]:0:3}"
    start_server nginx "$nginx" -p "$server_folder/nginx/" -c "$server_folder/nginx/nginx.conf"
    start_server httpbin "$httpbin_folder/bin/python" -m gunicorn --bind "127.0.0.1:${ports[3]}" --workers 1 \
        --worker-class gthread --threads 64 --keep-alive 60 --graceful-timeout 1 \
        --worker-tmp-dir "$server_folder" httpbin:app
    start_server redis redis-server --save "" --appendonly no --bind 127.0.0.1 --port "${ports[4]}" \
        --dir "$server_folder"
    start_server hostile env PYTHONDONTWRITEBYTECODE=1 "$httpbin_folder/bin/python" scripts/hostile/server.py \
        "${ports[5]}" "$server_folder/nginx/cert.pem" "$server_folder/nginx/key.pem"
    start_server limiter env PYTHONDONTWRITEBYTECODE=1 "$httpbin_folder/bin/python" -m gunicorn --chdir scripts/limits \
        --bind "127.0.0.1:${ports[6]}" --workers 1 --worker-class gthread --threads 64 --keep-alive 60 \
        --graceful-timeout 1 --worker-tmp-dir "$server_folder" server:app
    start_server collector env PYTHONDONTWRITEBYTECODE=1 "$httpbin_folder/bin/python" scripts/collector/server.py \
        "${ports[7]}" "$server_folder/collector.descriptors"
    await_server nginx "${ports[0]}" /ok
    await_server httpbin "${ports[3]}" /get
    await_server redis "${ports[4]}" PING
    await_server hostile "${ports[5]}" /ready
    await_server limiter "${ports[6]}" /ready
    await_server collector "${ports[7]}" /ready

    export GATEWAY_TEST_HISHEL_PYTHON="$httpbin_folder/bin/python"
    export GATEWAY_TEST_NGINX="http://127.0.0.1:${ports[0]}"
    export GATEWAY_TEST_NGINX_TLS="https://127.0.0.1:${ports[1]}"
    export GATEWAY_TEST_NGINX_CLOSING="https://127.0.0.1:${ports[2]}"
    export GATEWAY_TEST_NGINX_FILES="$server_folder/nginx"
    export GATEWAY_TEST_HTTPBIN="http://127.0.0.1:${ports[3]}"
    export GATEWAY_TEST_HOSTILE="http://127.0.0.1:${ports[5]}"
    export GATEWAY_TEST_LIMITER="http://127.0.0.1:${ports[6]}"
    export GATEWAY_TEST_COLLECTOR="http://127.0.0.1:${ports[7]}"
    export GATEWAY_TEST_COLLECTOR_DESCRIPTORS="$server_folder/collector.descriptors"
    start_real_collector "${ports[@]:8:2}"
    export GATEWAY_TEST_REDIS="127.0.0.1:${ports[4]}"
    start_counterparts
    start_prometheus
    start_caches
}

# Starts Rotel, if there is one for this Python. Arguments: the ports of HTTP and gRPC.
start_real_collector() {
    local agent target="$GATEWAY_TEST_COLLECTOR/rotel/none/v1" _
    agent=$(echo "$httpbin_folder"/lib/python3*/site-packages/rotel/rotel-agent)
    [ -x "$agent" ] || return 0
    start_server rotel "$agent" start --exporter otlp --otlp-http-endpoint "127.0.0.1:$1" \
        --otlp-grpc-endpoint "127.0.0.1:$2" --batch-timeout 100ms --otlp-exporter-protocol http \
        --otlp-exporter-traces-endpoint "$target/traces" --otlp-exporter-metrics-endpoint "$target/metrics" \
        --otlp-exporter-logs-endpoint "$target/logs"
    for _ in $(seq 100); do
        (exec 2> /dev/null 3<> "/dev/tcp/127.0.0.1/$1") && break
        sleep 0.1
    done
    export GATEWAY_TEST_REAL_COLLECTOR="http://127.0.0.1:$1"
}

# Prints so many loopback ports that nobody listens on.
free_ports() {
    /usr/bin/python3 - "$1" <<'PY'
import socket
import sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))
PY
}

# Ends what start_servers started. For a trap on EXIT.
stop_servers() {
    end_processes "${server_ids[@]}"
    server_ids=()
    server_names=()
    [ -z "$server_folder" ] || rm -rf "$server_folder"
    server_folder=
}

# Says which servers have ended by themselves, and returns 1 where one has: the tests may have talked to another process.
check_servers() {
    local name id_name status=0
    for name in "${server_names[@]}"; do
        id_name="server_id_$name"
        kill -0 "${!id_name}" 2> /dev/null && continue
        say "The server $name has ended during the tests. Its last words:"
        tail -n 20 "$server_folder/$name.log" >&2
        status=1
    done
    return "$status"
}

# Starts a server in the background; its words go to a log. It ends with this shell, however this shell ends.
start_server() {
    local name=$1
    shift
    setpriv --pdeathsig TERM "$@" > "$server_folder/$name.log" 2>&1 < /dev/null &
    server_ids+=($!)
    server_names+=("$name")
    declare -g "server_id_$name=$!"
}

# Waits until a server answers a request, for a path of HTTP or with Redis's PING; explains and stops where it does not.
await_server() {
    local name=$1 port=$2 request="GET $3 HTTP/1.0" id_name="server_id_$1" line
    [ "$3" != PING ] || request=PING
    for _ in $(seq 150); do
        kill -0 "${!id_name}" 2> /dev/null || break
        if line=$(
            exec 2> /dev/null 3<> "/dev/tcp/127.0.0.1/$port" || exit 1
            printf '%s\r\n\r\n' "$request" >&3
            IFS= read -r -t 10 line <&3 && printf '%s' "$line"
        ) && [[ $line == HTTP/1.?\ 200* || $line == +PONG* ]]; then return 0; fi
        sleep 0.1
    done
    say "$name does not answer on port $port. Its last words:"
    tail -n 20 "$server_folder/$name.log" >&2
    exit 3
}

# Makes a virtual environment with what scripts/servers/httpbin.txt names, unless it is there already.
install_httpbin() {
    local python=$1 wanted=scripts/servers/httpbin.txt log
    httpbin_folder="$PWD/.build/httpbin"
    if cmp -s "$wanted" "$httpbin_folder/installed.txt" && "$httpbin_folder/bin/python" -c 'import gunicorn'; then
        return 0
    fi
    say "Installing httpbin into .build/httpbin"
    mkdir -p .build
    rm -rf "$httpbin_folder"
    log=$(mktemp)
    if ! {
        "$python" -m venv "$httpbin_folder"
        "$httpbin_folder/bin/python" -m pip install --disable-pip-version-check --no-input -r "$wanted"
    } > "$log" 2>&1 < /dev/null; then
        tail -n 20 "$log" >&2
        say "httpbin could not be installed from PyPI; the whole log is in $log."
        exit 3
    fi
    rm -f "$log"
    cp "$wanted" "$httpbin_folder/installed.txt"
}

# Adds what scripts/FOLDER/packages.txt names to httpbin's virtual environment, unless it is there already. Arguments: the
# folder, and what needs the packages.
install_packages_of() {
    local wanted="scripts/$1/packages.txt" installed="$httpbin_folder/$1.txt" log
    ! cmp -s "$wanted" "$installed" || return 0
    say "Installing the packages of $2 into .build/httpbin"
    log=$(mktemp)
    if ! "$httpbin_folder/bin/python" -m pip install --disable-pip-version-check --no-input -r "$wanted" \
        > "$log" 2>&1 < /dev/null; then
        tail -n 20 "$log" >&2
        say "They could not be installed from PyPI; the whole log is in $log."
        exit 3
    fi
    rm -f "$log"
    cp "$wanted" "$installed"
}

# Writes nginx's configuration, certificate and files into a folder of its own. Arguments: the folder, and the ports
# of plain HTTP, of TLS, and of the server that closes its connections.
make_nginx_folder() {
    local folder=$1 status user=
    mkdir -p "$folder/www" "$folder/temporary"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1 \
        -addext subjectAltName=IP:127.0.0.1,DNS:localhost \
        -keyout "$folder/key.pem" -out "$folder/cert.pem" 2> "$folder/openssl.log"
    head -c 33554432 /dev/urandom > "$folder/www/large.bin"
    head -c 65536 /dev/urandom > "$folder/www/64k.bin"
    echo ok > "$folder/www/small.txt"
    for _ in $(seq 2000); do printf 'A line of text that is worth compressing.\n'; done > "$folder/www/text.txt"
    # Its workers must be able to read the folder, which is nobody else's.
    [ "$(id -u)" -ne 0 ] || user="user root;"

    # Every status that nginx gives as it is told; 444 and 494 to 499 mean something else to it, 1xx is never final.
    for status in $(seq 200 599); do
        case $status in
            444 | 49[4-9]) ;;
            301 | 302 | 303 | 307 | 308) printf 'location = /status/%s { return %s /ok; }\n' "$status" "$status" ;;
            *) printf 'location = /status/%s { return %s "%s"; }\n' "$status" "$status" "$status" ;;
        esac
    done > "$folder/statuses.conf"

    cat > "$folder/locations.conf" <<'NGINX'
add_header X-Connection $connection always;
add_header X-Protocol $server_protocol always;
add_header X-Session $ssl_session_reused always;
location = /ok { return 200 "ok"; }
location = /echo-fields { return 200 "authorization=$http_authorization;key=$http_x_api_key;idempotency=$http_idempotency_key;cookie=$http_cookie;accept=$http_accept"; }
location = /echo-head { return 200 "$request_method $request_uri|$http_host|$http_user_agent|$http_authorization|$http_accept|$http_x_first|$http_x_last|$content_length"; }
location = /redirect { return 302 $arg_to; }
location = /gzip/text.txt { alias www/text.txt; gzip on; gzip_types *; gzip_http_version 1.0; }
location /slow/ { alias www/; limit_rate 64k; }
location /files/ { alias www/; }
# 50 requests a second and a burst of 10, for each zone of the query. nginx itself names no time.
location /limited/plain { alias www/small.txt; limit_req zone=limited burst=10 nodelay; }
location /limited/after { alias www/small.txt; limit_req zone=limited burst=10 nodelay; error_page 429 = @limited; }
location @limited { internal; add_header Retry-After 1 always; return 429; }
location = /upstream { proxy_pass http://127.0.0.1:$arg_port; proxy_http_version 1.1; proxy_buffering off; proxy_read_timeout 10s; proxy_next_upstream off; }
NGINX

    cat > "$folder/nginx.conf" <<NGINX
daemon off;
$user
worker_processes 1;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
    access_log access.log combined;
    default_type application/octet-stream;
    client_body_temp_path temporary/body;
    proxy_temp_path temporary/proxy;
    fastcgi_temp_path temporary/fastcgi;
    uwsgi_temp_path temporary/uwsgi;
    scgi_temp_path temporary/scgi;
    client_max_body_size 64m;
    limit_req_zone \$arg_zone zone=limited:1m rate=50r/s;
    limit_req_status 429;
    limit_req_log_level info;
    keepalive_timeout 60s;
    keepalive_requests 100000;
    ssl_certificate "$folder/cert.pem";
    ssl_certificate_key "$folder/key.pem";
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_cache shared:tests:1m;
    server {
        listen 127.0.0.1:$2 backlog=4096;
        include locations.conf;
        include statuses.conf;
    }
    server {
        listen 127.0.0.1:$3 ssl http2 backlog=4096;
        include locations.conf;
        include statuses.conf;
    }
    server {
        listen 127.0.0.1:$4 ssl http2 backlog=4096;
        keepalive_requests 10;
        include locations.conf;
    }
}
NGINX
}
