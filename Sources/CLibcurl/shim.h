#pragma once

#ifndef __linux__
#error "GatewayClient supports Linux only: it uses epoll, netlink and the libraries of the distribution."
#elif !__has_include(<curl/curl.h>)
#error "libcurl is missing: install the package libcurl4-openssl-dev."
#else
#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#if LIBCURL_VERSION_NUM < 0x075500
#error "libcurl 7.85 or later is needed (PROTOCOLS_STR, QUICK_EXIT): install libcurl4-openssl-dev"
#endif

/// Names the calling thread, for debuggers and top.
static inline void gateway_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

static inline const curl_version_info_data *gateway_version_info(void) { return curl_version_info(CURLVERSION_NOW); }

// Swift cannot call variadic functions: one function for each type of argument.

static inline CURLcode gateway_easy_set_long(CURL *easy, CURLoption option, long value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode gateway_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode gateway_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode gateway_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode gateway_easy_set_headers(CURL *easy, struct curl_slist *list) {
    return (curl_easy_setopt)(easy, CURLOPT_HTTPHEADER, list);
}
static inline CURLcode gateway_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
    return (curl_easy_setopt)(easy, option, list);
}
static inline CURLcode gateway_easy_set_url(CURL *easy, CURLU *url) {
    return (curl_easy_setopt)(easy, CURLOPT_CURLU, url);
}
/// The body and header callbacks, both with the same context.
static inline CURLcode gateway_easy_set_receivers(
    CURL *easy, curl_write_callback header, curl_write_callback body, void *context) {
    CURLcode code = (curl_easy_setopt)(easy, CURLOPT_HEADERFUNCTION, header);
    if (code == CURLE_OK) code = (curl_easy_setopt)(easy, CURLOPT_HEADERDATA, context);
    if (code == CURLE_OK) code = (curl_easy_setopt)(easy, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = (curl_easy_setopt)(easy, CURLOPT_WRITEDATA, context);
    return code;
}
static inline CURLcode gateway_easy_set_reader(
    CURL *easy, curl_read_callback read, curl_seek_callback seek, void *context) {
    CURLcode code = (curl_easy_setopt)(easy, CURLOPT_READFUNCTION, read);
    if (code == CURLE_OK) code = (curl_easy_setopt)(easy, CURLOPT_READDATA, context);
    if (code == CURLE_OK) code = (curl_easy_setopt)(easy, CURLOPT_SEEKFUNCTION, seek);
    if (code == CURLE_OK) code = (curl_easy_setopt)(easy, CURLOPT_SEEKDATA, context);
    return code;
}
static inline CURLcode gateway_easy_set_prerequest(CURL *easy, curl_prereq_callback callback, void *context) {
    CURLcode code = (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, callback);
    if (code == CURLE_OK) code = (curl_easy_setopt)(easy, CURLOPT_PREREQDATA, context);
    return code;
}
static inline CURLcode gateway_easy_set_sockets(
    CURL *easy, curl_opensocket_callback opened, void *opened_context, curl_closesocket_callback closed,
    void *closed_context) {
    CURLcode code = (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, opened);
    if (code == CURLE_OK) code = (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETDATA, opened_context);
    if (code == CURLE_OK) code = (curl_easy_setopt)(easy, CURLOPT_CLOSESOCKETFUNCTION, closed);
    if (code == CURLE_OK) code = (curl_easy_setopt)(easy, CURLOPT_CLOSESOCKETDATA, closed_context);
    return code;
}

static inline long gateway_easy_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : 0;
}
static inline curl_off_t gateway_easy_get_offset(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : 0;
}
/// A text of the handle; NULL where there is none.
static inline const char *gateway_easy_get_text(CURL *easy, CURLINFO info) {
    const char *value = NULL;
    return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : NULL;
}
/// The socket of the transfer's connection, or CURL_SOCKET_BAD where it is closed.
static inline curl_socket_t gateway_easy_get_socket(CURL *easy) {
    curl_socket_t value = CURL_SOCKET_BAD;
    return (curl_easy_getinfo)(easy, CURLINFO_ACTIVESOCKET, &value) == CURLE_OK ? value : CURL_SOCKET_BAD;
}
/// The value of an entry of the server's certificate, where `CURLOPT_CERTINFO` was set before the handshake; NULL where
/// there is none. The label ends in a colon. The text is the handle's.
static inline const char *gateway_easy_get_certificate(CURL *easy, const char *label) {
    struct curl_certinfo *chain = NULL;
    if ((curl_easy_getinfo)(easy, CURLINFO_CERTINFO, &chain) != CURLE_OK || !chain || chain->num_of_certs < 1) return NULL;
    for (struct curl_slist *entry = chain->certinfo[0]; entry; entry = entry->next) {
        if (!strncmp(entry->data, label, strlen(label))) return entry->data + strlen(label);
    }
    return NULL;
}
static inline void *gateway_easy_get_private(CURL *easy) {
    char *value = 0;
    return (curl_easy_getinfo)(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : 0;
}

static inline CURLMcode gateway_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}
static inline CURLMcode gateway_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context) {
    CURLMcode code = (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (code == CURLM_OK) code = (curl_multi_setopt)(multi, CURLMOPT_SOCKETDATA, context);
    if (code == CURLM_OK) code = (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, timer);
    if (code == CURLM_OK) code = (curl_multi_setopt)(multi, CURLMOPT_TIMERDATA, context);
    return code;
}
/// The next transfer that has ended, or NULL.
static inline CURL *gateway_multi_next_ended(CURLM *multi, CURLcode *code) {
    int left = 0;
    struct CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = message->data.result;
        return message->easy_handle;
    }
    return 0;
}

