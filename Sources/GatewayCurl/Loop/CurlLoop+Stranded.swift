import CLibcurl
import GatewayCore

/// Connections from an address that the machine no longer has.
extension CurlLoop {
    /// Ends the exchanges on connections whose local address is gone: nothing can arrive there any more, and TCP would find out
    /// after minutes.
    ///
    /// Requests that only their deadline limits go on: a response with a token is the only one, and the address may return.
    func endStrandedExchanges() {
        var stranded = sockets.open.filter { gateway_local_address_is_gone($0) != 0 }
        for case let transfer? in transfers where transfer.context.isLimitedByDeadlineAlone {
            if let handle = unsafe transfer.onLoop.handle { stranded.remove(handle.socket) }
        }
        guard !stranded.isEmpty else { return }
        // libcurl names the socket of each of them, also of streams of HTTP/2 that share it. A connection that has lost its last
        // stream is shut down, and so are those without an exchange.
        for case let transfer? in transfers {
            guard let handle = unsafe transfer.onLoop.handle, stranded.contains(handle.socket) else {
                continue
            }
            finish(
                transfer,
                .failure(
                    handle.error(
                        handle.sends == 0 ? .noConnection : .connectionLost,
                        "The network has changed: the connection to \(transfer.request.origin.hostAndPort) was made from "
                            + "an address that this machine no longer has.")))
        }
    }
}
