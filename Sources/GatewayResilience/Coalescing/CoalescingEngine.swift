public import GatewayCore

/// Lets equal calls that are under way at the same time share one flight, and so one answer.
///
/// The first of them makes the call; the others follow it. Each keeps its own deadline and its own cancellation: when
/// the leader is cancelled or its deadline passes, a follower takes over and makes the call again, and when none is
/// left the call is over. A leader whose deadline leaves no time for a retry that its policy asks for hands over to a
/// follower with more time, which waits as the policy says and goes on. No caller gets another caller's cancellation.
public final class CoalescingEngine<Below: RequestEngine>: RequestEngine {
    private typealias Answer = Result<HTTPResponse, NetworkError>
    private typealias Board = FlightBoard<CheckedContinuation<Handover, Never>>

    /// What a follower is resumed with.
    private enum Handover {
        case answer(Answer)
        case lead(Board.FlightID, minimumGeneration: UInt64, after: Unfinished?)
    }

    /// The outcome of a leader that had no time for its next attempt, and when that attempt is due.
    private struct Unfinished {
        let answer: Answer
        let due: ContinuousClock.Instant
    }

    private struct State {
        var board = Board()
        /// The alarms of flights, by flight.
        var alarms: [Board.FlightID: Task<Void, Never>] = [:]
    }

    private let below: Below
    /// What time is counted on.
    public let clock: any GatewayClock
    private let state = Locked(State())

    /// Puts coalescing over an engine.
    public init(below: Below, clock: any GatewayClock = SystemClock()) {
        self.below = below
        self.clock = clock
    }

    /// How many flights are under way.
    public var flightCount: Int { state.withLock { $0.board.flightCount } }

    /// How many calls follow another.
    public var followerCount: Int { state.withLock { $0.board.followerCount } }

