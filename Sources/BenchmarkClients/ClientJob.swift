/// What a client's process is told: `NAME URL CONCURRENCY REQUESTS [WORKLOAD [CA-FILE]]`.
package struct ClientJob: Sendable {
    package let client: String
    package let url: String
    package let concurrency: Int
    package let requests: Int
    package let workload: Workload
    package let caFile: String?

    package init(
        client: String, url: String, concurrency: Int, requests: Int, workload: Workload, caFile: String?
    ) {
        self.client = client
        self.url = url
        self.concurrency = concurrency
        self.requests = requests
        self.workload = workload
        self.caFile = caFile
    }

    package init?(_ arguments: [String]) {
        let name = arguments.count > 4 ? arguments[4] : "small"
        guard (4...6).contains(arguments.count), let concurrency = Int(arguments[2]),
            (1...1_000_000).contains(concurrency), let requests = Int(arguments[3]),
            (1...100_000_000).contains(requests),
            let workload = Workload.all.first(where: { $0.name == name })
        else { return nil }
        self.init(
            client: arguments[0], url: arguments[1], concurrency: concurrency, requests: requests,
            workload: workload, caFile: arguments.count > 5 ? arguments[5] : nil)
    }

    package var arguments: [String] {
        [client, url, String(concurrency), String(requests), workload.name] + (caFile.map { [$0] } ?? [])
    }

    /// How many requests stay without an answer in the meantime.
    package var idle: Int {
        if case .besideIdle(let count) = workload.shape { return count }
        return 0
    }

    /// A JWT of a usual length.
    package static let token = String(repeating: "eyJhbGciOiJIUzI1NiJ9", count: 20)

    /// Whether the next request waits for the answer of the one before.
    package var isOneAtATime: Bool { Self.isOneAtATime(workload, concurrency: concurrency) }

    package static func isOneAtATime(_ workload: Workload, concurrency: Int) -> Bool {
        workload.shape == .steady && concurrency == 1
    }

    /// How many requests come before those that are measured. A burst meets no open connection but one.
    package var warmup: Int { workload.shape == .burst ? 1 : concurrency * 4 }

    package var upload: [UInt8] { [UInt8](repeating: 0x75, count: workload.uploadBytes) }
}
