extension RequestContext {
    /// Whether the engine that the call entered makes no more attempts.
    package var isEngineOver: Bool { reentry?.isOver ?? false }

    /// Waits until the wait itself returns, which `end` must bring about.
    ///
    /// - Parameter end: called when the task is cancelled, and when the engine is shut down; both may happen.
    package func waiting<Value: Sendable>(
        _ wait: () async -> Value, end: @escaping @Sendable () -> Void
    ) async -> Value {
        let id = reentry?.add(end)
        defer { if let id { reentry?.remove(id) } }
        return await withTaskCancellationHandler(operation: wait, onCancel: end)
    }

    /// Waits in a separate task, which is cancelled when the engine is shut down: for waits that only a cancellation
    /// ends.
    ///
    /// - Parameter purpose: what the call waits for, for the message: "waited for …".
    package func waiting<Value: Sendable>(
        _ purpose: StaticString, at origin: Origin,
        _ wait: @escaping @Sendable () async throws(NetworkError) -> Value
    ) async throws(NetworkError) -> Value {
        guard reentry != nil else { return try await wait() }
        let task = Task { () async -> Result<Value, NetworkError> in
            do throws(NetworkError) { return .success(try await wait()) } catch { return .failure(error) }
        }
        switch await waiting({ await task.value }, end: { task.cancel() }) {
        case .success(let value): return value
        case .failure(let error):
            guard error.code == .cancelled, isEngineOver, !Task.isCancelled else { throw error }
            throw endOfWait(purpose, at: origin, phase: error.phase)
        }
    }

    /// Waits for a credential, and records how long if it was not ready, also if the wait fails.
    package func waitUntilReady(
        _ credentials: any CredentialSource, atLeast generation: UInt64, for request: HTTPRequest
    ) async throws(NetworkError) {
        guard isObserved(as: .calls), !credentials.isReady(atLeast: generation) else {
            return try await wait(for: credentials, atLeast: generation, request)
        }
        let (start, wait) = (clock.time, CredentialWait())
        let result = await CredentialWait.$current.withValue(wait) { () async -> Result<Void, NetworkError> in
            do throws(NetworkError) {
                return .success(try await self.wait(for: credentials, atLeast: generation, request))
            } catch { return .failure(error) }
        }
        record(wait, since: start, for: request)
        try result.get()
    }

    private func wait(
        for credentials: any CredentialSource, atLeast generation: UInt64, _ request: HTTPRequest
    ) async throws(NetworkError) {
        try await waiting("waited for a token", at: request.origin) {
            [self] () async throws(NetworkError) in
            try await credentials.ready(atLeast: generation, for: self)
        }
    }

    // Events are large: out of line, they are no part of the async frame.
    @inline(never)
    private func record(
        _ wait: CredentialWait, since start: MonotonicTime, for request: HTTPRequest
    ) {
        guard let events, !wait.isRefused else { return }
        let now = clock.time
        events.record(
            RequestEvent(
                .credentialWaited(start.duration(to: now)), at: now, self, request,
                exchange: wait.span.map(ExchangeSpan.init)))
    }

    /// Waits until an instant.
    ///
    /// - Throws: `CancellationError` if the task is cancelled or the engine is shut down.
    package func sleep(
        until instant: ContinuousClock.Instant, on clock: any GatewayClock
    ) async throws(CancellationError) {
        guard reentry != nil else { return try await clock.sleep(until: instant) }
        let task = Task { () async -> Bool in
            do { try await clock.sleep(until: instant) } catch { return false }
            return true
        }
        guard await waiting({ await task.value }, end: { task.cancel() }) else { throw CancellationError() }
    }

    /// The error of a call whose wait was ended: ``NetworkError/closed`` if the engine was shut down, otherwise
    /// ``NetworkError/cancelled``.
    ///
    /// - Parameter purpose: what the call did, such as "waited for a token".
    package func endOfWait(
        _ purpose: StaticString, at origin: Origin?, phase: NetworkError.Phase? = nil, attempts: Int = 0,
        mayHaveBeenSent: Bool = false
    ) -> NetworkError {
        let isClosed = isEngineOver && !Task.isCancelled
        return NetworkError(
            isClosed ? .closed : .cancelled,
            "The \(isClosed ? "engine was shut down" : "task was cancelled") while the call \(purpose).",
            origin: origin, phase: phase, attempts: attempts, mayHaveBeenSent: mayHaveBeenSent)
    }
}
