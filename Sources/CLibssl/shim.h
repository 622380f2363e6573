#pragma once
#include <openssl/ssl.h>
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
