#pragma once

#include <stddef.h>

enum baseline_loop { BASELINE_POLL = 0, BASELINE_EPOLL = 1 };

/// What the baseline does. Zero stands for "none" everywhere.
struct baseline_job {
    const char *url;
    enum baseline_loop loop;
    /// How many requests are in flight at once, each with a handle and a connection that are used again and again.
    int concurrency;
    /// How many requests come before those that are measured.
    long warmup;
    /// How many are measured. More than `concurrency` wait in a queue of the baseline's own.
    long requests;
    /// Whether all requests count as asked for at the beginning, so that their time in the queue is theirs.
    int is_burst;
    /// The content of a POST.
    const void *upload;
    size_t upload_bytes;
    /// A header line that every request carries.
    const char *header;
    /// A PEM file with the certificates to trust.
    const char *ca_file;
    /// Whether HTTP/2 is spoken, all requests over one connection.
    int is_http2;
    /// So many requests of `idle_url` stay without an answer in the meantime; `held_url` says how many have come.
    int idle;
    const char *idle_url;
    const char *held_url;
    /// Room for the time in seconds of each measured request.
    double *latencies;
};

/// What a run of the baseline measured.
struct baseline_result {
    long completed;
    long errors;
    double seconds;
    double cpu_seconds;
    /// With `idle`: the same before the idle requests were sent.
    double cpu_seconds_alone;
};

/// Requests one URL over and over with a bare libcurl multi loop, written after libcurl's own examples: what any
/// client on top of libcurl can at best come near to. It collects what it gets in memory.
///
/// Gives 0, or -1 where libcurl cannot be used or the idle requests did not come to wait.
int baseline_run(const struct baseline_job *job, struct baseline_result *result);
