import CLibcurl
import GatewayCore

/// Content over TLS that ends where the connection does. An attacker who can cut a connection could cut the content, so it is
/// complete only if the server ended the session of TLS first (RFC 9112 §9.8). libcurl takes any end for that.
extension EasyHandle {
    /// The content of an HTTP/1.1 response will end with the connection: the end of its session is waited for.
    func awaitEndOfSession() {
        guard CurlLibrary.usesOpenSSL, transfer?.request.origin.scheme == .https,
            unsafe gateway_easy_get_long(easy, CURLINFO_HTTP_VERSION) < Int(CURL_HTTP_VERSION_2_0),
            let tls = unsafe gateway_easy_get_tls(easy)
        else { return }
        let session = UInt(bitPattern: tls)
        self.session = session
        loop.sessions[session] = self
    }

    func forgetSession() {
        guard let session else { return }
        loop.sessions[session] = nil
        self.session = nil
        hasSessionEnded = false
    }

    /// The error of content whose session did not end.
    var unprovenEnd: NetworkError? {
        guard session != nil, !hasSessionEnded else { return nil }
        return error(
            .truncated,
            "The response from \(transfer?.request.origin.hostAndPort ?? "the server") may be incomplete: the connection "
                + "ended without the end of TLS (close_notify), and the response has no length.",
            phase: .receive)
    }
}
