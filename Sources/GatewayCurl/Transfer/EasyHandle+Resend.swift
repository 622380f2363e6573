import CLibcurl
import GatewayCore

/// Prevents libcurl from sending a request again. It would do that, for any method, if a kept connection ends before
/// the response, or if an HTTP/2 server refuses the request. Upper layers decide about retries.
extension EasyHandle {
    /// Records that libcurl is about to send the request; `false` if it was sent before.
    func beginsSending() -> Bool {
        progress.sends += 1
        return progress.sends == 1
    }

    /// Whether a connection may be opened. Not allowed for a request that was sent.
    func mayOpen() -> Bool {
        guard progress.sends == 1, mismatch == nil else { return true }
        return beginsSending()
    }

    /// Whether the response is used although the transfer ended with an error: it was received before the request was
    /// sent completely, or it is a 417 (RFC 9110 §15.5.18), after which libcurl would send the request again without
    /// `Expect`. The content of a 417 is skipped.
    var isAnswered: Bool {
        progress.isAnsweredEarly || progress.sends > 1 && reader.head.isComplete && reader.head.status == 417
    }

    /// How the server refused the request over HTTP/2, if it did.
    var refusal: Refusal? {
        guard reader.head.status == 0 else { return nil }
        return stream.isPastTheLast ? .goAway : stream.requiresHTTP1 ? .http1Required : nil
    }
}
