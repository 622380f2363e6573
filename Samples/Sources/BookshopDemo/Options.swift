/// What the command line says.
struct Options {
    var calls = 1000
    var isServing = false
    /// The port of the metrics; `nil` for none.
    var metricsPort: UInt16?

    static let usage = """
        usage: bookshop-demo [--calls N] [--metrics PORT] [--serve]

        Starts an authenticating gateway inside the process and makes typed calls through it: while a token is
        revoked, through a burst of 503s, and with duplicates. Prints an account of what happened.

          --calls N    how many calls meet the revoked token, 1 to 10000 (default 1000)
          --metrics P  serves the metrics at http://127.0.0.1:P/metrics for Prometheus, and waits at the end until
                       standard input ends; 0 for any free port
          --serve      only starts the gateway, says how to call it, and waits until standard input ends or the
                       process is stopped
          -h, --help   this text

        GATEWAY_LOG=info (error, warning, debug) writes what happens as lines of JSON to standard error.
        Exit status: 0 when everything went as it should, 1 when not, 2 for wrong usage.
        """

    enum Parsed {
        case run(Options)
        case help
        case wrong(String)
    }

    static func parse(_ arguments: [String]) -> Parsed {
        var options = Options()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "-h", "--help": return .help
            case "--serve": options.isServing = true
            case "--calls":
                guard let value = rest.popFirst(), let calls = Int(value), (1...10_000).contains(calls) else {
                    return .wrong("--calls takes a number from 1 to 10000")
                }
                options.calls = calls
            case "--metrics":
                guard let value = rest.popFirst(), let port = UInt16(value) else {
                    return .wrong("--metrics takes a port from 0 to 65535")
                }
                options.metricsPort = port
            default: return .wrong("unknown argument '\(argument)'; see --help")
            }
        }
        return .run(options)
    }
}
