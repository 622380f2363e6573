# Sourced by servers.sh: Prometheus from the distribution, twice: as it is, and with native histograms and exemplars.
#
# start_prometheus exports
#   GATEWAY_TEST_PROMETHEUS          http://127.0.0.1:PORT, which scrapes text or OpenMetrics
#   GATEWAY_TEST_PROMETHEUS_NATIVE   http://127.0.0.1:PORT, which scrapes protocol buffers and stores exemplars
#   GATEWAY_TEST_PROMETHEUS_TARGETS  the folder in which both look for targets: files TARGET.json of file_sd_configs
#   GATEWAY_TEST_PYTHON              a Python with prometheus-client

start_prometheus() {
    command -v prometheus > /dev/null || install_packages Prometheus prometheus || return 0
    install_counterparts || return 0
    local folder="$server_folder/prometheus" ports
    read -r -a ports < <(free_ports 2)
    mkdir -p "$folder/targets"
    cat > "$folder/prometheus.yml" <<YAML
global: { scrape_interval: 500ms, scrape_timeout: 500ms }
scrape_configs:
  - job_name: test
    file_sd_configs: [{ files: ["$folder/targets/*.json"], refresh_interval: 1s }]
YAML
    start_server prometheus prometheus --config.file="$folder/prometheus.yml" --log.level=warn \
        --web.listen-address="127.0.0.1:${ports[0]}" --storage.tsdb.path="$folder/plain"
    start_server prometheus_native prometheus --config.file="$folder/prometheus.yml" --log.level=warn \
        --web.listen-address="127.0.0.1:${ports[1]}" --storage.tsdb.path="$folder/native" \
        --enable-feature=native-histograms,exemplar-storage
    await_server prometheus "${ports[0]}" /-/ready
    await_server prometheus_native "${ports[1]}" /-/ready
    export GATEWAY_TEST_PROMETHEUS="http://127.0.0.1:${ports[0]}"
    export GATEWAY_TEST_PROMETHEUS_NATIVE="http://127.0.0.1:${ports[1]}"
    export GATEWAY_TEST_PROMETHEUS_TARGETS="$folder/targets" GATEWAY_TEST_PYTHON="$httpbin_folder/bin/python"
}