static inline CURLSHcode gateway_share_set(CURLSH *share, curl_lock_data what) {
    return (curl_share_setopt)(share, CURLSHOPT_SHARE, what);
}

/// The ports of a connection's ends: the local one in the upper half, the peer's in the lower one; 0 where it has none.
/// Returns 0 where the socket is not connected.
static inline int gateway_tcp_ports(int descriptor, unsigned int *ports) {
    struct sockaddr_storage ends[2] = {{0}};
    socklen_t own = sizeof ends[0], peers = sizeof ends[1];
    if (getsockname(descriptor, (struct sockaddr *)&ends[0], &own) != 0) return 0;
    if (getpeername(descriptor, (struct sockaddr *)&ends[1], &peers) != 0) return 0;
    *ports = 0;
    for (int end = 0; end < 2; end++) {
        unsigned int port = ends[end].ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&ends[end])->sin6_port
            : ends[end].ss_family == AF_INET ? ((struct sockaddr_in *)&ends[end])->sin_port : 0;
        *ports = *ports << 16 | ntohs((uint16_t)port);
    }
    return 1;
}
/// Whether the peer of a TCP connection has this address, written as libcurl writes it.
static inline int gateway_peer_is(int descriptor, const char *address) {
    struct sockaddr_storage peer = {0};
    socklen_t length = sizeof peer;
    char text[INET6_ADDRSTRLEN];
    if (!address || getpeername(descriptor, (struct sockaddr *)&peer, &length) != 0) return 0;
    const void *bytes = peer.ss_family == AF_INET6 ? (void *)&((struct sockaddr_in6 *)&peer)->sin6_addr
        : (void *)&((struct sockaddr_in *)&peer)->sin_addr;
    return inet_ntop(peer.ss_family, bytes, text, sizeof text) && strcmp(text, address) == 0;
}

