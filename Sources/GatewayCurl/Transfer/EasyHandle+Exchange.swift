import CLibcurl
import GatewayCore

/// The implementation of libcurl's callbacks. They are called on the loop's thread.
extension EasyHandle {
    /// 64 KiB: the largest content of a streamed response that is delivered together with its head.
    static let mostGathered = 64 << 10

    /// Called when a socket was opened for a new connection.
    func didOpen(_ descriptor: Int32) {
        progress.openedSocket = descriptor
        loop.sockets.didOpen(descriptor, by: self)
        loop.socketOrigins[descriptor] = transfer?.request.origin
        loop.watchdog?.didOpen(descriptor)
    }

    /// Called when the connection is established and the request is about to be sent. A second call means that libcurl
    /// would send the request again, for example because a reused connection was dead; `false` prevents that.
    func willSend(on ends: EpollSet.Ends) -> Bool {
        if progress.openedSocket >= 0 {
            loop.sockets.nameAll()
            guard unsafe progress.sends > 0 || isSilent(ends) else { return false }
        } else if progress.sends == 0, unsafe !isFit(ends) {
            progress.restarts = true
            return false
        }
        guard let transfer, beginsSending() else { return false }
        if withLoop({ $0.settings.speaksHTTP2 }) { unsafe beginListening(on: ends) }
        if case .source = transfer.upload {
            withLoop { $0.enter(.sending, transfer) }
        } else {
            withLoop { $0.enter(.waiting, transfer) }
        }
        return true
    }

    /// Receives a header line; `false` ends the transfer.
    func receive(header line: UnsafeRawBufferPointer) -> Bool {
        withLoop { $0.watchdog?.noteProgress() }
        guard !isUnasked() else { return false }
        switch unsafe reader.receive(line, limit: headerLimit, cache: fieldCache) {
        case .more: return true
        case .begun:
            // The header is one part of the response: sending it byte by byte does not extend the limit.
            if let transfer { withLoop { $0.receives(transfer) } }
            return true
        case .tooLarge:
            progress.failure = error(
                .responseTooLarge,
                "The response header from \(server) is larger than the limit of \(headerLimit) bytes "
                    + "(responseHeaderLimitBytes).")
            return false
        case .malformed:
            progress.failure = error(
                .malformedResponse,
                "The response header from \(server) is not valid HTTP: its status line, a field or its framing."
            )
            return false
        case .complete:
            guard let transfer else { return false }
            withLoop { $0.receives(transfer) }
            if reader.head.isDelimitedByClose, mayHaveBody { awaitEndOfSession() }
            if transfer.download != nil, mayGather(transfer) {
                progress.isGathering = true
                unsafe transfer.onLoop.timing.endWhole()
            }
            guard beginDecoding() else { return false }
            if transfer.download != nil, !progress.isGathering {
                return beginStream(transfer) && !endsEarly(transfer)
            }
            guard let length = reader.head.contentLength, mayHaveBody, !isDecompressed,
                length > transfer.bodyLimit
            else { return !endsEarly(transfer) }
            progress.failure = tooLarge(transfer)
            return false
        }
    }

    /// Creates the decoder for the content; `false` if its coding is not supported.
    private func beginDecoding() -> Bool {
        guard offersCompression, reader.head.isCompressed, mayHaveBody else { return true }
        switch ContentDecoder.Requirement(reader.head.fields["Content-Encoding"] ?? "") {
        case .nothing: return true
        case .coding(let coding):
            decoder = ContentDecoder(coding)
            return true
        case .unsupported:
            progress.failure = error(
                .malformedResponse,
                "The response from \(server) has a Content-Encoding that the request did not accept.")
            return false
        }
    }

    /// Receives a part of the content, before decompression.
    func receive(body piece: UnsafeRawBufferPointer) -> ContentDecoder.Reception {
        withLoop { $0.watchdog?.noteProgress() }
        guard let transfer else { return .abort }
        guard !progress.isDiscarding else { return .taken }
        if let decoder {
            switch unsafe decoder.decode(piece, { unsafe store($0, transfer) }) {
            case .decoded: break
            case .pause: return .pause
            case .abort: return .abort
            case .malformed:
                progress.failure = error(
                    .malformedResponse, "The compressed response from \(server) cannot be decompressed.")
                return .abort
            }
        } else {
            let reception = unsafe store(piece, transfer)
            guard case .taken = reception else { return reception }
        }
        progress.received += Int64(piece.count)
        return endsEarly(transfer) ? .abort : .taken
    }

