# Sourced by servers.sh: caching proxies from the distribution in front of one origin: nginx, Varnish, Squid, and Apache's
# mod_cache. Each keeps its responses in memory or in the temporary folder. One that cannot be installed is left out.
#
# start_caches exports
#   GATEWAY_TEST_CACHED_ORIGIN_LOG   the access log of the origin, another nginx: a line for each request that reached it
#   GATEWAY_TEST_CACHED_NGINX        http://127.0.0.1:PORT, nginx with proxy_cache
#   GATEWAY_TEST_CACHED_VARNISH      http://127.0.0.1:PORT
#   GATEWAY_TEST_CACHED_SQUID        http://127.0.0.1:PORT, as a reverse proxy
#   GATEWAY_TEST_CACHED_APACHE       http://127.0.0.1:PORT, mod_cache with mod_proxy

caches=scripts/servers/caches

start_caches() {
    local folder="$server_folder/caches" ports user=
    # The daemons of these packages are not started: see require_packages.
    read -r -a ports < <(free_ports 5)
    mkdir -p "$folder/www" "$folder/temporary" "$folder/responses" "$folder/varnish" "$folder/apache"
    head -c 16384 /dev/urandom > "$folder/www/page.bin"
    # In the past, so that its entity tag is a strong one.
    touch -d '2020-01-01T00:00:00Z' "$folder/www/page.bin"
    [ "$(id -u)" -ne 0 ] || user="user root;"
    sed -e "s|@USER@|$user|" -e "s|@ORIGIN_PORT@|${ports[0]}|" -e "s|@PORT@|${ports[1]}|" \
        "$caches/nginx.conf" > "$folder/nginx.conf"
    start_server cached_nginx "$(PATH=$PATH:/usr/sbin command -v nginx)" -p "$folder/" -c "$folder/nginx.conf"
    await_server cached_nginx "${ports[0]}" /page
    await_server cached_nginx "${ports[1]}" /page
    export GATEWAY_TEST_CACHED_ORIGIN_LOG="$folder/origin.log"
    export GATEWAY_TEST_CACHED_NGINX="http://127.0.0.1:${ports[1]}"

    if install_packages Varnish varnish; then
        sed "s|@ORIGIN_PORT@|${ports[0]}|" "$caches/varnish.vcl" > "$folder/varnish.vcl"
        # Without a jail: its user could not enter the temporary folder.
        start_server cached_varnish "$(PATH=$PATH:/usr/sbin command -v varnishd)" -F -j none -n "$folder/varnish" \
            -a "127.0.0.1:${ports[2]}" -T none -f "$folder/varnish.vcl" -s malloc,64m -p vsl_space=1m
        await_server cached_varnish "${ports[2]}" /page
        export GATEWAY_TEST_CACHED_VARNISH="http://127.0.0.1:${ports[2]}"
    fi
    if install_packages Squid squid; then
        sed -e "s|@ORIGIN_PORT@|${ports[0]}|" -e "s|@PORT@|${ports[3]}|" "$caches/squid.conf" > "$folder/squid.conf"
        # It runs as a user of its own, who cannot enter the temporary folder: it writes no files.
        start_server cached_squid "$(PATH=$PATH:/usr/sbin command -v squid)" -N -d 1 -n "gateway${ports[3]}" \
            -f "$folder/squid.conf"
        await_server cached_squid "${ports[3]}" /page
        export GATEWAY_TEST_CACHED_SQUID="http://127.0.0.1:${ports[3]}"
    fi
    if install_packages Apache apache2-bin; then
        start_server cached_apache env CACHED_FOLDER="$folder/apache" CACHED_PORT="${ports[4]}" \
            CACHED_ORIGIN="http://127.0.0.1:${ports[0]}" CACHED_MODULES=/usr/lib/apache2/modules \
            "$(PATH=$PATH:/usr/sbin command -v apache2)" -DFOREGROUND -f "$PWD/$caches/apache.conf"
        await_server cached_apache "${ports[4]}" /page
        export GATEWAY_TEST_CACHED_APACHE="http://127.0.0.1:${ports[4]}"
    fi
}
