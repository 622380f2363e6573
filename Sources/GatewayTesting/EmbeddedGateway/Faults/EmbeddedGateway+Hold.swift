import GatewayCore
import GatewayListener

extension EmbeddedGateway {
    /// Holds requests before they are processed, and counts their arrivals.
    ///
    /// ```swift
    /// let hold = gateway.hold(.api)
    /// // … start 1,000 calls …
    /// await hold.waitForArrivals(1000)
    /// gateway.revokeCurrentTokens()
    /// hold.release()          // each of them is answered 401
    /// ```
    /// No thread is blocked. Releasing the reference does not release the requests. When the gateway shuts down, the
    /// connections of held requests are closed.
    public final class Hold: Sendable {
        private struct State {
            var isReleased = false
            var passes = 0
            var arrivals = 0
            var waiting:
                [(resumption: HTTPListener.Resumption, next: @Sendable () -> HTTPListener.Disposition)] = []
            var watchers = CountWatchers()
        }

        let scope: Scope
        private let state = Locked(State())

        init(scope: Scope) { self.scope = scope }

        /// The number of requests that have arrived, including released ones.
        public var arrivals: Int { state.withLock { $0.arrivals } }
        /// The number of requests that are held.
        public var heldCount: Int { state.withLock { $0.waiting.count } }

        /// Waits until this number of requests has arrived.
        public func waitForArrivals(_ count: Int) async {
            await withCheckedContinuation { continuation in
                state.withLock { $0.watchers.add(continuation, until: count, now: $0.arrivals) }?.resume()
            }
        }

        /// Releases all held requests and all future ones.
        public func release() {
            let waiting = state.withLock { state in
                state.isReleased = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for held in waiting { held.resumption.resume(held.next) }
        }

        /// Releases the first held requests, or the next ones to arrive.
        ///
        /// - Parameter count: the number of requests.
        public func release(_ count: Int) {
            let waiting = state.withLock { state in
                let first = state.waiting.prefix(max(0, count))
                state.waiting.removeFirst(first.count)
                state.passes = state.passes.addingClamped(max(0, count) - first.count)
                return first
            }
            for held in waiting { held.resumption.resume(held.next) }
        }

        var isReleased: Bool { state.withLock { $0.isReleased } }

        /// Adds a suspended request.
        func arrive(
            _ resumption: HTTPListener.Resumption, next: @escaping @Sendable () -> HTTPListener.Disposition
        ) {
            let (goesOn, ready) = state.withLock { state -> (Bool, [CountWatchers.Watcher]) in
                state.arrivals += 1
                let ready = state.watchers.take(at: state.arrivals)
                if state.isReleased { return (true, ready) }
                if state.passes > 0 {
                    state.passes -= 1
                    return (true, ready)
                }
                state.waiting.append((resumption, next))
                return (false, ready)
            }
            if goesOn { resumption.resume(next) }
            for watcher in ready { watcher.resume() }
        }
    }
}
