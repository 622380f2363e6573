import CLibcurl
import GatewayCore

/// Responses that are delivered in parts.
extension CurlLoop {
    /// Called when the head is complete: the caller gets the response now and the body later.
    func begin(_ transfer: Transfer, response: ReceivedResponse) {
        keepSlot(transfer)
        unsafe transfer.onLoop.timing.endWhole()
        if let waiter = unsafe transfer.end(.success(response)) { unsafe resumptions.append(waiter) }
    }

    /// Called when content has arrived for a waiting reader.
    func delivers(_ transfer: Transfer) { deliveries.append(transfer) }

    /// Resumes a paused download.
    func resumeDownload(_ transfer: Transfer) {
        guard let handle = unsafe transfer.onLoop.handle, handle.progress.isDownloadPaused else { return }
        handle.progress.isDownloadPaused = false
        enter(.receiving, transfer)
        let code = unsafe curl_easy_pause(handle.easy, handle.pauses)
        // libcurl delivered the content that it had held back, and the callback rejected it.
        if code != CURLE_OK { finish(transfer, outcome(of: handle, code)) }
    }

    /// Resumes the readers whose content has arrived.
    func deliverAll() {
        while let transfer = deliveries.popLast() {
            // Resuming delivers only what libcurl holds back, so this loop ends.
            if transfer.download?.deliver() == true { resumeDownload(transfer) }
        }
    }

    /// Closes idle connections and discards cached DNS results. Connections of paused downloads are in use,
    /// although libcurl waits for no event of them; if one of them is unknown, nothing is closed. Exchanges
    /// on connections whose local address no longer exists are ended.
    func dropIdleConnections() {
        names = NameCacheAge(forgottenAt: systemNow)
        trustFiles.expectChange()
        endStrandedExchanges()
        for descriptor in unusedSockets { sockets.shutDown(descriptor) }
    }

    /// The open sockets that no exchange uses; none if that is unknown because of a paused HTTP/2 stream.
    var unusedSockets: Set<Int32> {
        var unused = sockets.unwanted
        for case let transfer? in transfers {
            guard let handle = unsafe transfer.onLoop.handle, handle.progress.isDownloadPaused else {
                continue
            }
            guard handle.progress.socket >= 0 else { return [] }
            unused.remove(handle.progress.socket)
        }
        return unused
    }
}