    /// Stores a part of the content, after decompression.
    private func store(_ piece: UnsafeRawBufferPointer, _ transfer: Transfer) -> ContentDecoder.Reception {
        if let download = transfer.download {
            if progress.isGathering, piece.count > Self.mostGathered - body.count,
                !endGathering(transfer, download)
            {
                return .abort
            }
            if !progress.isGathering { return unsafe store(piece, for: download, transfer) }
        }
        withLoop { $0.receives(transfer) }
        let count = piece.count
        guard count <= transfer.bodyLimit - body.count else {
            progress.failure = tooLarge(transfer)
            return .abort
        }
        if body.count > CurlLoop.drainLimitBytes, transfer.context.isAbandoned {
            progress.failure = error(.cancelled, "The call got its response from another attempt.")
            return .abort
        }
        if body.isEmpty, let length = reader.head.contentLength, length > Int64(count) {
            // Up to 1 MiB of the announced length is reserved. After that, the memory grows with the content.
            let room = Int(min(length, 1 << 20))
            if room > body.capacity {
                if loop.bodies == nil { loop.bodies = BodyRecycler() }
                body = loop.bodies?.next(room: room, now: loop.now) ?? []
            }
        }
        unsafe body.append(contentsOf: piece)
        return .taken
    }

    private func store(
        _ piece: UnsafeRawBufferPointer, for download: Download, _ transfer: Transfer
    ) -> ContentDecoder.Reception {
        switch unsafe download.receive(piece) {
        case .stored(let wakes):
            loop.receives(transfer)
            if wakes { loop.delivers(transfer) }
            return .taken
        case .pause:
            progress.isDownloadPaused = true
            loop.enter(.consuming, transfer)
            return .pause
        case .discard: return .taken
        }
    }

    /// Passes on the header of a streamed response; `false` if truncation of the body could not be detected.
    private func beginStream(_ transfer: Transfer) -> Bool {
        if reader.head.contentLength == nil, let error = unprovableEnd {
            progress.failure = error
            return false
        }
        var response = takeResponse(transfer, body: [])
        response.rest = .streamed
        if transfer.context.isObserved(as: .headTimings) {
            response.headTimings = HeadTimings(timings(queued: loop.queueTime(of: transfer)))
        }
        loop.begin(transfer, response: response)
        return true
    }

    /// Whether the content of a streamed response is collected as long as it is small.
    private func mayGather(_ transfer: Transfer) -> Bool {
        transfer.context.readsAtOnce && reader.head.contentLength ?? 0 <= Int64(Self.mostGathered)
    }

    /// The content exceeds the limit: the caller receives the content so far, and the rest as it arrives.
    private func endGathering(_ transfer: Transfer, _ download: Download) -> Bool {
        guard beginStream(transfer) else { return false }
        progress.isGathering = false
        if !body.isEmpty { unsafe body.withUnsafeBytes { bytes in _ = unsafe download.receive(bytes) } }
        body = []
        return true
    }

    /// The status of the response whose header fields were received; `nil` before.
    var receivedStatus: Int? {
        reader.head.isComplete && reader.head.status >= 200 ? reader.head.status : nil
    }

    /// The response with failed content, if the caller needs its head; otherwise the outcome itself.
    func keepingHead(_ outcome: Transfer.Outcome) -> Transfer.Outcome {
        guard progress.isGathering, reader.head.isComplete, let transfer, case .failure(let error) = outcome
        else {
            return outcome
        }
        progress.isGathering = false
        var response = takeResponse(transfer, body: [])
        response.rest = .failed(error)
        return .success(response)
    }

    /// Whether the whole response was received before the request was sent completely. libcurl would wait for a paused
    /// request body. The response is final, and the connection is closed (RFC 9112 §9.3).
    private func endsEarly(_ transfer: Transfer) -> Bool {
        guard case .source = transfer.upload, !progress.isUploadOver, reader.head.status >= 200,
            !mayHaveBody || reader.head.contentLength == progress.received
        else { return false }
        progress.isAnsweredEarly = true
        return true
    }

