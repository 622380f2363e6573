import GatewayClient

/// What protections add to a call while nothing fails: the processor's time and the allocations of calls to a transport that
/// answers at once, with each protection and without. The rounds alternate.
struct ProtectionCost {
    let calls: Int
    let rounds: Int

    func measure() async throws -> FigureRow {
        let request = try HTTPRequest(.get, "https://api.example.com/v1/books")
        let plan = OutagePlan(outage: 30, rate: 500)
        func engine(
            _ protection: Protection?, _ change: (inout GatewayConfiguration) throws -> Void = { _ in }
        ) throws -> GatewayEngine {
            try CallCost.engine(request) { configuration in
                configuration.retry.budget = nil
                try protection?.apply(to: &configuration, plan: plan)
                try change(&configuration)
            }
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
        let times = try await CallCost.times(of: engines, request, rounds: rounds, calls: calls)
        var figures: [FigureRow.Figure] = []
        var allocations: [Double] = []
        for (index, engine) in engines.enumerated() {
            figures.append(.init(name: "ns_\(names[index])", value: FigureRow.median(times[index])))
            guard let count = try await CallCost.allocations(engine, request) else { continue }
            allocations.append(count)
            figures.append(.init(name: "allocations_\(names[index])", value: count))
        }
        for index in engines.indices.dropFirst() {
            let added = CallCost.added(times[index], to: times[0])
            let isTwo = names[index] == "breaker_bulkhead"
            figures.append(.init(name: "ns_added_\(names[index])", value: added))
            figures.append(
                .init(
                    name: "ratio_added_\(names[index])",
                    value: added / FigureRow.median(times[0]),
                    // The time of two calls without any protection for one, of three for both: what a machine needs for
                    // a call differs by three times.
                    goal: .optimized(.atMost(isTwo ? 3 : 2))))
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
}