    /// Joins a flight of the same ``RequestIdentity``, begins one, or hands on what cannot be shared.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let identity = RequestIdentity(request, context: context)
        let flight = identity.flatMap { depart($0, context) }
        if let identity, flight == nil { return try await join(identity, request, context) }
        do {
            let response = try await below.send(request, context: context)
            if let identity, let flight { succeed(flight, identity, response) }
            return response
        } catch {
            if let identity, let flight { fail(flight, identity, request.origin, context, error) }
            throw error
        }
    }

    private func depart(_ identity: RequestIdentity, _ context: RequestContext) -> Board.FlightID? {
        state.withLock { state in
            state.board.depart(
                identity, minimumGeneration: context.minimumGeneration, deadline: context.deadline)
        }
    }

    /// A function of its own: what it needs room for, no call should carry that has its flight to itself.
    @inline(never)
    private func join(
        _ identity: RequestIdentity, _ request: HTTPRequest, _ context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        switch await follow(identity, request, context) {
        case .answer(let answer): return try answer.get()
        case .lead(let flight, let minimumGeneration, let unfinished):
            var context = context
            context.minimumGeneration = max(context.minimumGeneration, minimumGeneration)
            return try await lead(flight, identity, request, context, after: unfinished)
        }
    }

    // MARK: Leading

    private func lead(
        _ flight: Board.FlightID, _ identity: RequestIdentity, _ request: HTTPRequest,
        _ context: RequestContext, after unfinished: Unfinished?
    ) async throws(NetworkError) -> HTTPResponse {
        if let unfinished {
            do { try await clock.sleep(until: unfinished.due) } catch {
                handOver(flight, identity, request.origin, unfinished)
                throw NetworkError(
                    .cancelled, "The task was cancelled while the call waited for its next attempt.",
                    origin: request.origin)
            }
        }
        do {
            let response = try await below.send(request, context: context)
            succeed(flight, identity, response)
            return response
        } catch {
            fail(flight, identity, request.origin, context, error)
            throw error
        }
    }

    @inline(never)
    private func succeed(_ flight: Board.FlightID, _ identity: RequestIdentity, _ response: HTTPResponse) {
        let answer = Answer.success(response)
        if let delay = response.exchange.unmetDelay {
            let due = clock.now.adding(delay)
            handOver(flight, identity, response.exchange.origin, Unfinished(answer: answer, due: due))
        } else {
            end(flight, identity, answer)
        }
    }

    @inline(never)
    private func fail(
        _ flight: Board.FlightID, _ identity: RequestIdentity, _ origin: Origin, _ context: RequestContext,
        _ error: NetworkError
    ) {
        if let delay = error.unmetDelay {
            let due = clock.now.adding(delay)
            handOver(flight, identity, origin, Unfinished(answer: .failure(error), due: due))
        } else if isOwnEnd(error, context) {
            resign(flight, identity, origin)
        } else {
            end(flight, identity, .failure(error))
        }
    }

    /// Whether an error concerns the leader alone: its cancellation, or the end of its time.
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

    /// Ends the flight of a leader that had no time for its next attempt: followers that have none either get the
    /// outcome, and one of the others waits and goes on.
    private func handOver(
        _ flight: Board.FlightID, _ identity: RequestIdentity, _ origin: Origin, _ unfinished: Unfinished
    ) {
        let followers = state.withLock { state in
            state.board.leave(identity, flight: flight, dueBy: unfinished.due)
        }
        for follower in followers { resume(follower, .answer(unfinished.answer)) }
        resign(flight, identity, origin, after: unfinished)
    }

    private func resign(
        _ flight: Board.FlightID, _ identity: RequestIdentity, _ origin: Origin,
        after unfinished: Unfinished? = nil
    ) {
        let (succession, alarm) = state.withLock { state in
            let succession = state.board.resign(identity, flight: flight)
            return (succession, succession == nil ? state.alarms.removeValue(forKey: flight) : nil)
        }
        alarm?.cancel()
        guard let succession else { return }
        if let alarm = succession.alarm { setAlarm(at: alarm, identity, flight, origin) }
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
            if let waiter { resume(waiter, Self.cancelled(request.origin)) }
        }
    }

    /// A continuation that is resumed before its task has suspended hands over unseen by the sanitizer.
    private func resume(_ waiter: CheckedContinuation<Handover, Never>, _ handover: Handover) {
        ThreadSanitizer.released(self)
        waiter.resume(returning: handover)
    }

    /// Where a follower sits, for its cancellation to find it.
    private final class Place: Sendable {
        let seat = Locked<Board.Seat?>(nil)
    }

    private func board(
        _ waiter: CheckedContinuation<Handover, Never>, at place: Place, _ identity: RequestIdentity,
        _ request: HTTPRequest, _ context: RequestContext
    ) {
        let action = state.withLock { state -> Board.FollowAction? in
            // A cancellation that came before this lock found no seat; one that comes later will.
            if Task.isCancelled { return nil }
            let action = state.board.follow(
                identity, minimumGeneration: context.minimumGeneration, deadline: context.deadline,
                waiter: waiter)
            if case .wait(let seat, _) = action { place.seat.withLock { $0 = seat } }
            return action
        }
        switch action {
        case nil: resume(waiter, Self.cancelled(request.origin))
        case .lead(let flight): resume(waiter, .lead(flight, minimumGeneration: 0, after: nil))
        case .wait(let seat, let alarm):
            context.record(.deduplicated, for: request)
            if let alarm { setAlarm(at: alarm, identity, seat.flight, request.origin) }
        }
    }

    // MARK: Deadlines of followers

    private func setAlarm(
        at instant: ContinuousClock.Instant, _ identity: RequestIdentity, _ flight: Board.FlightID,
        _ origin: Origin
    ) {
        let task = Task {
            do { try await clock.sleep(until: instant) } catch { return }
            let now = clock.now
            let (waiters, next) = state.withLock { state in
                state.board.expire(identity, flight: flight, now: now)
            }
            for waiter in waiters { resume(waiter, Self.expired(origin)) }
            if let next { setAlarm(at: next, identity, flight, origin) }
        }
        let unwanted = state.withLock { state -> Task<Void, Never>? in
            // It may have rung already, and another been set.
            guard state.board.alarm(of: identity, flight: flight) == instant else { return task }
            return state.alarms.updateValue(task, forKey: flight)
        }
        unwanted?.cancel()
    }

    private static func cancelled(_ origin: Origin) -> Handover {
        .answer(.failure(NetworkError(.cancelled, "The task was cancelled.", origin: origin)))
    }

    private static func expired(_ origin: Origin) -> Handover {
        .answer(
            .failure(
                NetworkError(
                    .timeout, "The call's deadline passed while it followed an equal one.", origin: origin,
                    phase: .call, mayHaveBeenSent: true)))
    }
}