static inline CURLcode gateway_easy_set_debug(CURL *easy, curl_debug_callback debug, void *context) {
    CURLcode code = (curl_easy_setopt)(easy, CURLOPT_DEBUGFUNCTION, debug);
    if (code == CURLE_OK) code = (curl_easy_setopt)(easy, CURLOPT_DEBUGDATA, context);
    return code;
}
static inline CURLcode gateway_easy_set_tls_setup(CURL *easy, curl_ssl_ctx_callback setup, void *context) {
    CURLcode code = (curl_easy_setopt)(easy, CURLOPT_SSL_CTX_FUNCTION, setup);
    if (code == CURLE_OK) code = (curl_easy_setopt)(easy, CURLOPT_SSL_CTX_DATA, context);
    return code;
}
/// The session of the transfer's connection, where it speaks TLS by OpenSSL or a library derived from it; NULL otherwise.
static inline void *gateway_easy_get_tls(CURL *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if ((curl_easy_getinfo)(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
    return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

/// How many bytes of a socket can be read at once; 0 where that is not known.
static inline unsigned long long gateway_unread(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 && count > 0 ? (unsigned long long)count : 0;
}

/// How many bytes a TCP connection has received; 0 where it is none.
static inline unsigned long long gateway_tcp_received(int descriptor) {
    // tcpi_bytes_received of the kernel's structure (linux/tcp.h, since Linux 4.2), which C libraries know in part.
    enum { offset = 128 };
    unsigned char info[256] = {0};
    unsigned long long received = 0;
    socklen_t length = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, &length) != 0 || length < offset + sizeof received) return 0;
    memcpy(&received, info + offset, sizeof received);
    return received;
}

/// What the kernel knows of a TCP connection; times in microseconds.
struct gateway_tcp_sample {
    unsigned int round_trip;
    unsigned int round_trip_variation;
    unsigned int retransmits;
    unsigned int congestion_window;
};
/// Not zero where the descriptor is a TCP connection with a measured round trip.
static inline int gateway_tcp_sample(int descriptor, struct gateway_tcp_sample *sample) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
    if (length < offsetof(struct tcp_info, tcpi_total_retrans) + sizeof info.tcpi_total_retrans) return 0;
    sample->round_trip = info.tcpi_rtt;
    sample->round_trip_variation = info.tcpi_rttvar;
    sample->retransmits = info.tcpi_total_retrans;
    sample->congestion_window = info.tcpi_snd_cwnd;
    return info.tcpi_rtt > 0;
}

/// Whether the machine no longer has the local address of a socket. Zero if it has, or if that is not known.
static inline int gateway_local_address_is_gone(int descriptor) {
    struct sockaddr_storage own = {0};
    socklen_t length = sizeof own;
    if (getsockname(descriptor, (struct sockaddr *)&own, &length) != 0) return 0;
    struct in_addr *four = &((struct sockaddr_in *)&own)->sin_addr;
    struct in6_addr *six = &((struct sockaddr_in6 *)&own)->sin6_addr;
    if (own.ss_family == AF_INET) {
        ((struct sockaddr_in *)&own)->sin_port = 0;
    } else if (own.ss_family == AF_INET6) {
        ((struct sockaddr_in6 *)&own)->sin6_port = 0;
    } else {
        return 0;
    }
    int probe = socket(own.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return 0;
    int is_refused = bind(probe, (struct sockaddr *)&own, length) != 0 && errno == EADDRNOTAVAIL;
    close(probe);
    if (!is_refused) return 0;
    // An address of IPv6 that is looked for on the link (RFC 4862 section 5.4) is refused, too, and not gone.
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0) return 0;
    int is_gone = 1;
    for (struct ifaddrs *one = all; one != NULL && is_gone; one = one->ifa_next) {
        if (one->ifa_addr == NULL || one->ifa_addr->sa_family != own.ss_family) continue;
        is_gone = own.ss_family == AF_INET
            ? memcmp(&((struct sockaddr_in *)one->ifa_addr)->sin_addr, four, sizeof *four) != 0
            : memcmp(&((struct sockaddr_in6 *)one->ifa_addr)->sin6_addr, six, sizeof *six) != 0;
    }
    freeifaddrs(all);
    return is_gone;
}
#endif
