import CLibcurl
import GatewayCore

/// Responses that nobody wants any more though little of them is left.
///
/// To give up an HTTP/1.1 response in its middle costs the connection, and the next request a handshake. So what is
/// left is read and thrown away, if that takes neither many bytes nor long. The caller does not wait for it.
extension CurlLoop {
    /// 64 KiB: what a server has usually sent already, so that reading it costs less than a new connection.
    static let drainLimitBytes = 64 << 10
    /// Half a second, a few round trips: the connection is taken for so long, and who waits for one must not wait
    /// much longer than a new one takes.
    static let drainLimit: Int64 = 500_000_000

    /// Lets the caller go and reads the rest; `false` where the connection is not worth it, and nothing was done.
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
    /// Whether so few bytes are missing that the connection is worth waiting for. An HTTP/2 stream is given up
    /// without harm to its connection, and a request that is not out yet would still have to go.
    fileprivate func isWorthDraining(limit: Int) -> Bool {
        guard sends == 1, failure == nil, reader.head.isComplete, reader.head.status >= 200,
            unsafe gateway_easy_get_long(easy, CURLINFO_HTTP_VERSION) == Int(CURL_HTTP_VERSION_1_1)
        else { return false }
        if case .source = transfer?.upload, !isUploadOver { return false }
        // libcurl's own account: bytes on the wire, and -1 where the length is not known, as with chunks.
        let length = unsafe gateway_easy_get_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        let come = unsafe gateway_easy_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T)
        return length >= 0 && length - come <= limit
    }
}
