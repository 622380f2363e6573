import CLibcurl
import CLibssl
import GatewayCore

/// Checks a new connection before its first request.
///
/// Bytes that the server has already sent would be read as the response (RFC 9112 §9.2). With TLS 1.3 they may be a
/// session ticket (RFC 8446 §4.6.1), which can be distinguished from content only after it was read; if it was content,
/// the transfer fails. HTTP/2 starts with frames, and responses cannot be confused.
extension EasyHandle {
    /// The index of the TLS session data about the first records.
    private static let place = gateway_tls_new_place()

    /// Whether the request may be sent on the new connection with these endpoints.
    func isSilent(_ ends: EpollSet.Ends) -> Bool {
        guard let origin = transfer?.request.origin else { return true }
        let isUnix = withLoop { $0.settings.configuration.unixSocketPath } != nil
        guard
            let descriptor = withLoop({ unsafe $0.sockets.socket(of: ends) })
                ?? (isUnix ? progress.openedSocket : nil)
        else { return true }
        let unread = gateway_unread(descriptor)
        guard unread > 0 else { return true }
        guard origin.scheme == .https else { return refuse(descriptor) }
        guard let session = unsafe OpaquePointer(gateway_easy_get_tls(easy)),
            unsafe gateway_tls_speaks_http2(session) == 0
        else { return true }
        guard unsafe gateway_tls_begins_with_tickets(session) != 0, Self.place >= 0 else {
            return refuse(descriptor)
        }
        unsafe gateway_tls_expect_no_content(session, Int32(Self.place), unread)
        progress.isSpokenTo = true
        return true
    }

    private func refuse(_ descriptor: Int32) -> Bool {
        withLoop { $0.sockets }.shutDown(descriptor)
        progress.failure = error(
            .connectionLost, "\(server) sent a response before the request, which was not sent.",
            phase: .connect)
        return false
    }

    /// Whether the response began before the request. If so, the transfer fails.
    func isUnasked() -> Bool {
        guard progress.isSpokenTo else { return false }
        progress.isSpokenTo = false
        guard let session = unsafe OpaquePointer(gateway_easy_get_tls(easy)),
            unsafe gateway_tls_has_early_content(session, Int32(Self.place)) != 0
        else { return false }
        progress.failure = error(.connectionLost, "\(server) sent a response before the request.")
        return true
    }
}
