import CLibcurl
import CLibssl
import GatewayCore

/// Which streams of HTTP/2 a server has not processed. It says so in a GOAWAY frame, which names the last stream that it has
/// (RFC 9113 §6.8), and libcurl 7.88 passes on the frame, the stream's number and the stream's error only in its texts for
/// people. Of other versions these texts are not known, and nothing counts as refused.
///
/// A stream that is reset with REFUSED_STREAM (§8.7) may have been processed as far as is known here: libcurl tells of it
/// only on a connection that was not used before, and then also where an earlier transfer of the handle was refused.
extension EasyHandle {
    /// How a server refuses a request.
    enum Refusal {
        /// The request's stream comes after the last one that the server processes.
        case goAway
        /// The server has reset the stream with HTTP_1_1_REQUIRED. It may have processed the request.
        case http1Required
    }

    /// The stream of an exchange.
    struct Stream {
        /// The connection.
        var link: EpollSet.Link?
        /// Its number.
        var number: UInt32?
        /// The number of the last stream that the server will have processed.
        var last: UInt32?
        /// Whether its server requires HTTP/1.1 for the request.
        var requiresHTTP1 = false

        /// Whether it comes after the last one.
        var isPastTheLast: Bool {
            guard let number, let last else { return false }
            return number > last
        }
    }

    /// The request is about to go out. What cannot be repeated is listened to from here on, so that the stream's number is
    /// known; what can, as soon as it is out: then libcurl has less to tell, and what it tells may be about all streams.
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

    /// The transfer has ended, or all of its response is there: what libcurl tells from here on is about nothing.
    func endListening() {
        stream = Stream()
        guard isListening else { return }
        isListening = false
        set(CURLOPT_VERBOSE, 0)
    }

    /// One of libcurl's texts for people.
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

    /// The number that a text begins with.
    private static func number(in text: Slice<UnsafeRawBufferPointer>) -> UInt32? {
        let digits = unsafe text.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return unsafe UInt32(String(decoding: digits, as: UTF8.self))
    }
}

extension CurlLoop {
    /// Listens to the exchanges whose requests went out in this turn.
    func listen() {
        guard !sentNow.isEmpty else { return }
        for handle in sentNow { handle.listen() }
        sentNow.removeAll(keepingCapacity: true)
    }

    /// A connection's server will have processed no stream after this one.
    fileprivate func goesAway(_ link: EpollSet.Link, after last: UInt32) {
        for case let transfer? in transfers {
            guard let handle = unsafe transfer.onLoop.handle, handle.stream.link == link else { continue }
            handle.stream.last = min(handle.stream.last ?? last, last)
        }
    }
}
