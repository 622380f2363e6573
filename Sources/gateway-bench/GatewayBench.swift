import Foundation

/// The command: `gateway-bench http …`, and the hidden `gateway-bench client …` that it runs itself as.
@main
struct GatewayBench {
    static let help = """
        usage: gateway-bench http [options]
               gateway-bench soak [--requests N] [--refused N] [--streams N]

        Measures HTTP clients against one server on loopback, each in a process of its own, interleaved in
        rounds; the figures are medians.

          c-libcurl    a bare libcurl multi loop in C (the faster of poll and epoll)
          c-bearer     the same, with the bearer token that the stack sends in each request
          transport    CurlTransport
          stack        the whole engine: bearer token, 401 handling, coalescing, retries
          urlsession   Foundation's URLSession

        soak makes a million requests with the whole stack, 100,000 to a port that refuses them, and 1,000 whose
        streamed response is left standing and cancelled, and fails where memory or descriptors grow.

        options of http:
          --json             print JSON instead of a table
          --workload NAME    small, download-1m, upload-64k, tls-cold, h2, burst-10k, storm-401, idle-1000 or
                             idle-4000 (default: all)
          --concurrency N    requests in flight at once (default: by workload)
          --requests N       requests in each round (default: by concurrency; urlsession: a tenth)
          --rounds N         rounds (default: 5)
          --client NAME      only this client; may be given several times
          --url URL          measure against this server instead of one of our own (nginx where it is
                             installed, else a small one in C)
          --help             this text

        Progress goes to standard error. Exit status: 0 measured, 1 failed, 2 wrong usage.
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "client" { return await ClientProcess.main(Array(arguments.dropFirst())) }
        if arguments.isEmpty || arguments.contains("--help") || arguments.contains("-h") {
            print(help)
            exit(arguments.isEmpty ? 2 : 0)
        }
        do {
            if arguments[0] == "soak" {
                exit(try await SoakRun(Array(arguments.dropFirst())).run() ? 0 : 1)
            }
            guard arguments[0] == "http" else {
                throw BenchmarkFailure.usage("unknown benchmark '\(arguments[0])'")
            }
            try HTTPBenchmark(Options(Array(arguments.dropFirst()))).run()
        } catch BenchmarkFailure.usage(let message) {
            Terminal.complain("gateway-bench: \(message)\nTry 'gateway-bench --help'.")
            exit(2)
        } catch BenchmarkFailure.failed(let message) {
            Children.stopAll()
            Terminal.complain("gateway-bench: \(message)")
            exit(1)
        } catch {
            Children.stopAll()
            Terminal.complain("gateway-bench: \(error)")
            exit(1)
        }
    }
}

/// Why there is no measurement.
enum BenchmarkFailure: Error {
    case usage(String)
    case failed(String)
}
