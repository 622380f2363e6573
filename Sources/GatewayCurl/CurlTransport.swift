public import GatewayCore
import Synchronization

/// A transport that uses libcurl: HTTP/1.1, and HTTP/2 by option, over connections that are kept and reused.
///
/// One thread does all I/O, or several with ``CurlConfiguration/loops``. Share one transport in a process. A
/// request is never sent twice, redirects are not followed, and no proxy, netrc file or cookie is taken from
/// the environment.
///
/// Errors are ``NetworkError`` with `origin`, `phase`, `limit`, `attempts` and `mayHaveBeenSent`. Their
/// messages contain the host and port of the server or proxy, and the limit that has passed.
/// - Before any I/O, with 0 attempts: `misconfigured` (see ``CurlConfiguration/validate()``),
///   `invalidRequest`, `bodyNotReplayable`, `bodyFailed` (a file that cannot be read), `closed`,
///   `overloaded` (too many requests wait, no connection became free within `timeouts.queue` or
///   `timeouts.whole`, or no thread or file descriptor is available; later requests succeed when there is
///   one), and `timeout` in the phase `queue` (the deadline of the call).
/// - `cancelled`, and `timeout` with the phase of the exchange and the limit that passed.
/// - `noConnection`, `dnsFailure`, `connectionRefused`, `proxyFailure`, `tlsFailure`, `pinningFailure`,
///   `connectionLost`, `truncated`, `malformedResponse`, `responseTooLarge`, `bodyFailed`.
public final class CurlTransport: Transport {
    /// The inboxes of the loops, at least one. All requests to an origin go to the same inbox.
    private let inboxes: [Inbox]
    private let limits: TransferLimits
    private let clock: LoopClock
    /// The expected number of fields of the next response, and of bytes of its content.
    let expectedFields = Atomic<Int>(12)
    let expectedBytes = Atomic<Int>(256)
    /// Whether the configuration has a client certificate.
    public let showsClientCertificate: Bool
    /// The error of an invalid configuration; every request fails with it.
    private let misconfiguration: NetworkError?

    /// Starts a transport. This never fails: requests fail if the configuration is invalid or the system lacks
    /// resources.
    public init(configuration: CurlConfiguration = CurlConfiguration()) {
        let settings = LoopSettings(configuration)
        limits = settings.limits
        clock = settings.clock
        showsClientCertificate = configuration.clientCertificate != nil
        do throws(NetworkError) {
            try configuration.validate()
            misconfiguration = nil
        } catch {
            misconfiguration = error
        }
        inboxes = (0..<settings.loops).map { loop in
            Inbox(settings: LoopSettings(configuration, loop: loop, clock: settings.clock))
        }
        if misconfiguration == nil { for inbox in inboxes { inbox.start() } }
    }

    deinit { for inbox in inboxes { inbox.close() } }

    /// Whether a loop has commands that it has not taken, for tests.
    var isCalled: Bool { inboxes.contains(where: \.isCalled) }

    private func inbox(for origin: Origin) -> Inbox {
        guard inboxes.count > 1 else { return inboxes[0] }
        // A hash value does not change during the life of the process.
        return inboxes[Int(UInt(bitPattern: origin.hashValue) % UInt(inboxes.count))]
    }

