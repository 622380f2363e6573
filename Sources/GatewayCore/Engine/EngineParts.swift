/// What belongs to an engine and is not one of its layers: the keepers of its tokens, and the parts that end with it.
/// Calls do not use it.
package final class EngineParts: Sendable {
    private struct Member {
        /// Keeps a part that the program has added.
        let owner: (any EnginePart)?
        weak var part: (any EnginePart)?
    }

    private struct Keeper {
        weak var keeper: (any TokenKeeping)?
    }

    private struct State {
        var members: [Member] = []
        var keepers: [Keeper] = []
        var isEnding = false
        var reentry: EngineReentry?
    }

    private let state = Locked(State())

    package init() {}

    /// Whether a shutdown has begun.
    package var isEnding: Bool { state.withLock { $0.isEnding } }

    // MARK: Parts

    /// Adds a part, unless it was added before. After the begin of a shutdown it has no effect.
    ///
    /// - Parameter owned: whether the part is kept until it ends.
    package func join(_ part: any EnginePart, owned: Bool) {
        state.withLock { state in
            state.members.removeAll { $0.part == nil }
            guard !state.isEnding, !state.members.contains(where: { $0.part === part }) else { return }
            state.members.append(Member(owner: owned ? part : nil, part: part))
        }
    }

    /// The parts, in the order in which they were added.
    package var parts: [any EnginePart] { state.withLock { $0.members.compactMap(\.part) } }

    /// Begins a shutdown, and returns the parts in the order in which they end: the last one that was added first.
    /// Further calls return none.
    package func beginEnding() -> [any EnginePart] {
        state.withLock { state in
            state.isEnding = true
            defer { state.members = [] }
            return state.members.reversed().compactMap(\.part)
        }
    }

    // MARK: Tokens

    /// Adds a keeper of tokens, unless it was added before. It is not kept.
    package func add(_ keeper: any TokenKeeping) {
        state.withLock { state in
            state.keepers.removeAll { $0.keeper == nil }
            guard !state.keepers.contains(where: { $0.keeper === keeper }) else { return }
            state.keepers.append(Keeper(keeper: keeper))
        }
    }

    /// The keepers of tokens, in the order in which they were added.
    package var keepers: [any TokenKeeping] { state.withLock { $0.keepers.compactMap(\.keeper) } }

    // MARK: Waits

    /// Sets whose shutdown ends waits.
    package func attach(_ reentry: EngineReentry) { state.withLock { $0.reentry = reentry } }

    /// Waits outside of a call, in a separate task, which the end of the engine's calls cancels.
    ///
    /// - Parameter purpose: what waited for what, for the message: "the warm-up waited for a token".
    /// - Throws: the error of the wait; ``NetworkError/closed`` if the engine was shut down.
    package func waiting(
        _ purpose: StaticString, _ wait: @escaping @Sendable () async throws(NetworkError) -> Void
    ) async throws(NetworkError) {
        guard let reentry = state.withLock({ $0.reentry }) else { return try await wait() }
        let task = Task { () async -> NetworkError? in
            do throws(NetworkError) { try await wait() } catch { return error }
            return nil
        }
        let id = reentry.add { task.cancel() }
        let error = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        reentry.remove(id)
        guard let error else { return }
        guard error.code == .cancelled, reentry.isOver, !Task.isCancelled else { throw error }
        throw NetworkError(.closed, "The engine was shut down while \(purpose).")
    }
}

extension GatewayClock {
    /// Waits for work until a deadline. The work runs in a task of its own, which continues after the deadline and has
    /// neither the cancellation nor the deadline of the caller.
    package func wait(until deadline: Deadline, for work: @escaping @Sendable () async -> Void) async {
        let flight = SharedFlight<Void>(clock: self)
        Task.detached {
            await work()
            flight.land(())
        }
        await Task.detached { _ = await flight.outcome(of: flight.join(until: deadline)) }.value
    }
}
