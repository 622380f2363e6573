import GatewayCore
import GatewayTesting

/// A server whose requests take effect, once for each idempotency key, and that fails at random.
final class EffectServer: Sendable {
    struct State {
        /// How often each request took effect.
        var effects: [String: Int] = [:]
        /// The order in which they did.
        var order: [String] = []
        /// How often each request came.
        var arrivals: [String: Int] = [:]
        var keys: Set<String> = []
        /// Requests that wait for the gate.
        var held: Set<String> = []
        fileprivate var waiters: [(name: String, count: Int, isReached: CheckedContinuation<Void, Never>)] =
            []
    }

    private let state = Locked(State())
    private let gateway: EmbeddedGateway
    private let random: SeededRandomSource
    /// Requests that are held back pass here.
    let gate = Gate()

    init(seed: UInt64, failures: Int = 20) throws {
        gateway = try EmbeddedGateway.start()
        random = SeededRandomSource(seed: seed)
        let (random, state) = (random, StateBox(self))
        gateway.route(.post, "/effects/{name}") { (request: EmbeddedGateway.Request) async in
            guard let server = state.server else { return .status(503) }
            let name = request.parameters["name"] ?? ""
            if server.arrived(name) { await server.gate.pass() }
            let dice = random.int(in: 0..<100)
            if dice < failures / 2 { return .status(503) }
            server.apply(name, key: request.fields[.idempotencyKey] ?? "")
            // It has taken effect, and its client does not learn of it.
            return dice < failures ? .status(500) : .status(200)
        }
    }

    private final class StateBox: Sendable {
        private struct Weak { weak var server: EffectServer? }
        private let weak: Locked<Weak>
        init(_ server: EffectServer) { weak = Locked(Weak(server: server)) }
        var server: EffectServer? { weak.withLock { $0.server } }
    }

    var origin: String { "\(gateway.origin)" }

    var current: State { state.withLock { $0 } }

    /// Holds the first arrival of a request back.
    func hold(_ name: String) { state.withLock { _ = $0.held.insert(name) } }

    /// Returns when a request has come so often.
    func waitForArrivals(of name: String, _ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrivals[name, default: 0] >= count { return true }
                state.waiters.append((name, count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func arrived(_ name: String) -> Bool {
        state.withLock { state in
            let count = state.arrivals[name, default: 0] + 1
            state.arrivals[name] = count
            state.waiters.removeAll { waiter in
                guard waiter.name == name, waiter.count <= count else { return false }
                waiter.isReached.resume()
                return true
            }
            return state.held.remove(name) != nil
        }
    }

    private func apply(_ name: String, key: String) {
        state.withLock { state in
            guard state.keys.insert(key).inserted else { return }
            state.effects[name, default: 0] += 1
            state.order.append(name)
        }
    }

    func stop() { gateway.shutdown() }
}
