#pragma once

#ifndef __linux__
#error "GatewayClient supports Linux only: it uses epoll, netlink and the libraries of the distribution."
#elif !__has_include(<openssl/ssl.h>)
#error "OpenSSL is missing: install the package libssl-dev."
#else
#include <openssl/ssl.h>
#include <stdint.h>
#include <string.h>

/// Whether a session speaks HTTP/2, as ALPN agreed (RFC 7301).
static inline int gateway_tls_speaks_http2(const SSL *session) {
    const unsigned char *name = NULL;
    unsigned int length = 0;
    SSL_get0_alpn_selected(session, &name, &length);
    return length == 2 && memcmp(name, "h2", 2) == 0;
}

/// Has a function called for each step and alert of the sessions of a context, which carries a pointer of the application.
static inline void gateway_tls_observe(
    void *context, void (*observer)(const SSL *session, int where, int code), void *application) {
    SSL_CTX_set_ex_data(context, 0, application);
    SSL_CTX_set_info_callback(context, observer);
}
/// The application's pointer that a session's context carries.
static inline void *gateway_tls_application(const SSL *session) {
    return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), 0);
}
/// Whether what an observer is called for is the peer's close_notify (RFC 8446 section 6.1).
static inline int gateway_tls_is_end(int where, int code) {
    return (where & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT && (code & 0xFF) == SSL_AD_CLOSE_NOTIFY;
}

/// Whether a session holds bytes that it has read from its socket and not given out.
static inline int gateway_tls_holds_bytes(const SSL *session) { return SSL_has_pending(session); }

/// Whether a session may begin with what is no content, such as tickets (RFC 8446 section 4.6.1).
static inline int gateway_tls_begins_with_tickets(const SSL *session) { return SSL_version(session) >= TLS1_3_VERSION; }

/// A place of the application in each session; negative where there is none left.
static inline int gateway_tls_new_place(void) { return SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL); }

/// Ends the look at a session's first records, or marks it by 1, when the first content is found or none can be.
static inline void gateway_tls_look(
    int is_written, int version, int kind, const void *bytes, size_t length, SSL *session, void *place) {
    (void)version;
    int index = (int)(intptr_t)place;
    uintptr_t end = (uintptr_t)SSL_get_ex_data(session, index);
    if (is_written) return;
    if (kind == SSL3_RT_HEADER && BIO_number_read(SSL_get_rbio(session)) >= end + length) {
        SSL_set_msg_callback(session, NULL);
    } else if (
        kind == SSL3_RT_INNER_CONTENT_TYPE && length == 1
        && *(const unsigned char *)bytes == SSL3_RT_APPLICATION_DATA) {
        SSL_set_ex_data(session, index, (void *)(uintptr_t)1);
        SSL_set_msg_callback(session, NULL);
    }
}
/// Looks at the records that begin in the next bytes of a session: whether one of them holds content (RFC 8446 section 5.2).
static inline void gateway_tls_expect_no_content(SSL *session, int place, unsigned long long bytes) {
    uintptr_t end = (uintptr_t)(BIO_number_read(SSL_get_rbio(session)) + bytes);
    if (!SSL_set_ex_data(session, place, (void *)end)) return;
    SSL_set_msg_callback_arg(session, (void *)(intptr_t)place);
    SSL_set_msg_callback(session, gateway_tls_look);
}
/// Whether one of those records held content.
static inline int gateway_tls_has_early_content(const SSL *session, int place) {
    return (uintptr_t)SSL_get_ex_data(session, place) == 1;
}
#endif