    /// Passes a part of the request body to libcurl.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let transfer, case .source(let source) = transfer.upload else { return 0 }
        switch unsafe source.read(into: buffer) {
        case .bytes(let count):
            progress.uploaded += Int64(count)
            loop.sockets.noteUpload()
            if progress.uploaded == source.length {
                progress.isUploadOver = true
                loop.enter(.waiting, transfer)
            } else {
                loop.enter(.sending, transfer)
            }
            return count
        case .pause:
            progress.isUploadPaused = true
            loop.enter(.producing, transfer)
            return Int(CURL_READFUNC_PAUSE)
        case .end:
            progress.isUploadOver = true
            loop.enter(.waiting, transfer)
            return 0
        case .failed(let error):
            progress.failure = NetworkError(
                error.code, error.message, origin: transfer.request.origin, phase: .send, attempts: 1,
                mayHaveBeenSent: true, underlying: error.underlying)
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// The response, after libcurl has received all of it.
    func response() -> Transfer.Outcome {
        guard let transfer else { return .failure(error(.other, "The transfer has already ended.")) }
        guard reader.head.isComplete else {
            // libcurl reports success if a connection ends inside of a header line.
            return .failure(
                error(.connectionLost, "\(server) closed the connection within the response header."))
        }
        if reader.head.contentLength != progress.received, let error = unprovableEnd ?? unprovenEnd {
            return .failure(error)
        }
        if let decoder, !decoder.isWhole {
            return .failure(
                error(
                    .truncated, "The compressed response from \(server) ended before its end marker.",
                    phase: .receive))
        }
        var taken: [UInt8] = []
        swap(&taken, &body)
        withLoop { $0.bodies?.handsOut(taken, now: $0.now) }
        return .success(takeResponse(transfer, body: taken))
    }

    private func takeResponse(_ transfer: Transfer, body: [UInt8]) -> ReceivedResponse {
        var fields = reader.takeFields()
        if isDecompressed || progress.sends > 1 {
            // These fields describe the content before decompression, or content that libcurl has skipped.
            fields.remove(.contentLength)
            fields.remove("Content-Encoding")
        }
        return ReceivedResponse(
            status: reader.head.status, fields: fields, body: body,
            connection: transfer.context.isObserved(as: .attempts) ? connection : nil)
    }

    /// The host and port of the origin, for messages.
    var server: String { transfer?.request.origin.hostAndPort ?? "the server" }

    /// An error of this transfer, as one attempt.
    func error(_ code: NetworkError.Code, _ message: String, phase: NetworkError.Phase? = nil) -> NetworkError
    {
        NetworkError(
            code, message, origin: transfer?.request.origin, phase: phase ?? self.phase,
            attempts: 1, mayHaveBeenSent: mayHaveBeenSent)
    }

    /// The current phase of the exchange.
    var phase: NetworkError.Phase {
        switch unsafe transfer?.onLoop.timing.stage {
        case nil, .queued: .queue
        case .connecting: connectPhase
        case .sending, .producing: .send
        case .waiting: .firstByte
        case .receiving, .consuming, .draining: .receive
        }
    }

    /// Whether the server may have received a part of the request. Always `true` after libcurl tried to send it again.
    var mayHaveBeenSent: Bool {
        guard refusal != .goAway else { return false }
        guard progress.sends == 1 else { return progress.sends > 1 }
        return unsafe gateway_easy_get_long(easy, CURLINFO_REQUEST_SIZE) > 0
    }

    private var connectPhase: NetworkError.Phase {
        if unsafe gateway_easy_get_offset(easy, CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolve }
        // libcurl sets the connect time only after the TLS handshake.
        let isTLS = transfer?.request.origin.scheme == .https
        return isTLS && loop.sockets.isConnected(progress.openedSocket) ? .tls : .connect
    }

    /// Whether the content is decompressed here.
    private var isDecompressed: Bool { decoder != nil }

    private var mayHaveBody: Bool {
        transfer?.request.method != .head && reader.head.status != 204 && reader.head.status != 304
    }

    /// The error for a body without a length or shorter than announced, if this libcurl may report a truncated stream
    /// as complete.
    private var unprovableEnd: NetworkError? {
        guard withLoop({ $0.settings.speaksHTTP2 }), !CurlLibrary.tellsTornStreams, mayHaveBody,
            unsafe gateway_easy_get_long(easy, CURLINFO_HTTP_VERSION) == Int(CURL_HTTP_VERSION_2_0)
        else { return nil }
        return error(
            .truncated,
            "The response from \(server) may be incomplete: this libcurl cannot tell over HTTP/2; use HTTP/1.1."
        )
    }

    private func tooLarge(_ transfer: Transfer) -> NetworkError {
        error(
            .responseTooLarge,
            "The response from \(server) is larger than the limit of \(transfer.bodyLimit) bytes: raise the limit, or "
                + "read the response as a stream.",
            phase: .receive)
    }
}
