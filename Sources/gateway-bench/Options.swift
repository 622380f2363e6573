import BenchmarkClients

/// What the command line asks for.
struct Options {
    var isJSON = false
    var workloads = Workload.all
    /// `nil` for each workload's own.
    var concurrency: Int?
    var requests: Int?
    var rounds = 5
    var clients = ClientName.measured
    var url: String?

    init(_ arguments: [String]) throws(BenchmarkFailure) {
        var arguments = arguments[...]
        var chosen: [ClientName] = []
        while let option = arguments.popFirst() {
            if option == "--json" {
                isJSON = true
                continue
            }
            guard let value = arguments.popFirst() else {
                throw .usage("'\(option)' is unknown or has no value")
            }
            switch option {
            case "--workload":
                guard let workload = Workload.all.first(where: { $0.name == value }) else {
                    throw .usage("unknown workload '\(value)'")
                }
                workloads = [workload]
            case "--concurrency": concurrency = try Self.count(value, option)
            case "--requests": requests = try Self.count(value, option)
            case "--rounds": rounds = try Self.count(value, option)
            case "--client":
                guard let client = ClientName(rawValue: value), ClientName.measured.contains(client) else {
                    throw .usage("unknown client '\(value)'")
                }
                chosen.append(client)
            case "--url": url = value
            default: throw .usage("unknown option '\(option)'")
            }
        }
        if !chosen.isEmpty { clients = ClientName.measured.filter(chosen.contains) }
    }

    private static func count(_ value: String, _ option: String) throws(BenchmarkFailure) -> Int {
        guard let count = Int(value), count > 0, count <= 100_000_000 else {
            throw .usage("'\(option)' must be a number from 1")
        }
        return count
    }
}
