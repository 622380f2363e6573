import BenchmarkClients

/// `gateway-bench http`: starts the servers, lets the clients run in turns, reports.
struct HTTPBenchmark {
    private let options: Options
    /// The program that measures URLSession, if it was built.
    private let urlSession = Program.beside("gateway-bench-urlsession")

    init(_ options: Options) { self.options = options }

    func run() throws {
        Children.stopOnSignals()
        Descriptors.raiseLimit()
        if !isBuilt(.urlSession), options.clients.contains(.urlSession) {
            Terminal.complain("urlsession is skipped: build gateway-bench-urlsession beside gateway-bench")
        }
        let servers = BenchServers(url: options.url)
        defer { servers.stop() }
        var results: [WorkloadResult] = []
        for workload in options.workloads {
            guard let place = try servers.place(of: workload) else {
                Terminal.endProgress()
                Terminal.complain("\(workload.name) is skipped: it needs nginx with TLS, and openssl")
                continue
            }
            for concurrency in options.concurrency.map({ [$0] }) ?? workload.concurrencies {
                servers.keepApart(ClientJob.isOneAtATime(workload, concurrency: concurrency))
                if let result = try measure(workload, at: place, concurrency: concurrency) {
                    results.append(result)
                }
            }
        }
        Terminal.endProgress()
        if options.isJSON {
            print(try jsonText(["workloads": results]))
        } else {
            print(Report.table(results, hasColours: Terminal.isOutputTerminal))
        }
    }

    private func isBuilt(_ client: ClientName) -> Bool { client != .urlSession || urlSession != nil }

    private func measure(
        _ workload: Workload, at place: BenchServers.Place, concurrency: Int
    ) throws -> WorkloadResult? {
        let requests = options.requests ?? workload.requests(concurrency: concurrency)
        let names = options.clients.filter { workload.clients.contains($0) && isBuilt($0) }
        guard !names.isEmpty else { return nil }
        var rounds: [String: [Measurement]] = [:]
        for round in 1...options.rounds {
            for name in names {
                for process in name.processes {
                    Terminal.progress(
                        "\(workload.name) at \(concurrency): round \(round) of \(options.rounds), \(process)")
                    let job = ClientJob(
                        client: process, url: place.url, concurrency: concurrency,
                        requests: name == .urlSession ? workload.requestsOfURLSession(requests) : requests,
                        workload: workload, caFile: place.caFile)
                    let measurement =
                        name == .urlSession
                        ? try BenchProcess.run(Measurement.self, job.arguments, of: urlSession)
                        : try BenchProcess.run(Measurement.self, ["client"] + job.arguments)
                    // Without a response there is nothing to measure.
                    guard measurement.errors < job.requests else {
                        throw BenchmarkFailure.failed("\(process): every request to \(place.url) failed")
                    }
                    rounds[process, default: []].append(measurement)
                }
            }
        }
        var clients: [ClientName: Measurement] = [:]
        for name in names {
            clients[name] = name.processes.compactMap { Measurement(medianOf: rounds[$0] ?? []) }
                .max { $0.requestsPerSecond < $1.requestsPerSecond }
        }
        return WorkloadResult(name: workload.name, concurrency: concurrency, clients: clients)
    }
}
