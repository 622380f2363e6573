import CLibcurl
import CLibssl
import GatewayCore

/// The look at a kept connection before a request goes out on it.
///
/// What a server has sent unasked would be taken for the response (RFC 9112 §9.2), and a connection that it has ended
/// would leave open whether the request was processed. libcurl itself takes a connection with bytes to read for a live
/// one. So a transfer whose connection has anything to read does not begin, and starts again on another connection.
///
/// Over HTTP/2 those bytes may be a PING or SETTINGS, and the connection a good one. libcurl reads one record of TLS when
/// it chooses a connection, so the transfer starts again until nothing is left to read.
extension EasyHandle {
    /// How many records of HTTP/2 are read before a request; a connection with more is given up.
    private static let recordLimit = 64

    /// Whether the request may go out on the kept connection with these ends.
    func isFit(_ ends: EpollSet.Ends) -> Bool {
        guard let transfer else { return true }
        let session =
            transfer.request.origin.scheme == .https ? unsafe OpaquePointer(gateway_easy_get_tls(easy)) : nil
        let isMultiplexed = unsafe session.map { unsafe gateway_tls_speaks_http2($0) != 0 } ?? false
        let sockets = withLoop { $0.sockets }
        // Other streams read what comes.
        if isMultiplexed, withLoop({ !$0.isAlone(transfer) }) {
            return true
        }
        guard let descriptor = unsafe sockets.socket(of: ends) else { return isFitWithoutPorts }
        let holdsBytes = unsafe session.map { unsafe gateway_tls_holds_bytes($0) != 0 } ?? false
        let hasExpired = sockets.hasExpired(descriptor, at: withLoop { $0.now })
        guard holdsBytes || hasExpired || sockets.isReadable(descriptor) else { return true }
        if !isMultiplexed || hasExpired || restartCount >= Self.recordLimit { sockets.shutDown(descriptor) }
        return false
    }

    /// The exchange has ended: the connection rests, for as long as the server has said. A second less, or half of it,
    /// since a request must be there before that.
    func rest(at now: Int64) {
        guard let seconds = reader.head.keepAlive, let link else { return }
        let nanoseconds = min(seconds, 1 << 30) * 1_000_000_000
        loop.sockets.expire(link, at: now + max(nanoseconds / 2, nanoseconds - 1_000_000_000))
    }

    /// The same for a socket of Unix, which nothing tells from others: those that are not in use are looked at, all of
    /// them.
    private var isFitWithoutPorts: Bool {
        guard withLoop({ $0.settings.configuration.unixSocketPath }) != nil else { return true }
        let loop = loop
        let unfit = loop.unusedSockets.filter { loop.sockets.isReadable($0) }
        for descriptor in unfit { loop.sockets.shutDown(descriptor) }
        return unfit.isEmpty
    }
}

extension CurlLoop {
    /// Starts a transfer again whose kept connection was not fit for use; `false`, without doing anything, for any other.
    func restarts(_ handle: EasyHandle) -> Bool {
        guard handle.restarts, let pool = handle.pool else { return false }
        handle.restarts = false
        handle.restartCount += 1
        handle.clearErrorText()
        return pool.restart(handle)
    }
}
