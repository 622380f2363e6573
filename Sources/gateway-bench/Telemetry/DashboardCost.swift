import BenchmarkClients
import GatewayClient
import GatewayDashboard
import GatewayTelemetry

/// What a dashboard adds to a call that metrics count: the processor's time and the allocations, without a viewer, and with one
/// that reads its stream. The rounds alternate.
struct DashboardCost {
    let calls: Int
    let rounds: Int

    private static let names = ["metrics", "dashboard", "dashboard_watched"]
    /// The most that a call may take in addition to its metrics while nobody watches, in nanoseconds.
    private static let limit = 2_000.0

    func measure() async throws -> FigureRow {
        let request = try HTTPRequest(.get, "https://api.example.com/v1/books")
        let metrics = CallCost.engine(request) { $0.events = RequestMetricsCollector() }
        let (unwatched, first) = try Self.dashboard(request)
        let (watched, second) = try Self.dashboard(request)
        defer {
            first.stop()
            second.stop()
        }
        let context = RequestContext(operation: "listBooks")
        // Before there is a viewer: frames are made on other threads. The lists of calls are filled first.
        _ = try await CallCost.nanoseconds(unwatched, request, context, calls: 1_000)
        let allocations = [
            try await CallCost.allocations(metrics, request, context),
            try await CallCost.allocations(unwatched, request, context),
        ]
        let viewer = try await Viewer(second.link)
        let engines = [metrics, unwatched, watched]
        let times = try await CallCost.times(of: engines, request, context, rounds: rounds, calls: calls)
        let idle = try await Self.idleMilliseconds(seconds: 2)
        var figures = zip(Self.names, times).map { name, times in
            FigureRow.Figure(name: "ns_\(name)", value: FigureRow.median(times))
        }
        for (index, name) in Self.names.enumerated().dropFirst() {
            figures.append(
                .init(
                    name: "ns_added_\(name)", value: CallCost.added(times[index], to: times[0]),
                    goal: index == 1 ? .optimized(.atMost(Self.limit)) : nil))
        }
        if let without = allocations[0], let with = allocations[1] {
            // Other threads of the process allocate now and then.
            figures.append(
                .init(
                    name: "alloc_added_dashboard", value: with - without, goal: .optimized(.atMost(0.01))))
        }
        figures.append(.init(name: "ms_viewer_second", value: idle))
        figures.append(.init(name: "viewer_frames", value: Double(await viewer.stop()), goal: .atLeast(1)))
        return FigureRow(
            name: "dashboard", title: "A dashboard on a call, CPU (\(calls) calls a round)", rounds: rounds,
            figures: figures)
    }

    private static func dashboard(_ request: HTTPRequest) throws -> (GatewayEngine, GatewayDashboard) {
        var options = GatewayDashboard.Options()
        options.printsLink = false
        var configuration = GatewayConfiguration()
        let dashboard = try GatewayDashboard.start(&configuration, options: options)
        let events = configuration.events
        return (CallCost.engine(request) { $0.events = events }, dashboard)
    }

    /// The processor's time that frames and their viewer take in a second without calls.
    private static func idleMilliseconds(seconds: Int) async throws -> Double {
        let started = ProcessUsage.cpuSeconds
        try await Task.sleep(for: .seconds(seconds))
        return (ProcessUsage.cpuSeconds - started) * 1_000 / Double(seconds)
    }

    /// Reads the stream of a dashboard.
    private struct Viewer {
        private let reading: Task<Int, Never>

        /// Returns when the stream has begun.
        init(_ link: String) async throws {
            var configuration = CurlConfiguration()
            configuration.timeouts = .server
            let transport = CurlTransport(configuration: configuration)
            var context = RequestContext()
            context.response = .stream
            let response = try await transport.send(try HTTPRequest(.get, link + "stream"), context: context)
            guard response.status == 200 else {
                throw BenchmarkFailure.failed("the dashboard answers with \(response.status)")
            }
            reading = Task {
                var frames = 0
                var text: [UInt8] = []
                do {
                    for try await chunk in response.body {
                        text += chunk
                        frames += text.ranges(of: Array("event: frame\n".utf8)).count
                        // The rest of an event that is not complete.
                        text = Array(text.suffix(12))
                    }
                } catch {}
                return frames
            }
        }

        /// Ends the stream.
        ///
        /// - Returns: the number of frames that were read.
        func stop() async -> Int {
            reading.cancel()
            return await reading.value
        }
    }
}
