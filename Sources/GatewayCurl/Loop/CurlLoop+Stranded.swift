import CLibcurl
import GatewayCore

/// Connections whose local address no longer exists.
extension CurlLoop {
    /// Ends the exchanges on connections whose local address no longer exists: no data can arrive, and TCP
    /// would detect that only after minutes.
    ///
    /// Requests that only their deadline limits continue: their response, such as a token, cannot be
    /// requested again, and the address may return.
    func endStrandedExchanges() {
        var stranded = sockets.open.filter { gateway_local_address_is_gone($0) != 0 }
        for case let transfer? in transfers where transfer.context.isLimitedByDeadlineAlone {
            if let handle = unsafe transfer.onLoop.handle { stranded.remove(handle.progress.socket) }
        }
        guard !stranded.isEmpty else { return }
        // libcurl reports the socket of each transfer, including HTTP/2 streams that share one. Connections without a
        // remaining exchange are shut down.
        for case let transfer? in transfers {
            guard let handle = unsafe transfer.onLoop.handle, stranded.contains(handle.progress.socket) else {
                continue
            }
            finish(
                transfer,
                .failure(
                    handle.error(
                        handle.progress.sends == 0 ? .noConnection : .connectionLost,
                        "The network has changed: the connection to \(transfer.request.origin.hostAndPort) was made from "
                            + "an address that this machine no longer has.")))
        }
    }
}
