import GatewayTesting

/// What goes wrong behind the traffic, one after the other.
struct Faults: Sendable {
    private struct Fault: Sendable {
        let name: String
        let duration: Duration
        let begin: @Sendable (EmbeddedGateway) -> [EmbeddedGateway.InjectedFault]
    }

    private let gateway: EmbeddedGateway
    private let calm: Duration
    private let all: [Fault]

    /// - Parameter calm: the time without a fault before each of them.
    init(_ shop: Shop, calm: Duration) {
        gateway = shop.gateway
        self.calm = calm
        let (books, stock) = (shop.path("/books"), shop.path("/stock/*"))
        all = [
            Fault(name: "a token is revoked, and the token endpoint is slow", duration: .seconds(3)) {
                let slow = $0.inject(.latency(.milliseconds(900)), into: .token)
                $0.revokeCurrentTokens()
                return [slow]
            },
            Fault(name: "a burst of 503s", duration: .seconds(5)) {
                [$0.inject(.status(503), probability: 0.35)]
            },
            Fault(name: "one operation is slow, listBooks", duration: .seconds(10)) {
                [
                    $0.inject(
                        .latency(.milliseconds(400)...(.milliseconds(1_200))),
                        into: .path(books, method: .get))
                ]
            },
            Fault(name: "one operation is limited by the server, setStock", duration: .seconds(3)) {
                [$0.inject(.status(429, retryAfter: .seconds(3)), into: .path(stock), times: 1)]
            },
            Fault(name: "an outage: the server refuses connections", duration: .seconds(8)) {
                $0.refuseConnections(to: .api)
                $0.cutConnections()
                return []
            },
        ]
    }

    /// Runs until the task is cancelled.
    func run() async throws {
        var index = 0
        while true {
            let fault = all[index % all.count]
            index += 1
            Terminal.note("in \(calm.components.seconds) s: \(fault.name)")
            try await Task.sleep(for: calm)
            Terminal.note("now, for \(fault.duration.components.seconds) s: \(fault.name)")
            let injected = fault.begin(gateway)
            defer { for fault in injected { fault.remove() } }
            try await Task.sleep(for: fault.duration)
            try gateway.acceptConnections(to: .api)
        }
    }
}
