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
    char *content;
    size_t bytes;
    size_t room;
    int is_idle;
};

struct state {
    struct curl_slist *headers;
    CURLM *multi;
    int epoll;
    double timer;
    struct request *requests;
    const struct baseline_job *job;
    double burst_started;
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
    struct request *request = context;
    size_t needed = request->bytes + size * count;
    if (needed > request->room) {
        size_t room = needed > 2 * request->room ? needed : 2 * request->room;
        char *content = realloc(request->content, room);
        if (!content) return 0;
        request->content = content;
        request->room = room;
    }
    memcpy(request->content + request->bytes, bytes, size * count);
    request->bytes = needed;
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
    request->started = state->burst_started > 0 ? state->burst_started : seconds();
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
        if (request->is_idle) {
            state->result->errors++;
            continue;
        }
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

static void run(struct state *state, int concurrency, long requests) {
    memset(state->result, 0, sizeof *state->result);
    state->to_start = requests;
    double started = seconds();
    double cpu_started = cpu_seconds();
    state->burst_started = state->job->is_burst ? started : 0;
    for (int index = 0; index < concurrency && state->to_start > 0; index++) {
        start(state, &state->requests[index]);
    }
    while (state->running > 0) {
        state->job->loop == BASELINE_EPOLL ? turn_epoll(state) : turn_poll(state);
    }
    state->result->seconds = seconds() - started;
    state->result->cpu_seconds = cpu_seconds() - cpu_started;
}

static int prepare(struct state *state, struct request *request) {
    const struct baseline_job *job = state->job;
    request->easy = curl_easy_init();
    if (!request->easy) return 0;
    curl_easy_setopt(request->easy, CURLOPT_URL, job->url);
    curl_easy_setopt(request->easy, CURLOPT_PRIVATE, request);
    curl_easy_setopt(request->easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(request->easy, CURLOPT_WRITEDATA, request);
    curl_easy_setopt(request->easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(request->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(request->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(
        request->easy, CURLOPT_HTTP_VERSION,
        (long)(job->is_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
    if (job->is_http2) curl_easy_setopt(request->easy, CURLOPT_PIPEWAIT, 1L);
    if (job->ca_file) {
        curl_easy_setopt(request->easy, CURLOPT_CAINFO, job->ca_file);
        // A directory besides would be read again for each connection.
        curl_easy_setopt(request->easy, CURLOPT_CAPATH, (char *)0);
    }
    if (state->headers) curl_easy_setopt(request->easy, CURLOPT_HTTPHEADER, state->headers);
    if (job->upload) {
        curl_easy_setopt(request->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)job->upload_bytes);
        curl_easy_setopt(request->easy, CURLOPT_POSTFIELDS, job->upload);
    }
    return 1;
}

// Sends the requests that get no answer, and comes back when all of them wait at the server.
static int start_idle(struct state *state) {
    const struct baseline_job *job = state->job;
    for (int index = 0; index < job->idle; index++) {
        struct request *request = &state->requests[job->concurrency + index];
        if (!prepare(state, request)) return 0;
        request->is_idle = 1;
        curl_easy_setopt(request->easy, CURLOPT_URL, job->idle_url);
        curl_multi_add_handle(state->multi, request->easy);
    }
    struct request *probe = &state->requests[0];
    curl_easy_setopt(probe->easy, CURLOPT_URL, job->held_url);
    double deadline = seconds() + 60;
    long held = 0;
    while (held < job->idle && seconds() < deadline) {
        run(state, 1, 1);
        char digits[24] = {0};
        memcpy(digits, probe->content, probe->bytes < 23 ? probe->bytes : 23);
        held = strtol(digits, 0, 10);
    }
    curl_easy_setopt(probe->easy, CURLOPT_URL, job->url);
    return held >= job->idle;
}

static int measure(struct state *state) {
    const struct baseline_job *job = state->job;
    double alone = 0;
    if (job->warmup > 0) run(state, job->concurrency, job->warmup);
    if (job->idle > 0) {
        run(state, job->concurrency, job->requests);
        alone = state->result->cpu_seconds;
        if (!start_idle(state)) return -1;
    }
    state->latencies = job->latencies;
    run(state, job->concurrency, job->requests);
    state->result->cpu_seconds_alone = alone;
    return 0;
}

int baseline_run(const struct baseline_job *job, struct baseline_result *result) {
    curl_global_init(CURL_GLOBAL_ALL);
    struct state state = {0};
    int handles = job->concurrency + job->idle;
    state.job = job;
    state.multi = curl_multi_init();
    state.epoll = -1;
    state.timer = -1;
    state.result = result;
    state.requests = calloc((size_t)handles, sizeof *state.requests);
    if (!state.multi || !state.requests) return -1;
    if (job->header && !(state.headers = curl_slist_append(0, job->header))) return -1;
    curl_multi_setopt(state.multi, CURLMOPT_MAXCONNECTS, (long)handles);
    curl_multi_setopt(state.multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)job->concurrency);
    if (job->loop == BASELINE_EPOLL) {
        state.epoll = epoll_create1(EPOLL_CLOEXEC);
        curl_multi_setopt(state.multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
        curl_multi_setopt(state.multi, CURLMOPT_SOCKETDATA, &state);
        curl_multi_setopt(state.multi, CURLMOPT_TIMERFUNCTION, timer_changed);
        curl_multi_setopt(state.multi, CURLMOPT_TIMERDATA, &state);
    }
    for (int index = 0; index < job->concurrency; index++) {
        if (!prepare(&state, &state.requests[index])) return -1;
    }
    int outcome = measure(&state);
    for (int index = 0; index < handles; index++) {
        CURL *easy = state.requests[index].easy;
        if (!easy) continue;
        curl_multi_remove_handle(state.multi, easy);
        curl_easy_cleanup(easy);
        free(state.requests[index].content);
    }
    curl_multi_cleanup(state.multi);
    curl_slist_free_all(state.headers);
    if (state.epoll >= 0) close(state.epoll);
    free(state.requests);
    return outcome;
}
