import CLibcurl
import CLibssl
import GatewayCore

/// The look at a new connection before its first request.
///
/// What the server has sent by then answers nothing, and would be taken for the response (RFC 9112 §9.2). Over TLS 1.3 it may be
/// a session ticket (RFC 8446 §4.6.1), which cannot be told from content before it is read: the transfer fails when it turns
/// out to be content. HTTP/2 begins with frames, and does not confuse responses.
extension EasyHandle {
    /// Where sessions keep what is known of their first records.
    private static let place = gateway_tls_new_place()

    /// Whether the request may go out on the connection with these ends, which was opened for it.
    func isSilent(_ ends: EpollSet.Ends) -> Bool {
        guard let origin = transfer?.request.origin else { return true }
        let isUnix = withLoop { $0.settings.configuration.unixSocketPath } != nil
        guard
            let descriptor = withLoop({ unsafe $0.sockets.socket(of: ends) }) ?? (isUnix ? openedSocket : nil)
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
        isSpokenTo = true
        return true
    }

    private func refuse(_ descriptor: Int32) -> Bool {
        withLoop { $0.sockets }.shutDown(descriptor)
        failure = error(
            .connectionLost, "\(server) sent a response before the request, which was not sent.",
            phase: .connect)
        return false
    }

    /// Whether the response began before the request; the transfer fails then.
    func isUnasked() -> Bool {
        guard isSpokenTo else { return false }
        isSpokenTo = false
        guard let session = unsafe OpaquePointer(gateway_easy_get_tls(easy)),
            unsafe gateway_tls_has_early_content(session, Int32(Self.place)) != 0
        else { return false }
        failure = error(.connectionLost, "\(server) sent a response before the request.")
        return true
    }
}
