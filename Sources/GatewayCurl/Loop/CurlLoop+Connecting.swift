import CLibcurl
import GatewayCore

/// Transfers that libcurl has forgotten: after an address that refuses it tries the next one when its timer for that is
/// over, and after another one not at all.
extension CurlLoop {
    /// Lets libcurl try the next addresses at once.
    func goOnConnecting() {
        guard !unconnected.isEmpty else { return }
        for handle in unconnected { handle.goOnConnecting() }
        unconnected.removeAll(keepingCapacity: true)
    }

    /// Lets libcurl look at all transfers that have no connection yet, as it is to do once a second: whatever else it may
    /// forget costs no more.
    func goOnConnecting(in pool: CurlPool) {
        for case let transfer? in transfers {
            guard let handle = unsafe transfer.onLoop.handle, handle.pool === pool else { continue }
            handle.goOnConnecting()
        }
    }
}

extension EasyHandle {
    /// A change of what is paused makes libcurl deal with the transfer at once.
    fileprivate func goOnConnecting() {
        guard let transfer, case .connecting = unsafe transfer.onLoop.timing.stage else { return }
        unsafe curl_easy_pause(easy, pauses ^ CURLPAUSE_SEND)
        unsafe curl_easy_pause(easy, pauses)
    }
}
