import CommandArguments

/// The benchmarks. The action of each returns whether no bound is broken.
enum Commands {
    typealias Action = @Sendable (ParsedArguments) async throws -> Bool
    typealias Command = CommandSpec<Action>

    static let program: ProgramSpec<Action> = {
        var program = ProgramSpec(name: "gateway-bench", commands: all, help: { help })
        program.hasCommandHelp = false
        return program
    }()

    private static let all = [
        Command(name: "http", options: HTTPBenchmark.options) { arguments in
            try HTTPBenchmark(arguments).run()
            return true
        },
        Command(name: "auth", options: AuthBenchmark.options) { arguments in
            _ = try await AuthBenchmark.run(arguments)
            return true
        },
        Command(name: "rollover", options: RolloverRun.options) { try await RolloverRun($0).run() },
        Command(name: "resilience", options: ResilienceBenchmark.options) {
            try await ResilienceBenchmark.run($0)
        },
        Command(name: "telemetry", options: TelemetryBenchmark.options) {
            try await TelemetryBenchmark.run($0)
        },
        Command(name: "generator", options: GeneratorBenchmark.options) { arguments in
            _ = try GeneratorBenchmark.run(arguments)
            return true
        },
        Command(name: "cache", options: CacheBenchmark.options) { try await CacheBenchmark.run($0) },
        Command(name: "queue", options: QueueBenchmark.options) { try await QueueBenchmark.run($0) },
        Command(name: "soak", options: SoakRun.options) { try await SoakRun($0).run() },
    ]

    private static var help: String {
        """
        usage: gateway-bench http [options]
               gateway-bench auth [options]
               gateway-bench rollover [options]
               gateway-bench resilience [options]
               gateway-bench telemetry [options]
               gateway-bench generator [options]
               gateway-bench cache [options]
               gateway-bench queue [options]
               gateway-bench soak [--requests N] [--refused N] [--streams N]

        Measures HTTP clients against one server on loopback, each in a process of its own, interleaved in
        rounds; the figures are medians. One request at a time is measured between two processors, where
        there are two: nginx has the first, the clients have the others.

          c-libcurl    a bare libcurl multi loop in C (the faster of poll and epoll)
          c-bearer     the same, with the bearer token that the stack sends in each request
          transport    CurlTransport
          stack        the whole engine: bearer token, 401 handling, coalescing, retries
          urlsession   Foundation's URLSession (gateway-bench-urlsession, built beside it)

        soak makes a million requests with the whole stack, 100,000 to a port that refuses them, and 1,000 whose
        streamed response is left standing and cancelled, and fails where memory or descriptors grow.

        auth measures what tokens cost, beside what is aimed at: the processor's time that authentication adds to a
        call, and a proof of possession to that, callers by the thousand that wait for one refresh, and keys by the hundred that get their token at once.

        rollover makes calls at the highest rate that the machine gives while tokens end again and again, and fails
        where a call fails, a 401 is seen, or more than one token is asked for in a lifetime.

        resilience makes 500 calls a second while their server fails in four ways: it refuses connections, is a black
        hole, answers 503 at once, or accepts and never answers. It counts the attempts on the wire, how calls end, and
        how soon the former rate is back, with a retry budget alone and with circuit breakers. cost measures what
        both add to a call while nothing fails; hedging what second requests for slow responses save and cost. It needs
        gateway-chaos, built beside it, and fails where a bound is broken.

        telemetry measures what metrics, logs, traces and a dashboard add to a call, the dashboard with and without a
        viewer, and makes calls while the output of the log is blocked, or with --collector while a collector hangs. It
        fails where a bound is broken.

        generator reads and writes JSON of a medium schema with code that the build plugin generated, and with
        Foundation's coders and types written by hand: the same values, in rounds that alternate, by the processor's
        time.

        cache uses responses that are stored in memory and in a file, by the processor's time, and offers stores with a
        limit of bytes many times that. It fails where a bound is broken.

        queue stores requests durably, one caller and 64 at once, beside commits of SQLite alone; sends stored requests,
        beside calls of the same engine; and opens a queue with many entries. nginx, where it is installed, has the first
        processor, and this process the others. It fails where a bound is broken.

        """ + all.map { "\noptions of \($0.name):\n" + OptionSpec.table(of: $0.options) }.joined() + """

            Progress goes to standard error. Exit status: 0 measured, 1 failed or a bound broken, 2 wrong
            usage.

            """
    }
}
