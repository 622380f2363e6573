import GatewayCore

/// Those who wait for flights: each may leave without harm to the others or to the flight.
///
/// A flight is a request that belongs to none of those who wait for it; see ``launch(until:clock:_:orLate:)``.
final class FlightWaiters<Landing: Sendable>: Sendable {
    typealias Flight = UInt64

    /// How somebody's waiting ends.
    enum Outcome: Sendable {
        case landed(Landing)
        case cancelled
        case late
    }

    private typealias Waiter = CheckedContinuation<Outcome, Never>

    /// Where somebody is: on the way, waiting, or told how it ended.
    private enum Seat {
        case arriving
        case waiting(Flight, Waiter)
        case told(Outcome)
    }

    private struct State {
        var seats: [UInt64: Seat] = [:]
        var last: UInt64 = 0
    }

    private let state = Locked(State())

    /// How many wait.
    var count: Int {
        state.withLock { state in
            state.seats.values.count { seat in
                if case .waiting = seat { true } else { false }
            }
        }
    }

    /// Waits for a flight.
    ///
    /// - Parameters:
    ///   - deadline: when the caller gives up; `nil` for as long as the flight lasts.
    ///   - landing: how the flight has ended; `nil` while it is under way.
    func wait(
        for flight: Flight, until deadline: Deadline? = nil, clock: any GatewayClock,
        landing: @Sendable () -> Landing?
    ) async -> Outcome {
        let id = state.withLock { state in
            state.last += 1
            state.seats[state.last] = .arriving
            return state.last
        }
        let alarm = deadline.map { deadline in
            Task.detached { [self] in
                do { try await clock.sleep(until: deadline.instant) } catch { return }
                tell(id, .late)
            }
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let told = state.withLock { state -> Outcome? in
                    if case .told(let outcome) = state.seats[id] { return outcome }
                    state.seats[id] = .waiting(flight, waiter)
                    return nil
                }
                if let told { return waiter.resume(returning: told) }
                // It may have landed before there was anybody to tell.
                if let landing = landing() { tell(id, .landed(landing)) }
            }
        } onCancel: {
            tell(id, .cancelled)
        }
        alarm?.cancel()
        state.withLock { $0.seats[id] = nil }
        return outcome
    }

    /// Tells all who wait for a flight how it ended.
    func land(_ flight: Flight, _ landing: Landing) {
        let outcome = Outcome.landed(landing)
        let waiters = state.withLock { state in
            state.seats.compactMap { id, seat -> Waiter? in
                guard case .waiting(flight, let waiter) = seat else { return nil }
                state.seats[id] = .told(outcome)
                return waiter
            }
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    /// Tells one of them, whom nobody has told yet.
    private func tell(_ id: UInt64, _ outcome: Outcome) {
        let waiter = state.withLock { state -> Waiter? in
            switch state.seats[id] {
            case .arriving:
                state.seats[id] = .told(outcome)
                return nil
            case .waiting(_, let waiter):
                state.seats[id] = .told(outcome)
                return waiter
            case .told, nil: return nil
            }
        }
        waiter?.resume(returning: outcome)
    }

    /// Makes a flight: work in a task of its own, which is given up at its deadline, whether it hears of that or not.
    ///
    /// - Parameters:
    ///   - work: lands the flight.
    ///   - late: lands it in its place. Both may be called.
    static func launch(
        until deadline: Deadline, clock: any GatewayClock, _ work: @escaping @Sendable () async -> Void,
        orLate late: @escaping @Sendable () -> Void
    ) {
        let work = Task.detached(operation: work)
        let limit = Task.detached {
            do { try await clock.sleep(until: deadline.instant) } catch { return }
            late()
            work.cancel()
        }
        Task.detached {
            await work.value
            limit.cancel()
        }
    }
}
