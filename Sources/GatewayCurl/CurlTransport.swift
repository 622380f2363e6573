public import GatewayCore

/// Sends requests with libcurl: HTTP/1.1, and HTTP/2 by option, over connections that are kept and used again.
///
/// One thread of its own does all I/O, or several by ``CurlConfiguration/loops``; a request costs its caller one
/// hand-over and one resume, or neither: a caller with nothing beside him, whose origin has been answering within a
/// tenth of a millisecond, makes the exchange on his own thread. A transport is cheap to share and meant to be: one for a process is the rule. Nothing is
/// sent twice, no redirect is followed, no proxy, netrc file or cookie is taken from the environment.
///
/// Errors are ``NetworkError`` with `origin`, `phase` and `mayHaveBeenSent`:
/// - before any I/O `misconfigured` (see ``CurlConfiguration/validate()``), `invalidRequest`, `bodyNotReplayable`,
///   `bodyFailed` (a file that cannot be read), `closed`, and `overloaded`: too many requests wait, or no thread or file
///   descriptor is left. The transport goes on as soon as there are some again;
/// - `cancelled`, and `timeout` with the phase in which time ran out;
/// - `noConnection`, `dnsFailure`, `connectionRefused`, `tlsFailure`, `connectionLost`, `truncated`,
///   `malformedResponse`, `responseTooLarge`.
public final class CurlTransport: Transport {
    /// Those of the loops; one at least. All requests to an origin go to the same.
    private let inboxes: [Inbox]
    private let limits: TransferLimits
    private let expectations = ResponseExpectations()
    /// What is wrong with the configuration; every request fails with it.
    private let misconfiguration: NetworkError?

    /// Starts a transport. It never fails: where the configuration cannot be used, or the system does not give what is
    /// needed, requests fail.
    public convenience init(configuration: CurlConfiguration = CurlConfiguration()) {
        self.init(settings: LoopSettings(configuration))
    }

    init(settings: LoopSettings) {
        limits = settings.limits
        do throws(NetworkError) {
            try settings.configuration.validate()
            misconfiguration = nil
        } catch {
            misconfiguration = error
        }
        inboxes = (0..<settings.loops).map { _ in Inbox(settings: settings) }
        if misconfiguration == nil { for inbox in inboxes { inbox.start() } }
    }

    deinit { for inbox in inboxes { inbox.close() } }

    /// How many exchanges callers have made themselves.
    var visitCount: Int { inboxes.reduce(0) { $0 + $1.visitCount } }

    private func inbox(for origin: Origin) -> Inbox {
        guard inboxes.count > 1 else { return inboxes[0] }
        // A hash value stays the same for as long as the process lives.
        return inboxes[Int(UInt(bitPattern: origin.hashValue) % UInt(inboxes.count))]
    }

    /// Sends a request and gives the answer, of whatever status.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let transfer = try prepare(request, context: context)
        if case .source(let source) = transfer.upload, let stream = source as? StreamUpload {
            return try await send(transfer, producing: stream)
        }
        await transfer.ended()
        return try result(of: transfer)
    }

    @inline(never)
    private func send(
        _ transfer: Transfer, producing stream: StreamUpload
    ) async throws(NetworkError) -> HTTPResponse {
        let producer = Task {
            await stream.produce { _ = transfer.inbox.post(.resumeUpload(transfer)) }
        }
        await transfer.ended()
        let outcome = transfer.takeOutcome()
        if let download = transfer.download, case .success = outcome {
            // The body may go on while the response comes in.
            download.accompany(producer)
        } else {
            stream.close()
            producer.cancel()
        }
        return try result(of: transfer, outcome)
    }

    /// Closes connections that carry nothing. Those in use are kept.
    public func dropIdleConnections() {
        for inbox in inboxes { _ = inbox.post(.dropIdleConnections) }
    }

    /// Ends every exchange with ``NetworkError/closed``, closes every connection, and returns when that is done.
    /// Requests that come later fail with the same. Calling it again is harmless.
    ///
    /// A transport that nobody holds any more does the same by itself.
    public func shutdown() async {
        for inbox in inboxes { inbox.close() }
        for inbox in inboxes { await inbox.closed() }
    }

    @inline(never)
    private func prepare(
        _ request: HTTPRequest, context: RequestContext
    ) throws(NetworkError) -> Transfer {
        if let misconfiguration {
            throw NetworkError(
                misconfiguration.code, misconfiguration.message, origin: request.origin, phase: .queue)
        }
        try request.validate()
        if request.method == .head, !request.body.isEmpty {
            throw NetworkError(
                .invalidRequest, "HEAD carries no content (RFC 9110 §9.3.2).", origin: request.origin)
        }
        guard !Task.isCancelled else {
            throw NetworkError(
                .cancelled, "The task was cancelled.", origin: request.origin, phase: .queue)
        }
        let now = LoopClock.now
        let callBy = context.deadline.map { LoopClock.instant(of: $0, now: now) } ?? LoopClock.never
        guard callBy > now else {
            throw NetworkError(
                .timeout, "The call's deadline has passed.", origin: request.origin, phase: .call)
        }
        let inbox = inbox(for: request.origin)
        let limit: Int
        var download: Download?
        switch context.response {
        case .collect(let upToBytes): limit = max(0, upToBytes)
        case .stream:
            limit = Int.max
            download = Download(origin: request.origin)
        }
        return Transfer(
            request, upload: try Upload(request.body, origin: request.origin), bodyLimit: limit,
            download: download, observer: context.events == nil ? nil : context,
            timing: TransferTiming(
                submitted: now, limits: limits, callBy: callBy,
                isLimitedByCallAlone: context.isLimitedByDeadlineAlone),
            room: expectations.room(isCrowded: inbox.isCrowded), inbox: inbox)
    }

    // A function of its own: what it needs room for is no part of a call that waits.
    @inline(never)
    private func result(of transfer: Transfer) throws(NetworkError) -> HTTPResponse {
        try result(of: transfer, transfer.takeOutcome())
    }

    private func result(
        of transfer: Transfer, _ outcome: Transfer.Outcome
    ) throws(NetworkError) -> HTTPResponse {
        let received = try outcome.get()
        expectations.learn(from: received)
        var body = received.body
        if let download = transfer.download {
            body = .stream(
                DownloadSequence(
                    DownloadSequence.Reader(transfer, download, inbox: transfer.inbox, transport: self)))
        }
        return HTTPResponse(
            status: received.status, fields: received.fields, body: body,
            exchange: Exchange(origin: transfer.request.origin))
    }
}
