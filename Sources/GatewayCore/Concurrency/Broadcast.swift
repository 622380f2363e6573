/// Streams of the same values, in the same order.
package final class Broadcast<Value: Sendable>: Sendable {
    private struct State {
        var streams: [Int: AsyncStream<Value>.Continuation] = [:]
        var nextID = 0
        var queue: [Value] = []
        var isDelivering = false
        var isFinished = false
    }

    private let state = Locked(State())
    private let capacity: Int

    /// - Parameter capacity: how many values of a stream wait to be read; of more, the oldest are dropped.
    package init(capacity: Int = 64) { self.capacity = capacity }

    deinit { finish() }

    /// Whether somebody reads.
    package var hasStreams: Bool { state.withLock { !$0.streams.isEmpty } }

    /// A stream of the values from now on, of which the newest wait to be read.
    ///
    /// - Parameter first: comes before them.
    package func stream(beginningWith first: Value? = nil) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(capacity))
        if let first { continuation.yield(first) }
        let id = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.nextID += 1
            state.streams[state.nextID] = continuation
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.streams.removeValue(forKey: id) }
        }
        return stream
    }

    /// Delivers a value to all streams. One thread at a time delivers, without the lock.
    package func send(_ value: Value) {
        let isFirst = state.withLock { state in
            guard !state.streams.isEmpty else { return false }
            state.queue.append(value)
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        while true {
            let (values, streams) = state.withLock { state in
                let values = state.queue
                state.queue = []
                state.isDelivering = !values.isEmpty
                return (values, Array(state.streams.values))
            }
            if values.isEmpty { return }
            for value in values { for stream in streams { stream.yield(value) } }
        }
    }

    /// Ends all streams.
    package func finish() {
        let streams = state.withLock { state in
            defer { state.streams = [:] }
            state.isFinished = true
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }
}
