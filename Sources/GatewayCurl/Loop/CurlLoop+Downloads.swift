import CLibcurl
import GatewayCore

/// Responses that are handed over as they arrive.
extension CurlLoop {
    /// The head is there: the caller gets the response, and its body later.
    func begin(_ transfer: Transfer, response: ReceivedResponse) {
        keepSlot(transfer)
        unsafe transfer.onLoop.timing.endWhole()
        if let waiter = unsafe transfer.end(.success(response)) { unsafe resumptions.append(waiter) }
    }

    /// Something came for a reader who waits.
    func delivers(_ transfer: Transfer) { deliveries.append(transfer) }

    /// A paused download can go on.
    func resumeDownload(_ transfer: Transfer) {
        guard let handle = unsafe transfer.onLoop.handle, handle.isDownloadPaused else { return }
        handle.isDownloadPaused = false
        enter(.receiving, transfer)
        let code = unsafe curl_easy_pause(handle.easy, handle.pauses)
        // What libcurl held back was refused when it came again.
        if code != CURLE_OK { finish(transfer, outcome(of: handle, code)) }
    }

    /// Resumes the readers for whom something came.
    func deliverAll() {
        while let transfer = deliveries.popLast() {
            // Going on brings no more than libcurl holds back, so this ends.
            if transfer.download?.deliver() == true { resumeDownload(transfer) }
        }
    }

    /// Closes connections that carry nothing, and forgets the addresses of names. On those of downloads that stand still
    /// libcurl waits for nothing, and they are in use; where one is not known, nothing is closed. Exchanges on connections
    /// from an address that is gone end.
    func dropIdleConnections() {
        names.forget(at: systemNow)
        trustFiles.expectChange()
        endStrandedExchanges()
        for descriptor in unusedSockets { sockets.shutDown(descriptor) }
    }

    /// The open sockets that no exchange uses; none where that is not known, because of a paused stream of HTTP/2.
    var unusedSockets: Set<Int32> {
        var unused = sockets.unwanted
        for case let transfer? in transfers {
            guard let handle = unsafe transfer.onLoop.handle, handle.isDownloadPaused else { continue }
            guard handle.socket >= 0 else { return [] }
            unused.remove(handle.socket)
        }
        return unused
    }
}
