/* libmicrohttpd as Swift can call it: its variadic functions, and its result enums, whose import differs
   between 0.9 and 1.0, stay behind inline functions that speak of ints. */
#pragma once

#ifndef __linux__
#error "GatewayClient supports Linux only: it uses epoll, netlink and the libraries of the distribution."
#elif !__has_include(<microhttpd.h>)
#error "libmicrohttpd is missing: install the package libmicrohttpd-dev."
#else
#include <microhttpd.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if MHD_VERSION < 0x00097500
#error "GatewayTesting needs libmicrohttpd 0.9.75 or later (libmicrohttpd-dev of Debian 12)."
#endif

/* What a daemon tells its owner. The struct must outlive the daemon. */
struct gateway_mhd_callbacks {
    void *context;
    /* A request line has come. The result is the request's state, handed to the functions below. */
    void *(*begin)(void *context, struct MHD_Connection *connection, const char *target);
    /* Called once when the fields have come, then for every piece of the body, then at its end, and again after
       each resumption until a response is queued. Zero closes the connection. */
    int (*advance)(
        void *context, struct MHD_Connection *connection, void *state, const char *method, const char *upload,
        size_t upload_size);
    /* The request is over, answered or not: the state is not used any more. */
    void (*end)(void *context, void *state);
    /* A connection came up; the result is its identifier. */
    uintptr_t (*connected)(void *context, int descriptor);
    /* A connection is about to be closed. */
    void (*disconnected)(void *context, uintptr_t identifier);
};

static inline void *gateway_mhd_on_begin(void *callbacks, const char *target, struct MHD_Connection *connection) {
    struct gateway_mhd_callbacks *to = (struct gateway_mhd_callbacks *)callbacks;
    return to->begin(to->context, connection, target);
}

static inline enum MHD_Result gateway_mhd_on_advance(
    void *callbacks, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **state) {
    struct gateway_mhd_callbacks *to = (struct gateway_mhd_callbacks *)callbacks;
    size_t size = *upload_size;
    (void)url;
    (void)version;
    *upload_size = 0;
    return to->advance(to->context, connection, *state, method, upload, size) ? MHD_YES : MHD_NO;
}

static inline void gateway_mhd_on_end(
    void *callbacks, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code) {
    struct gateway_mhd_callbacks *to = (struct gateway_mhd_callbacks *)callbacks;
    (void)connection;
    (void)code;
    if (*state != NULL) to->end(to->context, *state);
    *state = NULL;
}

static inline int gateway_mhd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

static inline uintptr_t gateway_mhd_connection_identifier(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? 0 : (uintptr_t)info->socket_context;
}

static inline void gateway_mhd_on_connection(
    void *callbacks, struct MHD_Connection *connection, void **socket_context,
    enum MHD_ConnectionNotificationCode code) {
    struct gateway_mhd_callbacks *to = (struct gateway_mhd_callbacks *)callbacks;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *socket_context = (void *)to->connected(to->context, gateway_mhd_descriptor(connection));
    } else {
        to->disconnected(to->context, (uintptr_t)*socket_context);
    }
}

/* Starts a daemon with an epoll set, no thread and no listening socket: connections are handed to it with
   gateway_mhd_add, and one thread of the caller's runs it with MHD_run. A connection without activity is closed after
   idle_seconds; 0 is no limit. Returns NULL where that fails.
   Not MHD_USE_TURBO: in 0.9.75 a connection that breaks off in the middle of an answer would never be closed. */
static inline struct MHD_Daemon *gateway_mhd_start(
    struct gateway_mhd_callbacks *callbacks, unsigned int connection_limit, size_t connection_memory,
    unsigned int idle_seconds) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
        NULL, &gateway_mhd_on_advance, callbacks,
        MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_URI_LOG_CALLBACK, &gateway_mhd_on_begin, callbacks,
        MHD_OPTION_NOTIFY_COMPLETED, &gateway_mhd_on_end, callbacks,
        MHD_OPTION_NOTIFY_CONNECTION, &gateway_mhd_on_connection, callbacks,
        MHD_OPTION_END);
}

