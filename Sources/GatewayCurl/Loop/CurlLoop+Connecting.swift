import CLibcurl
import GatewayCore

/// A workaround for transfers that libcurl does not continue: after a refused connection libcurl tries the
/// next address only when a timer expires, and after a second one not at all.
extension CurlLoop {
    /// Makes libcurl try the next addresses immediately.
    func goOnConnecting() {
        guard !unconnected.isEmpty else { return }
        for handle in unconnected { handle.goOnConnecting() }
        unconnected.removeAll(keepingCapacity: true)
    }

    /// Makes libcurl continue all transfers without a connection. Called once a second, which limits the delay of other
    /// missed events, too.
    func goOnConnecting(in pool: CurlPool) {
        for case let transfer? in transfers {
            guard let handle = unsafe transfer.onLoop.handle, handle.pool === pool else { continue }
            handle.goOnConnecting()
        }
    }
}

extension EasyHandle {
    /// Changing the paused state makes libcurl process the transfer immediately.
    fileprivate func goOnConnecting() {
        guard let transfer, case .connecting = unsafe transfer.onLoop.timing.stage else { return }
        unsafe curl_easy_pause(easy, pauses ^ CURLPAUSE_SEND)
        unsafe curl_easy_pause(easy, pauses)
    }
}
