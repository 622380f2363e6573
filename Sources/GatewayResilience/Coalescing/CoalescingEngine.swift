public import GatewayCore
import Synchronization

/// Lets equal calls that are under way at the same time share one flight, and so one answer.
///
/// The flight belongs to nobody: when the call that began it is cancelled the others still get their answer, and
/// only when the last one leaves is it cancelled. Each call keeps its own deadline; the flight may take as long
/// as the latest of them.
public final class CoalescingEngine: RequestEngine {
    private typealias Answer = Result<HTTPResponse, NetworkError>
    private typealias Board = FlightBoard<CheckedContinuation<Answer, Never>>

    private struct State {
        var board = Board()
        var tasks: [Board.FlightID: FlightTasks] = [:]
    }

    private struct FlightTasks {
        var flight: Task<Void, Never>?
        var alarm: Task<Void, Never>?

        func cancel() {
            flight?.cancel()
            alarm?.cancel()
        }
    }

    private let below: any RequestEngine
    private let clock: any GatewayClock
    private let lastWaiter = Atomic<UInt64>(0)
    private let state = Locked(State())

    /// Puts coalescing over an engine.
    public init(below: any RequestEngine, clock: any GatewayClock = SystemClock()) {
        self.below = below
        self.clock = clock
    }

    /// How many flights are under way.
    public var flightCount: Int { state.withLock { $0.board.flightCount } }

    /// How many calls wait for a flight.
    public var waiterCount: Int { state.withLock { $0.board.waiterCount } }

    /// Joins a flight of the same ``RequestIdentity``, begins one, or hands on what cannot be shared.
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard let identity = RequestIdentity(request, context: context) else {
            return try await below.send(request, context: context)
        }
        let waiter = lastWaiter.add(1, ordering: .relaxed).newValue
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                join(identity, request: request, context: context, id: waiter, waiter: continuation)
            }
        } onCancel: {
            leave(waiter, origin: request.origin)
        }
        if Task.isCancelled { state.withLock { $0.board.forget(waiter) } }
        return try answer.get()
    }

    private func join(
        _ identity: RequestIdentity, request: HTTPRequest, context: RequestContext, id: Board.WaiterID,
        waiter: CheckedContinuation<Answer, Never>
    ) {
        let action = state.withLock { state in
            state.board.join(
                identity, minimumGeneration: context.minimumGeneration, deadline: context.deadline, id: id,
                waiter: waiter)
        }
        switch action {
        case .depart(let flight, let deadline):
            depart(flight, request: request, context: context.shared(until: deadline))
        case .board(let flight, let alarm):
            context.record(.deduplicated, for: request)
            if let alarm { setAlarm(at: alarm, for: flight, origin: request.origin) }
        case .turnAway(let waiter):
            waiter.resume(returning: .failure(Self.cancelled(request.origin)))
        }
    }

    private func depart(_ flight: Board.FlightID, request: HTTPRequest, context: RequestContext) {
        let task = Task {
            let answer: Answer
            do throws(NetworkError) {
                answer = .success(try await below.send(request, context: context))
            } catch {
                answer = .failure(error)
            }
            let (waiters, tasks) = state.withLock { state in
                (state.board.end(flight), state.tasks.removeValue(forKey: flight))
            }
            tasks?.alarm?.cancel()
            for waiter in waiters { waiter.resume(returning: answer) }
        }
        let isOver = state.withLock { state in
            guard state.board.contains(flight) else { return true }
            state.tasks[flight, default: FlightTasks()].flight = task
            return false
        }
        // Abandoned before the task was known here, or finished already: then this changes nothing.
        if isOver { task.cancel() }
    }

    private func setAlarm(at instant: ContinuousClock.Instant, for flight: Board.FlightID, origin: Origin) {
        let task = Task {
            do { try await clock.sleep(until: instant) } catch { return }
            expire(flight, origin: origin)
        }
        let replaced = state.withLock { state -> Task<Void, Never>? in
            guard state.board.contains(flight) else { return task }
            let previous = state.tasks[flight]?.alarm
            state.tasks[flight, default: FlightTasks()].alarm = task
            return previous
        }
        replaced?.cancel()
    }

    private func expire(_ flight: Board.FlightID, origin: Origin) {
        let now = clock.now
        let (expired, tasks) = state.withLock { state in
            let expired = state.board.expire(flight, now: now)
            return (expired, expired.abandoned.flatMap { state.tasks.removeValue(forKey: $0) })
        }
        let error = NetworkError(
            .timeout, "The call's deadline passed while it shared another's flight.", origin: origin,
            phase: .call, mayHaveBeenSent: true)
        for waiter in expired.waiters { waiter.resume(returning: .failure(error)) }
        tasks?.cancel()
        if let alarm = expired.alarm { setAlarm(at: alarm, for: flight, origin: origin) }
    }

    private func leave(_ waiter: Board.WaiterID, origin: Origin) {
        let (left, tasks) = state.withLock { state in
            let left = state.board.leave(waiter)
            return (left, left.abandoned.flatMap { state.tasks.removeValue(forKey: $0) })
        }
        left.waiter?.resume(returning: .failure(Self.cancelled(origin)))
        tasks?.cancel()
    }

    private static func cancelled(_ origin: Origin) -> NetworkError {
        NetworkError(.cancelled, "The task was cancelled.", origin: origin, mayHaveBeenSent: true)
    }
}
