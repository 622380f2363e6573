#include "CCurlBaseline.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct request {
    CURL *easy;
    double started;
    size_t bytes;
};

struct state {
    CURLM *multi;
    int epoll;
    double timer;
    struct request *requests;
    long to_start;
    long running;
    double *latencies;
    struct baseline_result *result;
};

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    ((struct request *)context)->bytes += size * count;
    return size * count;
}

static int socket_changed(CURL *easy, curl_socket_t descriptor, int what, void *context, void *known) {
    (void)easy;
    struct state *state = context;
    struct epoll_event event = {0};
    event.data.fd = descriptor;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(state->epoll, EPOLL_CTL_DEL, descriptor, &event);
        curl_multi_assign(state->multi, descriptor, 0);
        return 0;
    }
    event.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    epoll_ctl(state->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
    if (!known) curl_multi_assign(state->multi, descriptor, state);
    return 0;
}

static int timer_changed(CURLM *multi, long milliseconds, void *context) {
    (void)multi;
    ((struct state *)context)->timer = milliseconds < 0 ? -1 : seconds() + (double)milliseconds * 1e-3;
    return 0;
}

static void start(struct state *state, struct request *request) {
    request->started = seconds();
    request->bytes = 0;
    curl_multi_add_handle(state->multi, request->easy);
    state->to_start--;
    state->running++;
}

static void collect(struct state *state) {
    int left = 0;
    struct CURLMsg *message;
    while ((message = curl_multi_info_read(state->multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        CURLcode code = message->data.result;
        char *private_pointer = 0;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private_pointer);
        struct request *request = (struct request *)private_pointer;
        curl_multi_remove_handle(state->multi, request->easy);
        state->running--;
        if (code != CURLE_OK || request->bytes == 0) {
            state->result->errors++;
        } else if (state->latencies) {
            state->latencies[state->result->completed] = seconds() - request->started;
        }
        state->result->completed++;
        if (state->to_start > 0) start(state, request);
    }
}

static void turn_poll(struct state *state) {
    int running = 0;
    curl_multi_perform(state->multi, &running);
    collect(state);
    if (state->running > 0) curl_multi_poll(state->multi, 0, 0, 1000, 0);
}

static void turn_epoll(struct state *state) {
    struct epoll_event events[256];
    int running = 0;
    int wait = 1000;
    if (state->timer >= 0) {
        double left = state->timer - seconds();
        wait = left <= 0 ? 0 : (int)(left * 1e3) + 1;
    }
    int count = wait == 0 ? 0 : epoll_wait(state->epoll, events, 256, wait);
    if (wait == 0 || count == 0) {
        state->timer = -1;
        curl_multi_socket_action(state->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    for (int index = 0; index < count; index++) {
        int mask = (events[index].events & EPOLLIN ? CURL_CSELECT_IN : 0)
            | (events[index].events & EPOLLOUT ? CURL_CSELECT_OUT : 0)
            | (events[index].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(state->multi, events[index].data.fd, mask, &running);
    }
    collect(state);
}

static void run(struct state *state, int concurrency, long requests, enum baseline_loop loop) {
    memset(state->result, 0, sizeof *state->result);
    state->to_start = requests;
    double started = seconds();
    double cpu_started = cpu_seconds();
    for (int index = 0; index < concurrency && state->to_start > 0; index++) {
        start(state, &state->requests[index]);
    }
    while (state->running > 0) loop == BASELINE_EPOLL ? turn_epoll(state) : turn_poll(state);
    state->result->seconds = seconds() - started;
    state->result->cpu_seconds = cpu_seconds() - cpu_started;
}

int baseline_run(
    const char *url, int concurrency, long warmup, long requests, enum baseline_loop loop, double *latencies,
    struct baseline_result *result) {
    curl_global_init(CURL_GLOBAL_ALL);
    struct state state = {0};
    state.multi = curl_multi_init();
    state.epoll = -1;
    state.timer = -1;
    state.result = result;
    state.requests = calloc((size_t)concurrency, sizeof *state.requests);
    if (!state.multi || !state.requests) return -1;
    curl_multi_setopt(state.multi, CURLMOPT_MAXCONNECTS, (long)concurrency);
    if (loop == BASELINE_EPOLL) {
        state.epoll = epoll_create1(EPOLL_CLOEXEC);
        curl_multi_setopt(state.multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
        curl_multi_setopt(state.multi, CURLMOPT_SOCKETDATA, &state);
        curl_multi_setopt(state.multi, CURLMOPT_TIMERFUNCTION, timer_changed);
        curl_multi_setopt(state.multi, CURLMOPT_TIMERDATA, &state);
    }
    for (int index = 0; index < concurrency; index++) {
        struct request *request = &state.requests[index];
        request->easy = curl_easy_init();
        if (!request->easy) return -1;
        curl_easy_setopt(request->easy, CURLOPT_URL, url);
        curl_easy_setopt(request->easy, CURLOPT_PRIVATE, request);
        curl_easy_setopt(request->easy, CURLOPT_WRITEFUNCTION, receive);
        curl_easy_setopt(request->easy, CURLOPT_WRITEDATA, request);
        curl_easy_setopt(request->easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(request->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
        curl_easy_setopt(request->easy, CURLOPT_PROXY, "");
    }
    if (warmup > 0) run(&state, concurrency, warmup, loop);
    state.latencies = latencies;
    run(&state, concurrency, requests, loop);
    for (int index = 0; index < concurrency; index++) curl_easy_cleanup(state.requests[index].easy);
    curl_multi_cleanup(state.multi);
    if (state.epoll >= 0) close(state.epoll);
    free(state.requests);
    return 0;
}
