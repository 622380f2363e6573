import CLibcurl
import CLibssl
import GatewayCore

/// Detects which HTTP/2 streams a server has not processed. The server sends a GOAWAY frame with the last
/// processed stream (RFC 9113 §6.8). libcurl 7.88 reports the frame, the number of a stream and its error
/// only in its debug texts. The texts of other versions are not known; with them no request is treated as
/// refused.
///
/// A stream that was reset with REFUSED_STREAM (§8.7) is treated as possibly processed, because libcurl
/// reports it only on a connection that was not used before, and then also if an earlier transfer of the
/// handle was refused.
extension EasyHandle {
    /// How a server refused a request.
    enum Refusal {
        /// The request's stream comes after the last one that the server processes (GOAWAY).
        case goAway
        /// The server has reset the stream with HTTP_1_1_REQUIRED. It may have processed the request.
        case http1Required
    }

    /// The HTTP/2 stream of an exchange.
    struct Stream {
        /// The connection.
        var link: EpollSet.Link?
        /// The number of the stream.
        var number: UInt32?
        /// The number of the last stream that the server may have processed.
        var last: UInt32?
        /// Whether the server requires HTTP/1.1 for the request.
        var requiresHTTP1 = false

        /// Whether the stream comes after the last processed one.
        var isPastTheLast: Bool {
            guard let number, let last else { return false }
            return number > last
        }
    }

    /// Called when the request is about to be sent. For a request that must not be repeated, debug texts are enabled
    /// now, so that the number of the stream is known. For an idempotent request they are enabled after it was sent:
    /// there are fewer texts then, and they may be about all streams.
    func beginListening(on ends: EpollSet.Ends) {
        guard transfer?.request.origin.scheme == .https, let session = unsafe gateway_easy_get_tls(easy),
            unsafe gateway_tls_speaks_http2(OpaquePointer(session)) != 0
        else { return }
        let link = withLoop { loop in
            unsafe loop.sockets.socket(of: ends).flatMap { loop.sockets.link(of: $0) }
        }
        stream = Stream(link: link)
        if transfer?.request.method.isIdempotent == true {
            withLoop { $0.sentNow.append(self) }
        } else {
            listen()
        }
    }

    fileprivate func listen() {
        guard transfer != nil, !isListening else { return }
        isListening = set(CURLOPT_VERBOSE, 1)
    }

    /// Called when the transfer has ended or its response is complete. Later debug texts are ignored.
    func endListening() {
        stream = Stream()
        guard isListening else { return }
        isListening = false
        set(CURLOPT_VERBOSE, 0)
    }

    /// Receives one of libcurl's debug texts.
    func receive(note text: UnsafeRawBufferPointer) {
        if unsafe text.starts(with: "Using Stream ID: ".utf8) {
            stream.number = unsafe Self.number(in: text[17...])
        } else if unsafe text.starts(with: "recveived GOAWAY".utf8), let link = stream.link,
            let sign = unsafe text.lastIndex(of: UInt8(ascii: "=")),
            let last = unsafe Self.number(in: text[(sign + 1)...])
        {
            loop.goesAway(link, after: last)
        } else if unsafe text.starts(with: "Downgrades to HTTP/1.1".utf8) {
            stream.requiresHTTP1 = true
        }
    }

    /// The number at the start of a text.
    private static func number(in text: Slice<UnsafeRawBufferPointer>) -> UInt32? {
        let digits = unsafe text.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return unsafe UInt32(String(decoding: digits, as: UTF8.self))
    }
}

extension CurlLoop {
    /// Enables the debug texts of the exchanges whose requests were sent in this loop iteration.
    func listen() {
        guard !sentNow.isEmpty else { return }
        for handle in sentNow { handle.listen() }
        sentNow.removeAll(keepingCapacity: true)
    }

    /// Records the last stream that the server of a connection may have processed.
    fileprivate func goesAway(_ link: EpollSet.Link, after last: UInt32) {
        for case let transfer? in transfers {
            guard let handle = unsafe transfer.onLoop.handle, handle.stream.link == link else { continue }
            handle.stream.last = min(handle.stream.last ?? last, last)
        }
    }
}
