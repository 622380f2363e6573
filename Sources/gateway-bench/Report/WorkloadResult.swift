import BenchmarkClients

/// What came of one workload at one concurrency.
struct WorkloadResult: Encodable {
    let name: String
    let concurrency: Int
    let clients: [ClientName: Measurement]
}
