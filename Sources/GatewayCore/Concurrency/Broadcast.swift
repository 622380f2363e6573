/// Streams of the same values, in the same order.
///
/// One thread at a time delivers, without the lock: it reads a value when its turn comes, the first value of a new stream
/// too. So no change is lost between the first value of a stream and those that follow, and the last value that is
/// delivered is the latest, whatever threads report changes at once.
package final class Broadcast<Value: Sendable>: Sendable {
    private struct Outlet {
        let continuation: AsyncStream<Value>.Continuation
        /// Whether it gets what is sent. A stream with a first value waits for that.
        var hasBegun: Bool
    }

    private struct Delivery {
        let read: @Sendable () -> Value
        /// The stream that begins with the value; `nil` for all that have begun.
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

    /// - Parameter capacity: how many values of a stream wait to be read; of more, the oldest are dropped.
    package init(capacity: Int = 64) { self.capacity = capacity }

    deinit { finish() }

    /// Whether somebody reads.
    package var hasStreams: Bool { state.withLock { !$0.outlets.isEmpty } }

    /// A stream of the values from now on, of which the newest wait to be read.
    package func stream() -> AsyncStream<Value> { makeStream(beginningWith: nil) }

    /// A stream of a value as it is now, then of each that is sent. A value that is sent at the same time may come twice.
    ///
    /// - Parameter first: reads the value. It may be called on another thread that delivers at this moment.
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

    /// Delivers a value to all streams.
    package func send(_ value: Value) { deliver(Delivery { value }) }

    /// Delivers a value as it is when its turn comes: of a state that several threads change, the latest comes last.
    ///
    /// - Parameter read: reads the value. It may be called on another thread that delivers at this moment.
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
