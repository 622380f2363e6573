#pragma once

/// What a run of the baseline measured.
struct baseline_result {
    long completed;
    long errors;
    double seconds;
    double cpu_seconds;
};

enum baseline_loop { BASELINE_POLL = 0, BASELINE_EPOLL = 1 };

/// Requests one URL over and over with a bare libcurl multi loop, written after libcurl's own examples: what any
/// client on top of libcurl can at best come near to.
///
/// A warm-up run of `warmup` requests opens the connections; the `requests` that follow are measured, each one's
/// time in seconds put into `latencies`, which has room for all. Gives 0, or what libcurl failed with.
int baseline_run(
    const char *url, int concurrency, long warmup, long requests, enum baseline_loop loop, double *latencies,
    struct baseline_result *result);
