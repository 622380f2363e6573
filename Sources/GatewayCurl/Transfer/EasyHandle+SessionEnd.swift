import CLibcurl
import GatewayCore

/// Detects truncated content over TLS that is delimited by the end of the connection. An attacker who can close a
/// connection could truncate the content, so it is complete only if the server has ended the TLS session before (RFC
/// 9112 §9.8). libcurl accepts any end of the connection.
extension EasyHandle {
    /// Called if the content of an HTTP/1.1 response is delimited by the end of the connection. Starts to observe the
    /// TLS session.
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

    /// The error for content whose TLS session was not ended by the server.
    var unprovenEnd: NetworkError? {
        guard session != nil, !hasSessionEnded else { return nil }
        return error(
            .truncated,
            "The response from \(transfer?.request.origin.hostAndPort ?? "the server") may be incomplete: the connection "
                + "ended without the end of TLS (close_notify), and the response has no length.",
            phase: .receive)
    }
}
