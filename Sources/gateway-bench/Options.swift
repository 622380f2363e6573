import BenchmarkClients
import CommandArguments

/// The command line of `gateway-bench http`.
struct Options {
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

    let isJSON: Bool
    let workloads: [Workload]
    /// `nil` for each workload's own.
    let concurrency: Int?
    let requests: Int?
    let rounds: Int
    let clients: [ClientName]
    let url: String?

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
}
