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
        // Their numbers may be used again by then.
        let links = stranded.compactMap { sockets.link(of: $0) }
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
        // Those that are left are idle, or shared by streams of HTTP/2, which libcurl then ends.
        for link in links { sockets.shutDown(link) }
    }
}
