import CLibcurl
import GatewayCore

/// libcurl sends a request again when a kept connection dies before the response, whatever its method, and when a server
/// of HTTP/2 refuses it. Whether a request is sent again is decided above, so it is kept from doing so.
extension EasyHandle {
    /// Notes that libcurl is about to send the request; `false` if it was sent before.
    func beginsSending() -> Bool {
        sends += 1
        return sends == 1
    }

    /// Whether a connection may be opened: not for a request that was sent.
    func mayOpen() -> Bool {
        guard sends == 1, mismatch == nil else { return true }
        return beginsSending()
    }

    /// Whether the response counts though the transfer ended in an error: it came before the request was sent whole, or it is a
    /// 417 (RFC 9110 §15.5.18), after which libcurl wants to send the request without `Expect`. Its content is passed over.
    var isAnswered: Bool {
        isAnsweredEarly || sends > 1 && reader.head.isComplete && reader.head.status == 417
    }

    /// How the server has refused the request over HTTP/2, if it did.
    var refusal: Refusal? {
        guard reader.head.status == 0 else { return nil }
        return stream.isPastTheLast ? .goAway : stream.requiresHTTP1 ? .http1Required : nil
    }
}
