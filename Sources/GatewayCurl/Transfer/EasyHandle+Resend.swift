import CLibcurl
import GatewayCore

/// libcurl sends a request again when a kept connection dies before the response, whatever its method, and when a server
/// of HTTP/2 refuses it. Whether a request is sent again is decided above, so it is kept from doing so.
extension EasyHandle {
    /// Notes that libcurl is about to send the request; `false` if it was sent before.
    func beginsSending() -> Bool {
        sends += 1
        if sends == 2 { isRefused = hasBeenRefused }
        return sends == 1
    }

    /// Whether a connection may be opened: not for a request that was sent.
    func mayOpen() -> Bool {
        guard sends == 1, mismatch == nil else { return true }
        return beginsSending()
    }

    /// Whether the server has reset the stream with REFUSED_STREAM, and so did not process the request (RFC 9113 §8.7): for
    /// no other reason libcurl sends again, without a word, what it sent on a new connection. On a kept one it does at any
    /// death without a response, and which one it was cannot be told.
    private var hasBeenRefused: Bool {
        openedSocket >= 0 && mismatch == nil && reader.head.status == 0 && errorText.isEmpty
            && withLoop { $0.settings.speaksHTTP2 }
    }
}
