import CAllocationCounter
import GatewayClient

/// What protections add to a call while nothing fails: the processor's time and the allocations of calls to a transport that
/// answers at once, with each protection and without. The rounds alternate.
struct ProtectionCost {
    private struct Immediate: Transport {
        let response: HTTPResponse

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            response
        }
    }

    let calls: Int
    let rounds: Int

    func measure() async throws -> FigureRow {
        let request = try HTTPRequest(.get, "https://api.example.com/v1/books")
        let plan = OutagePlan(outage: 30, rate: 500)
        let transport = Immediate(
            response: HTTPResponse(status: 200, exchange: Exchange(origin: request.origin)))
        func engine(
            _ protection: Protection?, _ change: (inout GatewayConfiguration) throws -> Void = { _ in }
        ) throws -> GatewayEngine {
            var configuration = GatewayConfiguration()
            configuration.retry.budget = nil
            try protection?.apply(to: &configuration, plan: plan)
            try change(&configuration)
            return GatewayEngine(
                transport: transport, tokenTransport: transport, configuration: configuration)
        }
        func limited(_ protection: Protection?) throws -> GatewayEngine {
            try engine(protection) { $0.protection.bulkhead = .server }
        }
        let names =
            ["absent"] + Protection.allCases.map(\.rawValue) + ["gate", "bulkhead", "breaker_bulkhead"]
        let engines =
            try [engine(nil)] + Protection.allCases.map { try engine($0) } + [
                engine(nil) { $0.protection.rateGate = try RateGate() }, limited(nil), limited(.breaker),
            ]
        // The first calls warm the caches.
        for engine in engines { _ = try await TokenLayerCost.nanoseconds(engine, request, calls: 1_000) }
        var times = engines.map { _ in [Double]() }
        for _ in 0..<rounds {
            for (index, engine) in engines.enumerated() {
                times[index].append(try await TokenLayerCost.nanoseconds(engine, request, calls: calls))
            }
        }
        var figures: [FigureRow.Figure] = []
        var allocations: [Double] = []
        for (index, engine) in engines.enumerated() {
            figures.append(.init(name: "ns_\(names[index])", value: FigureRow.median(times[index])))
            guard allocation_counter_works() != 0 else { continue }
            allocations.append(try await Self.allocations(engine, request))
            figures.append(.init(name: "allocations_\(names[index])", value: allocations[index]))
        }
        for index in engines.indices.dropFirst() {
            let added = zip(times[index], times[0]).map { $0 - $1 }
            let isTwo = names[index] == "breaker_bulkhead"
            figures.append(.init(name: "ns_added_\(names[index])", value: FigureRow.median(added)))
            figures.append(
                .init(
                    name: "ratio_added_\(names[index])",
                    value: FigureRow.median(added) / FigureRow.median(times[0]),
                    goal: Self.timeGoal(protections: isTwo ? 2 : 1)))
            if !allocations.isEmpty {
                // Other threads of the process allocate now and then. The permits of both are one object.
                figures.append(
                    .init(
                        name: "alloc_added_\(names[index])", value: allocations[index] - allocations[0],
                        goal: .atMost(isTwo ? 1.01 : 0.01)))
            }
        }
        return FigureRow(
            name: "cost", title: "Protections on a call while nothing fails, CPU (\(calls) calls a round)",
            rounds: rounds, figures: figures)
    }

    /// The time of two calls without any protection for one, of three for both: what a machine needs for a call differs by
    /// three times. Without optimisation there is no bound of time.
    private static func timeGoal(protections: Double) -> FigureRow.Goal? {
        #if DEBUG
            nil
        #else
            .atMost(1 + protections)
        #endif
    }

    private static func allocations(
        _ engine: GatewayEngine, _ request: HTTPRequest
    ) async throws(NetworkError) -> Double {
        let calls = 10_000
        allocation_counter_start()
        let context = RequestContext()
        for _ in 0..<calls { _ = try await engine.send(request, context: context) }
        return Double(allocation_counter_stop()) / Double(calls)
    }
}
