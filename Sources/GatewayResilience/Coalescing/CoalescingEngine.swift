public import GatewayCore

/// Coalesces equal calls that are in progress at the same time: they share one flight and its response.
///
/// The first of them leads and makes the call; the others follow and wait. Each keeps its own deadline and cancellation.
/// When the leader is cancelled or its deadline passes, a follower takes over and makes the call again; when no follower
/// is left, the flight ends. A leader whose deadline leaves no time for the retry that its policy asks for hands over to
/// a follower with more time, which waits for the retry delay and makes the next attempt. A caller never receives another
/// caller's cancellation.
public final class CoalescingEngine<Below: RequestEngine>: RequestEngine {
    private typealias Answer = Result<HTTPResponse, NetworkError>
    private typealias Board = FlightBoard<CheckedContinuation<Handover, Never>>

    /// The value that a follower is resumed with.
    private enum Handover {
        case answer(Answer)
        case lead(Board.FlightID, minimumGeneration: UInt64, after: Unfinished?)
        /// The follower's task was cancelled.
        case cancelled
        /// The follower's deadline passed.
        case expired
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

        var mayHaveBeenSent: Bool {
            switch answer {
            case .success: true
            case .failure(let error): error.mayHaveBeenSent
            }
        }
    }

    private struct State {
        var board = Board()
        /// The alarms of flights, by flight.
        var alarms: [Board.FlightID: Task<Void, Never>] = [:]
    }

    private let below: Below
    private let ignoredFields: [HTTPField.Name]
    /// The clock that deadlines and delays are measured on.
    public let clock: any GatewayClock
    private let state = Locked(State())

    /// Makes a layer above an engine.
    ///
    /// - Parameters:
    ///   - below: the engine that makes the calls.
    ///   - ignored: the names of fields that equal calls may differ in, besides those of traces.
    ///   - clock: the clock that deadlines and delays are measured on.
    public init(
        below: Below, ignoring ignored: [HTTPField.Name] = [], clock: any GatewayClock = SystemClock()
    ) {
        self.below = below
        ignoredFields = ignored
        self.clock = clock
    }

    /// The number of flights in progress.
    public var flightCount: Int { state.withLock { $0.board.flightCount } }

    /// The number of calls that wait for another one.
    public var followerCount: Int { state.withLock { $0.board.followerCount } }

