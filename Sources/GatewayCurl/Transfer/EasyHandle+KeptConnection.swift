import CLibcurl
import CLibssl
import GatewayCore

/// Checks a kept connection before a request is sent on it.
///
/// Bytes that a server has already sent would be read as the response (RFC 9112 §9.2). If the server has
/// closed the connection, it would be unknown whether the request was processed. libcurl itself considers a
/// connection with unread bytes alive. Therefore a transfer whose connection has unread data is restarted on
/// another connection.
///
/// Over HTTP/2 the bytes may be a PING or SETTINGS frame on a usable connection. libcurl reads one TLS
/// record when it selects a connection, so the transfer restarts until nothing is left to read.
extension EasyHandle {
    /// The maximum number of HTTP/2 records to read before a request. A connection with more is closed.
    private static let recordLimit = 64

    /// Whether the request may be sent on the kept connection with these endpoints.
    func isFit(_ ends: EpollSet.Ends) -> Bool {
        guard let transfer else { return true }
        let session =
            transfer.request.origin.scheme == .https ? unsafe OpaquePointer(gateway_easy_get_tls(easy)) : nil
        let isMultiplexed = unsafe session.map { unsafe gateway_tls_speaks_http2($0) != 0 } ?? false
        let sockets = withLoop { $0.sockets }
        // The other streams read the data.
        if isMultiplexed, withLoop({ !$0.isAlone(transfer) }) {
            return true
        }
        guard let descriptor = unsafe sockets.socket(of: ends) else { return isFitWithoutPorts }
        let holdsBytes = unsafe session.map { unsafe gateway_tls_holds_bytes($0) != 0 } ?? false
        let hasExpired = sockets.hasExpired(descriptor, at: withLoop { $0.now })
        guard holdsBytes || hasExpired || sockets.isReadable(descriptor) else { return true }
        if !isMultiplexed || hasExpired || progress.restartCount >= Self.recordLimit {
            sockets.shutDown(descriptor)
        }
        return false
    }

    /// Called when the exchange has ended and the connection becomes idle. Sets its expiry from the server's
    /// `Keep-Alive`, minus 1 s or half of the time, because a request must reach the server before that.
    func rest(at now: Int64) {
        guard let seconds = reader.head.keepAlive, let link = progress.link else { return }
        let nanoseconds = min(seconds, 1 << 30) * 1_000_000_000
        loop.sockets.expire(link, at: now + max(nanoseconds / 2, nanoseconds - 1_000_000_000))
    }

    /// The check for a Unix domain socket, whose endpoints do not identify the connection: all unused sockets are
    /// checked.
    private var isFitWithoutPorts: Bool {
        guard withLoop({ $0.settings.configuration.unixSocketPath }) != nil else { return true }
        let loop = loop
        let unfit = loop.unusedSockets.filter { loop.sockets.isReadable($0) }
        for descriptor in unfit { loop.sockets.shutDown(descriptor) }
        return unfit.isEmpty
    }
}

extension CurlLoop {
    /// Restarts a transfer whose kept connection was not usable; `false`, without any effect, for any other transfer.
    func restarts(_ handle: EasyHandle) -> Bool {
        guard handle.progress.restarts, let pool = handle.pool else { return false }
        handle.progress.restarts = false
        handle.progress.restartCount += 1
        handle.clearErrorText()
        return pool.restart(handle)
    }
}
