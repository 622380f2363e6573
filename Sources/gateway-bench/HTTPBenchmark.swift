import Foundation
import GatewayClient
import GatewayTesting

/// `gateway-bench http`: starts the server, lets the clients run in turns, reports.
struct HTTPBenchmark {
    private let options: Options

    init(_ options: Options) { self.options = options }

    func run() throws {
        Children.stopOnSignals()
        if let url = options.url { return try report(measure(base: url)) }
        guard let executable = Nginx.executable else {
            let gateway = try EmbeddedGateway.start()
            defer { gateway.shutdown() }
            for workload in options.workloads {
                gateway.route(.get, workload.path) { _ in .text(Workload.content) }
            }
            return try report(measure(base: "\(gateway.origin)"))
        }
        let server = try Nginx(executable: executable)
        defer { server.stop() }
        try report(measure(base: server.url))
    }

    private func report(_ results: [WorkloadResult]) throws {
        if options.isJSON {
            print(try Report.json(results))
        } else {
            print(Report.table(results, hasColours: Terminal.isOutputTerminal))
        }
    }

    private func measure(base: String) throws -> [WorkloadResult] {
        var results: [WorkloadResult] = []
        for workload in options.workloads {
            let url = options.url == nil ? base + workload.path : base
            for concurrency in options.concurrencies {
                results.append(try measure(workload, url: url, concurrency: concurrency))
            }
        }
        Terminal.endProgress()
        return results
    }

    private func measure(_ workload: Workload, url: String, concurrency: Int) throws -> WorkloadResult {
        let requests = options.requests ?? workload.requests(concurrency: concurrency)
        var rounds: [String: [Measurement]] = [:]
        let processes = options.clients.flatMap { client in
            client == .baseline ? ["c-libcurl-poll", "c-libcurl-epoll"] : [client.rawValue]
        }
        for round in 1...options.rounds {
            for process in processes {
                Terminal.progress(
                    "\(workload.name) at \(concurrency): round \(round) of \(options.rounds), \(process)")
                let count = process == ClientName.urlSession.rawValue ? max(1, requests / 10) : requests
                rounds[process, default: []].append(
                    try ClientRun.run(process, url: url, concurrency: concurrency, requests: count))
            }
        }
        var clients: [ClientName: Measurement] = [:]
        for client in options.clients {
            let names = client == .baseline ? ["c-libcurl-poll", "c-libcurl-epoll"] : [client.rawValue]
            clients[client] = names.compactMap { Measurement(medianOf: rounds[$0] ?? []) }
                .max { $0.requestsPerSecond < $1.requestsPerSecond }
        }
        return WorkloadResult(name: workload.name, concurrency: concurrency, clients: clients)
    }
}