/* The descriptor that is readable when MHD_run has something to do. */
static inline int gateway_mhd_event_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

/* For how many milliseconds at most to wait for that; -1 without limit. */
static inline int gateway_mhd_timeout(struct MHD_Daemon *daemon) {
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    if (MHD_get_timeout(daemon, &milliseconds) != MHD_YES) return -1;
    return milliseconds > 60000 ? 60000 : (int)milliseconds;
}

/* Hands a socket that was accepted on loopback to a daemon, which closes it in any case. To be called on the thread
   that runs the daemon. */
static inline int gateway_mhd_add(struct MHD_Daemon *daemon, int descriptor) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return MHD_add_connection(daemon, descriptor, (const struct sockaddr *)&address, sizeof address) == MHD_YES;
}

typedef void (*gateway_mhd_field)(
    void *context, const char *name, size_t name_size, const char *value, size_t value_size);

struct gateway_mhd_field_walk {
    gateway_mhd_field each;
    void *context;
};

static inline enum MHD_Result gateway_mhd_on_field(
    void *walk, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
    size_t value_size) {
    struct gateway_mhd_field_walk *to = (struct gateway_mhd_field_walk *)walk;
    (void)kind;
    to->each(to->context, name, name_size, value, value_size);
    return MHD_YES;
}

/* Walks over the request's header fields. */
static inline void gateway_mhd_fields(struct MHD_Connection *connection, void *context, gateway_mhd_field each) {
    struct gateway_mhd_field_walk walk = {each, context};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, &gateway_mhd_on_field, &walk);
}

/* A response whose content is copied. */
static inline struct MHD_Response *gateway_mhd_response(const void *bytes, size_t size) {
    return MHD_create_response_from_buffer(size, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

static const ssize_t gateway_mhd_stream_ended = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t gateway_mhd_stream_broken = MHD_CONTENT_READER_END_WITH_ERROR;

/* A response of unknown length. `read` gives its next bytes, ends it by one of the values above, or suspends the
   connection and gives none. */
static inline struct MHD_Response *gateway_mhd_stream_response(
    MHD_ContentReaderCallback read, MHD_ContentReaderFreeCallback end, void *context) {
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16 * 1024, read, context, end);
}

/* A response that announces `announced` bytes, sends the content and then breaks the connection. */
struct gateway_mhd_torn {
    size_t size;
    char bytes[];
};

static inline ssize_t gateway_mhd_read_torn(void *context, uint64_t position, char *buffer, size_t room) {
    struct gateway_mhd_torn *torn = (struct gateway_mhd_torn *)context;
    size_t left;
    if (position >= torn->size) return MHD_CONTENT_READER_END_WITH_ERROR;
    left = torn->size - (size_t)position;
    if (left > room) left = room;
    memcpy(buffer, torn->bytes + position, left);
    return (ssize_t)left;
}

static inline struct MHD_Response *gateway_mhd_torn_response(
    const void *bytes, size_t size, uint64_t announced) {
    struct MHD_Response *response;
    struct gateway_mhd_torn *torn =
        (struct gateway_mhd_torn *)malloc(sizeof(struct gateway_mhd_torn) + size);
    if (torn == NULL) return NULL;
    torn->size = size;
    if (size > 0) memcpy(torn->bytes, bytes, size);
    response = MHD_create_response_from_callback(
        announced, 64 * 1024, &gateway_mhd_read_torn, torn, &free);
    if (response == NULL) free(torn);
    return response;
}

static inline int gateway_mhd_add_field(struct MHD_Response *response, const char *name, const char *value) {
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

/* Queues a response. */
static inline int gateway_mhd_reply(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
    return MHD_queue_response(connection, status, response) == MHD_YES;
}

#endif