    /// Sends a request and returns its response, of any status.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let permit: ConnectionPermit
        if let free = try slotNow(for: request) {
            permit = free
        } else {
            permit = try await slotLater(for: request, context)
        }
        do {
            let response = try await exchange(request, context, queued: permit.waited)
            permit.leave()
            return response
        } catch {
            permit.leave()
            throw error
        }
    }

    /// A slot, if one is free.
    @inline(never)
    fileprivate func slotNow(for request: HTTPRequest) throws(NetworkError) -> ConnectionPermit? {
        let origin = request.origin
        return try inbox(for: origin).slots.enterNow(origin)
    }

    /// Waits for a slot, unless the request must not be sent. Inlined, because each async frame adds to the
    /// memory of a waiting request.
    @inline(__always)
    fileprivate func slot(
        for request: HTTPRequest, _ context: RequestContext
    ) async throws(NetworkError) -> ConnectionPermit {
        let waiter = try waiter(for: request, context)
        let inbox = inbox(for: request.origin)
        return try await inbox.slots.enter(waiter, request, context: context, inbox: inbox)
    }

    /// Out of line, to keep the async frame of requests that do not wait small.
    @inline(never)
    private func slotLater(
        for request: HTTPRequest, _ context: RequestContext
    ) async throws(NetworkError) -> ConnectionPermit { try await slot(for: request, context) }

    @inline(never)
    private func waiter(
        for request: HTTPRequest, _ context: RequestContext
    ) throws(NetworkError) -> SlotWaiter { SlotWaiter(try check(request, context), context) }

    /// Makes the exchange of a request that has a slot.
    ///
    /// - Parameter queued: how long it has waited for the slot, in nanoseconds.
    @inline(__always)
    fileprivate func exchange(
        _ request: HTTPRequest, _ context: RequestContext, queued: Int64
    ) async throws(NetworkError) -> HTTPResponse {
        let transfer = try prepare(request, context, queued: queued)
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
            // The request body may still be sent while the response is received.
            download.accompany(producer)
        } else {
            stream.close()
            producer.cancel()
        }
        return try result(of: transfer, outcome)
    }

    /// Closes idle connections, and discards cached addresses. Connections in use are kept, unless their
    /// local address no longer exists on this machine: their exchanges fail with `connectionLost`, or
    /// `noConnection` if nothing was sent.
    public func dropIdleConnections() {
        for inbox in inboxes { _ = inbox.post(.dropIdleConnections) }
    }

    /// The current connections and waiting requests.
    public func statistics() async -> TransportStatistics {
        var statistics = TransportStatistics()
        for inbox in inboxes {
            let part = await inbox.ask { $0.statistics }
            // All requests to an origin go to the same loop.
            statistics.origins.merge(part?.origins ?? [:]) { $1 }
        }
        return statistics
    }

    /// The stages of the exchanges, for tests.
    func stages() async -> [TransferTiming.Stage] {
        var stages: [TransferTiming.Stage] = []
        for inbox in inboxes { stages += await inbox.ask { $0.stages } ?? [] }
        return stages
    }

    /// Ends every exchange with ``NetworkError/closed``, closes all connections, and returns when that is
    /// done. Later requests fail with the same code. Further calls have no effect.
    ///
    /// A transport shuts down automatically when its last reference is released.
    public func shutdown() async {
        for inbox in inboxes { inbox.close() }
        for inbox in inboxes { await inbox.closed() }
    }

    /// Rejects requests that must not be sent, before they wait.
    private func check(
        _ request: HTTPRequest, _ context: RequestContext, queued: Int64 = 0
    ) throws(NetworkError) -> TransferTiming {
        if let misconfiguration {
            throw NetworkError(
                misconfiguration.code, misconfiguration.message, origin: request.origin, phase: .queue)
        }
        try request.validate()
        if request.method == .head, !request.body.isEmpty {
            throw NetworkError(
                .invalidRequest, "A HEAD request must not have a body (RFC 9110 §9.3.2): use another method.",
                origin: request.origin)
        }
        guard !Task.isCancelled else {
            throw NetworkError(
                .cancelled, "The task was cancelled before the request was sent.", origin: request.origin,
                phase: .queue)
        }
        let now = clock.now
        let timing = TransferTiming(context, limits, at: now, queued: queued)
        guard timing.callBy > now else {
            let limit = context.deadline?.limit.map { " of \($0.text)" } ?? ""
            throw NetworkError(
                .timeout,
                "The call's deadline\(limit) passed before the request to \(request.origin.hostAndPort) was sent.",
                origin: request.origin, phase: .queue, limit: .call)
        }
        return timing
    }

    @inline(never)
    private func prepare(
        _ request: HTTPRequest, _ context: RequestContext, queued: Int64
    ) throws(NetworkError) -> Transfer {
        let timing = try check(request, context, queued: queued)
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
            download: download, context: context, timing: timing,
            // Not while many requests wait, because their memory would add up.
            room: inbox.isCrowded ? (fields: HTTPFields(), body: []) : expectedRoom, inbox: inbox)
    }

    // Out of line, to keep the async frame small.
    @inline(never)
    private func result(of transfer: Transfer) throws(NetworkError) -> HTTPResponse {
        return try result(of: transfer, transfer.takeOutcome())
    }

    private func result(
        of transfer: Transfer, _ outcome: consuming Transfer.Outcome
    ) throws(NetworkError) -> HTTPResponse {
        var received = try outcome.get()
        learn(from: received)
        // Moved instead of copied, to avoid reference counting.
        var (fields, body) = (HTTPFields(), [UInt8]())
        swap(&fields, &received.fields)
        swap(&body, &received.body)
        var response = HTTPResponse(
            status: received.status, fields: fields, body: .bytes(body),
            exchange: Exchange(origin: transfer.request.origin))
        switch received.rest {
        case .none: break
        case .failed(let error): response.body = .stream(FailedContent(error: error))
        case .streamed:
            guard let download = transfer.download else { break }
            response.body = .stream(
                DownloadSequence(
                    DownloadSequence.Reader(transfer, download, inbox: transfer.inbox, transport: self)))
        }
        if let connection = received.connection { response.exchange.connection = connection }
        if let timings = received.headTimings { response.exchange.headTimings = timings }
        return response
    }
}

extension CurlTransport {
    /// The connection slots of the transport, which all engines above it share.
    public var slots: TransportSlots? {
        let exchanges = Exchanges(transport: self)
        return TransportSlots(admission: exchanges, transport: exchanges)
    }

    /// The slots, and the exchanges of requests that have one.
    private struct Exchanges: AdmissionControl, Transport {
        let transport: CurlTransport

        func enterNow(
            _ request: HTTPRequest, context: RequestContext
        ) throws(NetworkError) -> (any AdmissionPermit)? {
            try transport.slotNow(for: request)
        }

        func enter(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> any AdmissionPermit {
            try await transport.slot(for: request, context)
        }

        @inline(__always)
        func send(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            let wait = request.connectionWait
            return try await transport.exchange(
                request, context, queued: wait > .zero ? LoopClock.nanoseconds(wait) : 0)
        }

        func dropIdleConnections() { transport.dropIdleConnections() }
        func shutdown() async { await transport.shutdown() }
        func statistics() async -> TransportStatistics { await transport.statistics() }
    }
}
