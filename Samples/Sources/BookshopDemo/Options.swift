/// What the command line says.
struct Options {
    var calls = 1000
    var isServing = false
    /// The port of the metrics; `nil` for none.
    var metricsPort: UInt16?
    var hasDashboard = false
    /// Calls per second behind the dashboard.
    var rate = 300
    /// How long the dashboard is shown; 0 until the process is stopped.
    var seconds = 0
    /// Seconds without a fault before each fault.
    var calm = 12
    /// Operations that are called beside those of the document.
    var operations = 0

    static let usage = """
        usage: bookshop-demo [--calls N] [--metrics PORT] [--serve]
               bookshop-demo --dashboard [--rate N] [--seconds N] [--calm N] [--operations N]

        Starts an authenticating gateway inside the process and makes typed calls through it: while a token is
        revoked, through a burst of 503s, and with duplicates. Prints an account of what happened.

          --calls N    how many calls meet the revoked token, 1 to 10000 (default 1000)
          --metrics P  serves the metrics at http://127.0.0.1:P/metrics for Prometheus, and waits at the end until
                       standard input ends; 0 for any free port
          --serve      only starts the gateway, says how to call it, and waits until standard input ends or the
                       process is stopped
          -h, --help   this text

        With --dashboard it serves a page that shows steady traffic, prints the link to it ("Dashboard: http://…"), and
        lets things go wrong, one after the other and again: a token is revoked, a burst of 503s, a slow operation, a
        rate limit, an outage that opens a circuit breaker. On a terminal it says what comes next.

          --rate N        calls per second, 0 to 2000; 0 for a page without calls (default 300)
          --seconds N     ends after so many seconds; by default it runs until it is stopped (Ctrl-C)
          --calm N        seconds without a fault before each fault, 1 to 3600 (default 12)
          --operations N  how many operations are called beside those of the document, 0 to 200 (default 0)

        GATEWAY_LOG=info (error, warning, debug) writes what happens as lines of JSON to standard error.
        Exit status: 0 when everything went as it should, 1 when not, 2 for wrong usage.
        """

    /// The options that are numbers: where each is kept, its range, and whether it is for the dashboard.
    private static let numbers: [String: (WritableKeyPath<Options, Int> & Sendable, ClosedRange<Int>, Bool)] =
        [
            "--calls": (\.calls, 1...10_000, false), "--rate": (\.rate, 0...2_000, true),
            "--seconds": (\.seconds, 1...86_400, true), "--calm": (\.calm, 1...3_600, true),
            "--operations": (\.operations, 0...OtherOperations.limit, true),
        ]

    enum Parsed {
        case run(Options)
        case help
        case wrong(String)
    }

    static func parse(_ arguments: [String]) -> Parsed {
        var options = Options()
        var rest = arguments[...]
        var needsDashboard: String?
        while let argument = rest.popFirst() {
            if let (property, range, isOfDashboard) = numbers[argument] {
                guard let value = rest.popFirst().flatMap({ Int($0) }), range.contains(value) else {
                    return .wrong(
                        "\(argument) takes a number from \(range.lowerBound) to \(range.upperBound)")
                }
                options[keyPath: property] = value
                if isOfDashboard { needsDashboard = argument }
                continue
            }
            switch argument {
            case "-h", "--help": return .help
            case "--serve": options.isServing = true
            case "--dashboard": options.hasDashboard = true
            case "--metrics":
                guard let value = rest.popFirst(), let port = UInt16(value) else {
                    return .wrong("--metrics takes a port from 0 to 65535")
                }
                options.metricsPort = port
            default: return .wrong("unknown argument '\(argument)'; see --help")
            }
        }
        if let needsDashboard, !options.hasDashboard { return .wrong("\(needsDashboard) needs --dashboard") }
        return .run(options)
    }
}
