import BenchmarkClients
import CommandArguments

/// `gateway-bench http`: starts the servers, lets the clients run in turns, reports.
struct HTTPBenchmark {
    static let options = [
        OptionSpec("--json", help: "print JSON instead of a table"),
        OptionSpec(
            "--workload", nil, .text("NAME"),
            help: "small, download-1m, upload-64k, tls-cold, h2, burst-10k, storm-401, idle-1000 or",
            "idle-4000 (default: all)"),
        OptionSpec(
            "--concurrency", nil, .text("N"),
            help: "requests in flight at once (default: by workload)"),
        OptionSpec(
            "--requests", nil, .text("N"),
            help: "requests in each round (default: by concurrency; urlsession: a tenth)"),
        OptionSpec("--rounds", nil, .text("N"), help: "rounds (default: 5)"),
        OptionSpec(
            "--client", nil, .text("NAME"), repeats: true,
            help: "only this client; may be given several times"),
        OptionSpec(
            "--url", nil, .text("URL"),
            help: "measure against this server instead of one of our own (nginx where it is",
            "installed, else a small one in C)"),
    ]

    private let isJSON: Bool
    private let workloads: [Workload]
    /// `nil` for each workload's own.
    private let concurrency: Int?
    private let requests: Int?
    private let rounds: Int
    private let clients: [ClientName]
    private let url: String?
    /// The program that measures URLSession, if it was built.
    private let urlSession = Program.beside("gateway-bench-urlsession")

    init(_ arguments: ParsedArguments) throws(UsageError) {
        isJSON = arguments.has("--json")
        let chosen = try arguments.choices("--workload", of: Workload.all, named: \.name)
        workloads = chosen.isEmpty ? Workload.all : chosen
        concurrency = try arguments.number("--concurrency", in: 1...100_000_000)
        requests = try arguments.number("--requests", in: 1...100_000_000)
        rounds = try arguments.number("--rounds", in: 1...100_000_000) ?? 5
        let named = try arguments.choices("--client", of: ClientName.measured, named: \.rawValue)
        clients = named.isEmpty ? ClientName.measured : ClientName.measured.filter(named.contains)
        url = arguments.value("--url")
    }

    func run() throws {
        Children.stopOnSignals()
        Descriptors.raiseLimit()
        if !isBuilt(.urlSession), clients.contains(.urlSession) {
            Terminal.complain("urlsession is skipped: build gateway-bench-urlsession beside gateway-bench")
        }
        let servers = BenchServers(url: url)
        defer { servers.stop() }
        var results: [WorkloadResult] = []
        for workload in workloads {
            guard let place = try servers.place(of: workload) else {
                Terminal.endProgress()
                Terminal.complain("\(workload.name) is skipped: it needs nginx with TLS, and openssl")
                continue
            }
            for concurrency in self.concurrency.map({ [$0] }) ?? workload.concurrencies {
                servers.keepApart(ClientJob.isOneAtATime(workload, concurrency: concurrency))
                if let result = try measure(workload, at: place, concurrency: concurrency) {
                    results.append(result)
                }
            }
        }
        Terminal.endProgress()
        if isJSON {
            print(try jsonText(["workloads": results]))
        } else {
            print(Report.table(results, hasColours: Terminal.isOutputTerminal))
        }
    }

    private func isBuilt(_ client: ClientName) -> Bool { client != .urlSession || urlSession != nil }

    private func measure(
        _ workload: Workload, at place: BenchServers.Place, concurrency: Int
    ) throws -> WorkloadResult? {
        let requests = self.requests ?? workload.requests(concurrency: concurrency)
        let names = self.clients.filter { workload.clients.contains($0) && isBuilt($0) }
        guard !names.isEmpty else { return nil }
        var rounds: [String: [Measurement]] = [:]
        for round in 1...self.rounds {
            for name in names {
                for process in name.processes {
                    Terminal.progress(
                        "\(workload.name) at \(concurrency): round \(round) of \(self.rounds), \(process)")
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
