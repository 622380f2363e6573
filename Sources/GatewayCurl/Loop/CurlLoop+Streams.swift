import CLibcurl
import GatewayCore

/// HTTP/2 streams that share a connection.
extension CurlLoop {
    /// Called when an exchange has failed and libcurl has released it.
    ///
    /// If no other exchange uses the connection, it is not reused, as with HTTP/1.1: after a truncated frame or a fatal
    /// nghttp2 error libcurl would keep it, and the next request would fail. Otherwise the other exchanges are checked
    /// immediately, because libcurl reports the end of the connection only to the exchange for which it was reading.
    func leaveConnection(_ pool: CurlPool, socket: EpollSet.Link?, _ error: NetworkError) {
        guard settings.speaksHTTP2 else { return }
        switch error.code {
        case .timeout, .connectionLost, .truncated, .malformedResponse, .responseTooLarge: break
        default: return
        }
        if let socket { sockets.shutDownIfUnused(socket) }
        if pool.active > 0 { pool.looksAtAll() }
    }
}
