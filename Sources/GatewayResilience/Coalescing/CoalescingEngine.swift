public import GatewayCore

/// Coalesces equal calls that are in progress at the same time: they share one flight and its response.
///
/// The first call leads and makes the request; the others follow and wait. Each keeps its own deadline and
/// cancellation. When the leader is cancelled or its deadline passes, a follower takes over and makes the
/// call again; without followers the flight ends. A leader whose deadline leaves no time for the next retry
/// hands over to a follower with more time, which waits for the retry delay and makes the next attempt. A
/// caller never receives another caller's cancellation. A follower of a higher priority raises the priority
/// of the leader's attempts, see ``GatewayCore/RequestContext/priority``.
///
/// A call that begins after an unsafe call to the same URI has ended does not join a flight that began
/// before, whose response may precede the change.
public final class CoalescingEngine<Below: RequestEngine>: RequestEngine {
    private typealias Answer = Result<HTTPResponse, NetworkError>
    private typealias Board = FlightBoard<Handover>

    /// What a follower receives.
    private enum Handover {
        case answer(Answer)
        /// It leads from now on.
        case lead(after: Unfinished?)
    }

    /// The outcome of a leader without time for its next attempt, and when that attempt is due.
    private struct Unfinished {
        let answer: Answer
        let due: ContinuousClock.Instant

        var attempts: Int {
            switch answer {
            case .success(let response): response.exchange.attempts
            case .failure(let error): error.attempts
            }
        }

        var status: Int? { try? answer.get().status }

        var error: NetworkError? {
            if case .failure(let error) = answer { error } else { nil }
        }

        var mayHaveBeenSent: Bool { error?.mayHaveBeenSent ?? true }
    }

    private let below: Below
    /// `nil` disables coalescing.
    private let ignoredFields: [HTTPField.Name]?
    /// The retry budgets of the layers below.
    private let budgets: OriginRetryBudgets?
    /// The admission control of the layers below; it is notified of raised priorities.
    private let admission: (any AdmissionControl)?
    private let instrument: (any AttemptInstrument)?
    /// The services of the engine below, with the clock of this layer.
    public var services: EngineServices { below.services.with(clock: clock) }
    /// The clock of deadlines and delays.
    public let clock: any GatewayClock
    private let board = Locked(Board())

    /// Makes a layer above an engine.
    ///
    /// - Parameters:
    ///   - below: the engine that makes the calls.
    ///   - ignored: the names of fields in which equal calls may differ, in addition to trace fields.
    ///   - clock: the clock of deadlines and delays; `nil` for that of the engine below.
    public convenience init(
        below: Below, ignoring ignored: [HTTPField.Name] = [], clock: (any GatewayClock)? = nil
    ) {
        self.init(below: below, ignoring: ignored, budgets: nil, admission: nil, clock: clock)
    }

    /// Creates a layer whose handovers use the retry budgets of the layers below, and which reports raised priorities
    /// to their admission control.
    ///
    /// - Parameter ignored: `nil` disables coalescing.
    init(
        below: Below, ignoring ignored: [HTTPField.Name]?, budgets: OriginRetryBudgets?,
        admission: (any AdmissionControl)?, instrument: (any AttemptInstrument)? = nil,
        clock: (any GatewayClock)?
    ) {
        self.below = below
        self.budgets = budgets
        self.admission = admission
        self.instrument = instrument
        ignoredFields = ignored
        self.clock = clock ?? below.services.clock
    }

    /// The number of flights in progress.
    public var flightCount: Int { board.withLock { $0.flightCount } }

    /// The number of calls that wait for the response of another one.
    public var followerCount: Int { board.withLock { $0.followerCount } }

