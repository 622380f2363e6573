#define _GNU_SOURCE
#include "CBenchServer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { head_limit = 8192, mebibyte = 1 << 20 };

struct answer {
    char *bytes;
    size_t count;
};

struct connection {
    int descriptor;
    int holds;
    int waits_to_write;
    // The bytes of the request's content that have not arrived.
    size_t content_left;
    // The rest of the response.
    const char *output;
    size_t output_left;
    char held_answer[160];
    size_t used;
    char head[head_limit];
};

static struct {
    int listener;
    int epoll;
    long held;
    struct answer small;
    struct answer large;
} server;

static void watch(struct connection *connection, int operation, unsigned events) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    epoll_ctl(server.epoll, operation, connection->descriptor, &event);
}

static void end(struct connection *connection) {
    if (connection->holds) server.held--;
    // Closing is not enough: a child between fork and exec has a copy of the descriptor, and events would still come, with
    // the pointer to freed memory.
    watch(connection, EPOLL_CTL_DEL, 0);
    close(connection->descriptor);
    free(connection);
}

static void accept_all(void) {
    for (;;) {
        int descriptor = accept4(server.listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) return;
        int yes = 1;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        struct connection *connection = malloc(sizeof *connection);
        if (!connection) {
            close(descriptor);
            continue;
        }
        memset(connection, 0, offsetof(struct connection, head));
        connection->descriptor = descriptor;
        watch(connection, EPOLL_CTL_ADD, EPOLLIN);
    }
}

// Returns 0 if the connection is broken.
static int send_output(struct connection *connection) {
    while (connection->output_left > 0) {
        ssize_t sent =
            send(connection->descriptor, connection->output, connection->output_left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno != EAGAIN) return 0;
        if (sent < 0) break;
        connection->output += sent;
        connection->output_left -= (size_t)sent;
    }
    int waits = connection->output_left > 0;
    if (waits != connection->waits_to_write) {
        connection->waits_to_write = waits;
        watch(connection, EPOLL_CTL_MOD, waits ? EPOLLOUT : EPOLLIN);
    }
    return 1;
}

static void choose_output(struct connection *connection) {
    const char *path = memchr(connection->head, ' ', connection->used);
    path = path ? path + 1 : "";
    if (!strncmp(path, "/held", 5)) {
        char digits[24];
        int length = snprintf(digits, sizeof digits, "%ld", server.held);
        connection->output_left = (size_t)snprintf(
            connection->held_answer, sizeof connection->held_answer,
            "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", length, digits);
        connection->output = connection->held_answer;
    } else if (!strncmp(path, "/hold", 5)) {
        connection->holds = 1;
        server.held++;
    } else {
        struct answer answer = strncmp(path, "/1m", 3) ? server.small : server.large;
        connection->output = answer.bytes;
        connection->output_left = answer.count;
    }
}

static size_t content_length(const char *head) {
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        if (!strncasecmp(line + 2, "content-length:", 15)) return strtoul(line + 17, 0, 10);
    }
    return 0;
}

// Returns 0 if the connection has ended.
static int receive_head(struct connection *connection) {
    ssize_t count = recv(
        connection->descriptor, connection->head + connection->used, head_limit - 1 - connection->used, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 1;
    if (count <= 0) return 0;
    connection->used += (size_t)count;
    connection->head[connection->used] = 0;
    char *head_end = strstr(connection->head, "\r\n\r\n");
    if (!head_end) return connection->used < head_limit - 1;
    size_t head_bytes = (size_t)(head_end + 4 - connection->head);
    head_end[2] = 0;
    size_t content = content_length(connection->head);
    size_t have = connection->used - head_bytes;
    // The clients do not pipeline requests.
    if (have > content) return 0;
    connection->content_left = content - have;
    if (connection->content_left > 0) return 1;
    choose_output(connection);
    connection->used = 0;
    return send_output(connection);
}

static int receive_content(struct connection *connection) {
    static char scratch[256 << 10];
    size_t room = connection->content_left < sizeof scratch ? connection->content_left : sizeof scratch;
    ssize_t count = recv(connection->descriptor, scratch, room, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 1;
    if (count <= 0) return 0;
    connection->content_left -= (size_t)count;
    if (connection->content_left > 0) return 1;
    choose_output(connection);
    connection->used = 0;
    return send_output(connection);
}

static int serve(struct connection *connection, unsigned events) {
    if (events & EPOLLOUT) return send_output(connection);
    if (connection->content_left > 0) return receive_content(connection);
    return receive_head(connection);
}

static void *run(void *context) {
    (void)context;
    struct epoll_event events[256];
    for (;;) {
        int count = epoll_wait(server.epoll, events, 256, -1);
        for (int index = 0; index < count; index++) {
            struct connection *connection = events[index].data.ptr;
            if (!connection) {
                accept_all();
            } else if (!serve(connection, events[index].events)) {
                end(connection);
            }
        }
    }
    return 0;
}

static struct answer answer(const char *content, size_t bytes) {
    struct answer answer = {.bytes = malloc(bytes + 128)};
    if (!answer.bytes) return answer;
    int head = sprintf(
        answer.bytes, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", bytes);
    if (content) {
        memcpy(answer.bytes + head, content, bytes);
    } else {
        memset(answer.bytes + head, 'm', bytes);
    }
    answer.count = (size_t)head + bytes;
    return answer;
}

int bench_server_start(const char *content, size_t bytes) {
    server.small = answer(content, bytes);
    server.large = answer(0, mebibyte);
    server.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    server.epoll = epoll_create1(EPOLL_CLOEXEC);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    struct epoll_event event = {.events = EPOLLIN};
    pthread_t thread;
    if (!server.small.bytes || !server.large.bytes || server.listener < 0 || server.epoll < 0
        || bind(server.listener, (struct sockaddr *)&address, sizeof address)
        || listen(server.listener, 4096) || getsockname(server.listener, (struct sockaddr *)&address, &length)
        || epoll_ctl(server.epoll, EPOLL_CTL_ADD, server.listener, &event)
        || pthread_create(&thread, 0, run, 0)) {
        return -1;
    }
    pthread_detach(thread);
    return ntohs(address.sin_port);
}
