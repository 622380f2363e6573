import CLibcurl
import GatewayCore

/// Drains the rest of abandoned responses if it is short.
///
/// Why: abandoning an HTTP/1.1 response before its end closes the connection, and the next request needs a new
/// handshake. So the rest is read and discarded, within a limit of bytes and time. The caller does not wait for it.
extension CurlLoop {
    /// 64 KiB, in bytes: usually already sent by the server, so reading it is cheaper than a new connection.
    static let drainLimitBytes = 64 << 10
    /// 500 ms, in nanoseconds. The connection is occupied during that time, so the limit is a few round trips, about as
    /// long as a new connection takes.
    static let drainLimit: Int64 = 500_000_000

    /// Completes the call and reads the rest; `false`, without any effect, if draining is not worthwhile.
    func drain(_ transfer: Transfer, on handle: EasyHandle, _ outcome: Transfer.Outcome) -> Bool {
        guard handle.isWorthDraining(limit: Self.drainLimitBytes) else { return false }
        guard handle.discardPaused() else { return false }
        report(transfer, on: handle)
        keepSlot(transfer)
        unsafe transfer.onLoop.timing.endCall()
        enter(.draining, transfer)
        resume(transfer, handle.keepingHead(outcome))
        return true
    }
}

extension EasyHandle {
    /// Whether few enough bytes are missing. Not for HTTP/2, where cancelling a stream keeps the connection, and not
    /// while an upload is incomplete.
    fileprivate func isWorthDraining(limit: Int) -> Bool {
        guard progress.sends == 1, progress.failure == nil, reader.head.isComplete, reader.head.status >= 200,
            unsafe gateway_easy_get_long(easy, CURLINFO_HTTP_VERSION) == Int(CURL_HTTP_VERSION_1_1)
        else { return false }
        if case .source = transfer?.upload, !progress.isUploadOver { return false }
        // libcurl counts bytes on the wire, and returns -1 if the length is unknown, as with chunked content.
        let length = unsafe gateway_easy_get_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        let come = unsafe gateway_easy_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T)
        return length >= 0 && length - come <= limit
    }
}