    /// Joins a flight of the same ``RequestIdentity``, begins one, or passes on a call that cannot be shared.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let identity = RequestIdentity(request, context: context, ignoring: ignoredFields)
        let flight = identity.flatMap { depart($0, context) }
        if let identity, flight == nil { return try await join(identity, request, context) }
        do {
            let response = try await below.send(request, context: context)
            if let identity, let flight { succeed(flight, identity, response) }
            return response
        } catch {
            if let identity, let flight { fail(flight, identity, context, error) }
            throw error
        }
    }

    private func depart(_ identity: RequestIdentity, _ context: RequestContext) -> Board.FlightID? {
        state.withLock { state in
            state.board.depart(
                identity, minimumGeneration: context.minimumGeneration, deadline: context.deadline)
        }
    }

    /// Out of line, to keep the async frame of calls that lead small.
    @inline(never)
    private func join(
        _ identity: RequestIdentity, _ request: HTTPRequest, _ context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        switch await follow(identity, request, context) {
        case .answer(let answer):
            var response = try answer.get()
            response.exchange.source = .coalesced
            return response
        case .lead(let flight, let minimumGeneration, let unfinished):
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
                .timeout, "The call's deadline\(limit) passed while it waited for an equal call in progress.",
                origin: request.origin, phase: .call, mayHaveBeenSent: true)
        }
    }

    // MARK: Leading

    private func lead(
        _ flight: Board.FlightID, _ identity: RequestIdentity, _ request: HTTPRequest,
        _ context: RequestContext, after unfinished: Unfinished?
    ) async throws(NetworkError) -> HTTPResponse {
        if let unfinished {
            do { try await clock.sleep(until: unfinished.due) } catch {
                handOver(flight, identity, unfinished)
                throw NetworkError(
                    .cancelled, "The task was cancelled while the call waited for its next attempt.",
                    origin: request.origin, attempts: unfinished.attempts,
                    mayHaveBeenSent: unfinished.mayHaveBeenSent)
            }
        }
        let made = unfinished?.attempts ?? 0
        var context = context
        if unfinished != nil {
            context.attempt = AttemptInfo(
                number: context.attempt.number.addingClamped(made), reason: .retry)
        }
        do {
            var response = try await below.send(request, context: context)
            response.exchange.attempts = made.addingClamped(response.exchange.attempts)
            succeed(flight, identity, response)
            return response
        } catch {
            let error = error.with(
                attempts: made.addingClamped(error.attempts),
                mayHaveBeenSent: unfinished?.mayHaveBeenSent ?? false)
            fail(flight, identity, context, error)
            throw error
        }
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
            resign(flight, identity)
        } else {
            end(flight, identity, .failure(error))
        }
    }

    /// Whether an error concerns only the leader: its cancellation or its deadline.
    private func isOwnEnd(_ error: NetworkError, _ context: RequestContext) -> Bool {
        if Task.isCancelled { return true }
        return error.code == .timeout && context.deadline?.hasPassed(at: clock.now) == true
    }

    @inline(never)
    private func end(_ flight: Board.FlightID, _ identity: RequestIdentity, _ answer: Answer) {
        let (followers, alarm) = state.withLock { state in
            (
                state.board.end(identity, flight: flight),
                state.alarms.isEmpty ? nil : state.alarms.removeValue(forKey: flight)
            )
        }
        alarm?.cancel()
        for follower in followers { resume(follower, .answer(answer)) }
    }

    /// Ends the flight of a leader without time for its next attempt. Followers without time for it either get the
    /// outcome; one of the others takes over.
    private func handOver(
        _ flight: Board.FlightID, _ identity: RequestIdentity, _ unfinished: Unfinished
    ) {
        let followers = state.withLock { state in
            state.board.leave(identity, flight: flight, dueBy: unfinished.due)
        }
        for follower in followers { resume(follower, .answer(unfinished.answer)) }
        resign(flight, identity, after: unfinished)
    }

    private func resign(
        _ flight: Board.FlightID, _ identity: RequestIdentity, after unfinished: Unfinished? = nil
    ) {
        let (succession, alarm) = state.withLock { state in
            let succession = state.board.resign(identity, flight: flight)
            return (succession, succession == nil ? state.alarms.removeValue(forKey: flight) : nil)
        }
        alarm?.cancel()
        guard let succession else { return }
        if let alarm = succession.alarm { setAlarm(at: alarm, identity, flight) }
        resume(
            succession.waiter,
            .lead(flight, minimumGeneration: succession.minimumGeneration, after: unfinished))
    }

    // MARK: Following

    private func follow(
        _ identity: RequestIdentity, _ request: HTTPRequest, _ context: RequestContext
    ) async -> Handover {
        let place = Place()
        defer { ThreadSanitizer.acquired(self) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                board(continuation, at: place, identity, request, context)
            }
        } onCancel: {
            let waiter = state.withLock { state in
                place.seat.withLock { $0 }.flatMap { state.board.leave($0) }
            }
            if let waiter { resume(waiter, .cancelled) }
        }
    }

    /// A continuation that is resumed before its task has suspended hands over unseen by the sanitizer.
    private func resume(_ waiter: CheckedContinuation<Handover, Never>, _ handover: Handover) {
        ThreadSanitizer.released(self)
        waiter.resume(returning: handover)
    }

    /// The seat of a follower, for its cancellation handler.
    private final class Place: Sendable {
        let seat = Locked<Board.Seat?>(nil)
    }

    private func board(
        _ waiter: CheckedContinuation<Handover, Never>, at place: Place, _ identity: RequestIdentity,
        _ request: HTTPRequest, _ context: RequestContext
    ) {
        let action = state.withLock { state -> Board.FollowAction? in
            // A cancellation before this lock found no seat; a later one finds it.
            if Task.isCancelled { return nil }
            let action = state.board.follow(
                identity, minimumGeneration: context.minimumGeneration, deadline: context.deadline,
                waiter: waiter)
            if case .wait(let seat, _) = action { place.seat.withLock { $0 = seat } }
            return action
        }
        switch action {
        case nil: resume(waiter, .cancelled)
        case .lead(let flight): resume(waiter, .lead(flight, minimumGeneration: 0, after: nil))
        case .wait(let seat, let alarm):
            context.record(.deduplicated, for: request)
            if let alarm { setAlarm(at: alarm, identity, seat.flight) }
        }
    }

    // MARK: Deadlines of followers

    private func setAlarm(
        at instant: ContinuousClock.Instant, _ identity: RequestIdentity, _ flight: Board.FlightID
    ) {
        let task = Task {
            do { try await clock.sleep(until: instant) } catch { return }
            let now = clock.now
            let (waiters, next) = state.withLock { state in
                state.board.expire(identity, flight: flight, now: now)
            }
            for waiter in waiters { resume(waiter, .expired) }
            if let next { setAlarm(at: next, identity, flight) }
        }
        let unwanted = state.withLock { state -> Task<Void, Never>? in
            // The alarm may already have fired, and another one may be set.
            guard state.board.alarm(of: identity, flight: flight) == instant else { return task }
            return state.alarms.updateValue(task, forKey: flight)
        }
        unwanted?.cancel()
    }
}
