/// Sends the same values to several streams, in the same order.
///
/// One thread at a time delivers, without holding the lock. It reads each value, including the first value of a new
/// stream, when it delivers it. So no change is lost between the first value of a stream and the next ones, and the
/// last delivered value is the latest, even if several threads report changes at the same time.
package final class Broadcast<Value: Sendable>: Sendable {
    private struct Outlet {
        let continuation: AsyncStream<Value>.Continuation
        /// Whether it receives sent values. A stream with a first value starts with that value.
        var hasBegun: Bool
    }

    private struct Delivery {
        let read: @Sendable () -> Value
        /// The stream that starts with the value; `nil` for all streams that have started.
        var beginning: Int?
    }

    private struct State {
        var outlets: [Int: Outlet] = [:]
        var nextID = 0
        var deliveries = DeliveryQueue<Delivery>()
        var isFinished = false
    }

    private let state = Locked(State())
    private let capacity: Int

    /// - Parameter capacity: the maximum number of unread values of a stream. If it is exceeded, the oldest are
    ///   dropped.
    package init(capacity: Int = 64) { self.capacity = capacity }

    deinit { finish() }

    /// Whether there are streams.
    package var hasStreams: Bool { state.withLock { !$0.outlets.isEmpty } }

    /// A stream of the values that are sent from now on. Only the newest unread values are kept.
    package func stream() -> AsyncStream<Value> { makeStream(beginningWith: nil) }

    /// A stream of the current value and of each value that is sent later. A value that is sent at the same time can
    /// occur twice.
    ///
    /// - Parameter first: reads the current value. It may be called on another thread that is delivering.
    package func stream(beginningWith first: @escaping @Sendable () -> Value) -> AsyncStream<Value> {
        makeStream(beginningWith: first)
    }

    private func makeStream(beginningWith first: (@Sendable () -> Value)?) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(capacity))
        let id = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.nextID += 1
            state.outlets[state.nextID] = Outlet(continuation: continuation, hasBegun: first == nil)
            return state.nextID
        }
        guard let id else {
            if let first { continuation.yield(first()) }
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.outlets.removeValue(forKey: id) }
        }
        if let first { deliver(Delivery(read: first, beginning: id)) }
        return stream
    }

    /// Sends a value to all streams.
    package func send(_ value: Value) { deliver(Delivery { value }) }

    /// Sends a value that is read when it is delivered. If several threads change a state and each calls this method,
    /// the last delivered value is the latest.
    ///
    /// - Parameter read: reads the value. It may be called on another thread that is delivering.
    package func send(latest read: @escaping @Sendable () -> Value) { deliver(Delivery(read: read)) }

    private func deliver(_ delivery: Delivery) {
        let isFirst = state.withLock { !$0.outlets.isEmpty && $0.deliveries.add([delivery]) }
        guard isFirst else { return }
        while true {
            let deliveries = state.withLock { $0.deliveries.next() }
            if deliveries.isEmpty { return }
            for delivery in deliveries {
                let continuations = receivers(of: delivery)
                guard !continuations.isEmpty else { continue }
                let value = delivery.read()
                for continuation in continuations { continuation.yield(value) }
            }
        }
    }

    /// The streams that get a delivery.
    private func receivers(of delivery: Delivery) -> [AsyncStream<Value>.Continuation] {
        state.withLock { state in
            guard let id = delivery.beginning else {
                return state.outlets.values.filter(\.hasBegun).map(\.continuation)
            }
            state.outlets[id]?.hasBegun = true
            return state.outlets[id].map { [$0.continuation] } ?? []
        }
    }

    /// Ends all streams.
    package func finish() {
        let outlets = state.withLock { state in
            defer { state.outlets = [:] }
            state.isFinished = true
            return Array(state.outlets.values)
        }
        for outlet in outlets { outlet.continuation.finish() }
    }
}
