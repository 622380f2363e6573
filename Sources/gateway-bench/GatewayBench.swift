import BenchmarkClients
import FoundationEssentials
import Glibc

/// The command: `gateway-bench http …`, and the hidden `gateway-bench client …` that it runs itself as.
@main
struct GatewayBench {
    static let help = """
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

        telemetry measures what metrics and logs add to a call, and makes calls while the output of the log is blocked. It
        fails where a bound is broken.

        generator reads and writes JSON of a medium schema with code that the build plugin generated, and with
        Foundation's coders and types written by hand: the same values, in rounds that alternate, by the processor's
        time.

        cache uses responses that are stored in memory and in a file, by the processor's time, and offers stores with a
        limit of bytes many times that. It fails where a bound is broken.

        queue stores requests durably, one caller and 64 at once, beside commits of SQLite alone; sends stored requests,
        beside calls of the same engine; and opens a queue with many entries. nginx, where it is installed, has the first
        processor, and this process the others. It fails where a bound is broken.

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

        options of auth:
          --json             print JSON instead of a table
          --rounds N         rounds (default: 5)
          --calls N          calls in each round (default: 200000), and a fortieth of it with proofs
          --waiters N        callers that wait for one refresh (default: 10000)
          --keys N           keys that get a token at once (default: 1000)

        options of rollover:
          --json             print JSON instead of lines
          --lifetimes N      how many tokens follow one another (default: 60)
          --seconds N        how long each token lives (default: 3)
          --processes N      processes that make the calls (default: 1)
          --store STORE      what they share: none (one process only), file, or redis:PORT (default: none)
          --concurrency N    calls in flight in each process (default: 32)
          --revoke           the server ends its tokens early: shows what a failure looks like
          --rate N           calls a second over all processes, at most (default: as many as there can be)

        options of resilience:
          --json             print JSON instead of a table
          --quick            outages of 2 s
          --seconds N        how long each outage lasts (default: 30)
          --rate N           calls a second (default: 500)
          --workload NAME    refused, black-hole, fast-503, hang, cost or hedging; may be given several times
                             (default: all)
          --rounds N         rounds of cost (default: 11)
          --calls N          calls in each round of cost (default: 20000)

        options of telemetry:
          --json             print JSON instead of a table
          --rounds N         rounds (default: 11)
          --calls N          calls in each round (default: 20000)

        options of generator:
          --json             print JSON instead of a table
          --rounds N         rounds (default: 25)
          --kilobytes N      how much JSON (default: 1000)

        options of cache:
          --json             print JSON instead of a table
          --rounds N         rounds (default: 11)
          --calls N          calls in each round (default: 20000), and a tenth of it from a file
          --mebibytes N      how much is offered to stores with a limit of 64 MiB (default: 1024)

        options of queue:
          --json             print JSON instead of a table
          --rounds N         rounds (default: 11)
          --commits N        commits of one caller in each round (default: 200), and eight times as many of 64
          --requests N       requests that are sent in each round (default: 20000)
          --entries N        entries of the queue that is opened (default: 100000)

        Progress goes to standard error. Exit status: 0 measured, 1 failed or a bound broken, 2 wrong
        usage.
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "client" {
            await ClientProcess.run(Array(arguments.dropFirst()), OwnClients.measure)
        }
        if arguments.first?.hasPrefix("client-") == true { return await own(arguments) }
        if arguments.isEmpty || arguments.contains("--help") || arguments.contains("-h") {
            print(help)
            exit(arguments.isEmpty ? 2 : 0)
        }
        do {
            if arguments[0] == "soak" {
                exit(try await SoakRun(Array(arguments.dropFirst())).run() ? 0 : 1)
            }
            let options = Array(arguments.dropFirst())
            switch arguments[0] {
            case "http": try HTTPBenchmark(Options(options)).run()
            case "auth": try await AuthBenchmark(options).run()
            case "generator": try GeneratorBenchmark(options).run()
            case "resilience": exit(try await ResilienceBenchmark(options).run() ? 0 : 1)
            case "cache": exit(try await CacheBenchmark(options).run() ? 0 : 1)
            case "queue": exit(try await QueueBenchmark(options).run() ? 0 : 1)
            case "telemetry": exit(try await TelemetryBenchmark(options).run() ? 0 : 1)
            case "rollover": exit(try await RolloverRun(options).run() ? 0 : 1)
            default: throw BenchmarkFailure.usage("unknown benchmark '\(arguments[0])'")
            }
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

extension GatewayBench {
    /// Runs as a client of one of our own measurements.
    private static func own(_ arguments: [String]) async {
        do {
            let options = Array(arguments.dropFirst())
            switch arguments[0] {
            case "client-keys": try BenchProcess.say(try await KeyBurst.client(options))
            case "client-generator": try BenchProcess.say(try CodecMemory.client(options))
            case "client-rollover": try BenchProcess.say(try await RolloverClient(options).run())
            default: exit(2)
            }
            exit(0)
        } catch {
            Terminal.complain("\(arguments[0]): \(error)")
            exit(1)
        }
    }
}
