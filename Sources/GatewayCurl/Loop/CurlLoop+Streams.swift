import CLibcurl
import GatewayCore

/// HTTP/2 streams that share a connection.
extension CurlLoop {
    /// An exchange has failed, and libcurl has let go of it.
    ///
    /// A connection that nobody else uses is not used again, as with HTTP/1.1: after half a frame or a fatal error of
    /// nghttp2 libcurl would keep it, and the next request would fail. Others on it look at once whether it is over,
    /// since libcurl tells only the exchange for which it was reading.
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
