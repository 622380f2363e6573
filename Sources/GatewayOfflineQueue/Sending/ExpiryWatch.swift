import GatewayCore

/// Cancels an attempt whose entry expires while the attempt waits for a token, a rate limit or a permit.
///
/// An attempt that has been sent is not cancelled: its result is known only when it ends.
final class ExpiryWatch: RequestEventSink {
    private typealias Outcome = Result<HTTPResponse, NetworkError>

    /// The events of calls, which include the ends of waits.
    let interests = EventInterests.calls
    private let expires: QueueTime
    private let clock: any GatewayClock
    private let call = Locked<Task<Outcome, Never>?>(nil)

    /// - Parameters:
    ///   - expires: when the entry expires.
    ///   - clock: the wall clock.
    init(_ expires: QueueTime, clock: any GatewayClock) {
        self.expires = expires
        self.clock = clock
    }

    /// Sends a request in a separate task, so that its cancellation affects no other call.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - context: its context, without a sink.
    ///   - engine: the engine. Its sink receives the events too.
    func send(
        _ request: HTTPRequest, _ context: RequestContext, by engine: any RequestEngine
    ) async throws(NetworkError) -> HTTPResponse {
        let context = observed(context)
        let (isKnown, known) = AsyncStream<Void>.makeStream()
        let task = Task.detached { () -> Outcome in
            // Not before it can be cancelled.
            for await _ in isKnown {}
            do throws(NetworkError) {
                return .success(try await engine.send(request, context: context))
            } catch { return .failure(error) }
        }
        call.withLock { $0 = task }
        known.finish()
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try outcome.get()
    }

    private func observed(_ context: RequestContext) -> RequestContext {
        var context = context
        // The sink of the engine receives the events too.
        context.events = self
        return context
    }

    /// Called at the end of a wait: an expired request is not sent.
    func record(_ event: borrowing RequestEvent) {
        switch event.kind {
        case .credentialWaited, .rateGateWaited, .admissionWaited:
            guard expires <= QueueTime(clock) else { return }
            call.withLock { $0 }?.cancel()
        default: break
        }
    }
}