    /// Joins a flight of the same ``RequestIdentity``, begins one, or passes on a call that cannot be
    /// coalesced.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let departure = depart(request, context)
        if let departure, departure.flight == nil {
            return try await join(departure.identity, request, context)
        }
        do {
            let response = try await below.send(request, context: context)
            if let departure {
                if let flight = departure.flight { succeed(flight, departure.identity, response) }
            } else {
                closeFlights(after: request)
            }
            return response
        } catch {
            if let departure {
                if let flight = departure.flight { fail(flight, departure.identity, context, error) }
            } else {
                closeFlights(after: request)
            }
            throw error
        }
    }

    /// Closes the flights whose responses an unsafe call may have changed, even if it failed: the server may
    /// have received it.
    @inline(never)
    private func closeFlights(after request: HTTPRequest) {
        guard !request.method.isSafe else { return }
        board.withLock { $0.close(request.origin, request.target) }
    }

    /// Begins a flight.
    ///
    /// - Returns: `nil` for a call that cannot be coalesced; no flight if there is one to join.
    @inline(never)
    private func depart(
        _ request: HTTPRequest, _ context: RequestContext
    ) -> (identity: RequestIdentity, flight: Board.FlightID?)? {
        guard let ignoredFields,
            let identity = RequestIdentity(request, context: context, ignoring: ignoredFields)
        else { return nil }
        return (identity, board.withLock { $0.depart(identity, context) })
    }

    // MARK: Following

    /// Out of line, to keep the async frame of leading calls small.
    @inline(never)
    private func join(
        _ identity: RequestIdentity, _ request: HTTPRequest, _ context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        switch board.withLock({ $0.follow(identity, context, clock: clock) }) {
        case .lead(let flight): return try await lead(flight, identity, request, context, after: nil)
        case .wait(let flight, let followers, let follower, let leader, let isRaised):
            if isRaised { admission?.priorityRaised(leader) }
            context.record(.deduplicated(leader: leader.callID), for: request)
            // The leader may be a first attempt and must not wait for the replay.
            context.replay?.pass()
            switch await followers.outcome(of: follower) {
            case .value(.answer(let answer)):
                if instrument != nil { noteSpan(of: answer, context) }
                var response = try answer.get()
                response.exchange.source = .coalesced
                return response
            case .value(.lead(let unfinished)):
                let minimumGeneration = board.withLock { $0.lead(flight, identity, context) }
                var context = context
                context.minimumGeneration = max(context.minimumGeneration, minimumGeneration)
                return try await lead(flight, identity, request, context, after: unfinished)
            case .cancelled:
                throw NetworkError(
                    .cancelled, "The task was cancelled while the call waited for an equal call in progress.",
                    origin: request.origin)
            case .expired:
                let limit = context.deadline?.limit.map { " of \($0.text)" } ?? ""
                throw NetworkError(
                    .timeout,
                    "The call's deadline\(limit) passed while it waited for an equal call in progress.",
                    origin: request.origin, phase: .call, mayHaveBeenSent: true)
            }
        }
    }

    /// Tells the instrument whose exchange a follower's outcome comes from.
    private func noteSpan(of answer: Answer, _ context: RequestContext) {
        let span: ExchangeSpan? =
            switch answer {
            case .success(let response): response.exchange.span
            case .failure(let error): error.span
            }
        if let span { instrument?.didJoin(span.position, context: context) }
    }

    // MARK: Leading

    private func lead(
        _ flight: Board.FlightID, _ identity: RequestIdentity, _ request: HTTPRequest,
        _ context: RequestContext, after unfinished: Unfinished?
    ) async throws(NetworkError) -> HTTPResponse {
        if let unfinished {
            do { try await context.sleep(until: unfinished.due, on: clock) } catch {
                handOver(flight, identity, unfinished)
                throw context.endOfWait(
                    "waited for its next attempt", at: request.origin, attempts: unfinished.attempts,
                    mayHaveBeenSent: unfinished.mayHaveBeenSent)
            }
            // The leader did not make this retry and took no token for it.
            guard
                !OriginRetryBudgets.takesToken(after: unfinished.error, context)
                    || budgets?.takeRetry(request, context, clock: clock) ?? true
            else {
                context.record(
                    .notRetried(.budget, status: unfinished.status, error: unfinished.error?.code),
                    for: request)
                end(flight, identity, unfinished.answer)
                return try unfinished.answer.get()
            }
        }
        let made = unfinished?.attempts ?? 0
        var context = context
        if made > 0 {
            context.attempt = AttemptInfo(
                number: context.attempt.number.addingClamped(made), reason: .retry)
        }
        do {
            var response = try await below.send(request, context: context)
            response.exchange.attempts = made.addingClamped(response.exchange.attempts)
            succeed(flight, identity, response)
            return response
        } catch {
            if let unfinished, made > 0, error.attempts == 0, !error.mayHaveBeenSent,
                let answer = leave(flight, identity, unfinished, context, error)
            {
                return try answer.get()
            }
            let error = error.with(
                attempts: made.addingClamped(error.attempts),
                mayHaveBeenSent: unfinished?.mayHaveBeenSent ?? false)
            fail(flight, identity, context, error)
            throw error
        }
    }

    /// Ends the call of a leader whose first attempt was not sent. Earlier leaders have made others.
    ///
    /// - Returns: its result, usually that of the last attempt; `nil` if the flight ends with the error, too.
    @inline(never)
    private func leave(
        _ flight: Board.FlightID, _ identity: RequestIdentity, _ unfinished: Unfinished,
        _ context: RequestContext, _ error: NetworkError
    ) -> Answer? {
        guard !isOwnEnd(error, context) else {
            handOver(flight, identity, unfinished)
            guard Answer.failure(error).isOfMadeAttempt else { return unfinished.answer }
            return .failure(
                error.with(attempts: unfinished.attempts, mayHaveBeenSent: unfinished.mayHaveBeenSent))
        }
        guard !Answer.failure(error).isOfMadeAttempt else { return nil }
        end(flight, identity, unfinished.answer)
        return unfinished.answer
    }

    @inline(never)
    private func succeed(_ flight: Board.FlightID, _ identity: RequestIdentity, _ response: HTTPResponse) {
        let answer = Answer.success(response)
        if let delay = response.exchange.unmetDelay {
            let due = clock.now.adding(delay)
            handOver(flight, identity, Unfinished(answer: answer, due: due))
        } else {
            end(flight, identity, answer)
        }
    }

    @inline(never)
    private func fail(
        _ flight: Board.FlightID, _ identity: RequestIdentity, _ context: RequestContext,
        _ error: NetworkError
    ) {
        if let delay = error.unmetDelay {
            let due = clock.now.adding(delay)
            handOver(flight, identity, Unfinished(answer: .failure(error), due: due))
        } else if isOwnEnd(error, context) {
            if let retry = error.interrupted {
                handOver(flight, identity, Unfinished(answer: retry.result, due: retry.due))
            } else {
                resign(flight, identity)
            }
        } else {
            end(flight, identity, .failure(error))
        }
    }

    /// Whether an error concerns only the leader: its cancellation or its deadline.
    private func isOwnEnd(_ error: NetworkError, _ context: RequestContext) -> Bool {
        if Task.isCancelled { return true }
        // Its turn in a rate gate would have come after its deadline.
        if error.code == .rateLimited, error.limit == .call { return true }
        guard error.code == .timeout, let deadline = context.deadline else { return false }
        // A transport measures the deadline on its own clock and may be slightly early.
        return error.limit == .call || error.phase == .call || deadline.hasPassed(at: clock.time)
    }

    @inline(never)
    private func end(_ flight: Board.FlightID, _ identity: RequestIdentity, _ answer: Answer) {
        board.withLock { $0.end(flight, identity) }?.land(.answer(answer))
    }

    /// Ends the flight of a leader without time for its next attempt. Followers without time for it receive
    /// the outcome; one of the others takes over.
    private func handOver(
        _ flight: Board.FlightID, _ identity: RequestIdentity, _ unfinished: Unfinished
    ) {
        board.withLock { $0.endUnlessFollowed(flight, identity) }?
            .tell(.answer(unfinished.answer), dueBy: unfinished.due)
        resign(flight, identity, after: unfinished)
    }

    /// Ends the leader's part without an outcome for the followers: one of them takes over. Without
    /// followers the flight ends.
    private func resign(
        _ flight: Board.FlightID, _ identity: RequestIdentity, after unfinished: Unfinished? = nil
    ) {
        // Between the check and the handover, all followers may leave, and others may join.
        while let followers = board.withLock({ $0.endUnlessFollowed(flight, identity) }) {
            if followers.appoint(.lead(after: unfinished)) { return }
        }
    }
}
