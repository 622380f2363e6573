import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// Whatever durations, counts and lengths are configured, exchanges are made or fail as they should.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct ExtremeConfigurationTests {
    private static let limits: [any WritableKeyPath<CurlConfiguration, Duration> & Sendable] = [
        \.timeouts.queue, \.timeouts.connect, \.timeouts.firstByte, \.timeouts.read, \.timeouts.write,
        \.timeouts.whole,
    ]
    private static let counts:
        [(path: any WritableKeyPath<CurlConfiguration, Int> & Sendable, range: ClosedRange<Int>)] = [
            (\.loops, 1...64), (\.connectionsPerOrigin, 1...Int.max), (\.connectionsInAll, 1...Int.max),
            (\.waitingLimit, 0...Int.max), (\.responseHeaderLimitBytes, 1...Int.max),
        ]

    /// A server that answers until it is stopped.
    private static func server() -> FaultServer {
        FaultServer { connection in
            while connection.readRequest() != nil { connection.write(ok()) }
        }
    }

    /// What comes of an exchange under the configuration, on a clock that stands still; `nil` for an answer.
    private static func code(
        _ original: CurlConfiguration, _ server: FaultServer, body: HTTPBody = .empty,
        deadline: Duration? = nil, limit: Int = 100
    ) async -> NetworkError.Code? {
        var configuration = original
        let clock = ManualClock()
        configuration.clock = clock
        let transport = CurlTransport(configuration: configuration)
        let error = await failure { () throws(NetworkError) in
            try await transport.send(
                .post, server.url, body: body, deadline: deadline, clock: clock, limit: limit)
        }
        return error?.code
    }

    @Test(arguments: ExtremeValues.durations)
    func anyTimeout(duration: Duration) async {
        let server = Self.server()
        defer { server.stop() }
        for path in Self.limits {
            var configuration = CurlConfiguration()
            configuration[keyPath: path] = duration
            let code = await Self.code(configuration, server)
            #expect(duration > .zero ? code == nil : code == nil || code == .timeout)
        }
        let code = await Self.code(CurlConfiguration(), server, deadline: duration)
        #expect(code == (duration > .zero ? nil : .timeout))
    }

    @Test(arguments: ExtremeValues.durations)
    func anyLifeOfAConnection(duration: Duration) async {
        let server = Self.server()
        defer { server.stop() }
        var configuration = CurlConfiguration()
        configuration.maximumConnectionIdle = duration
        configuration.maximumConnectionAge = duration
        configuration.tcpKeepAlive = .init(idle: duration, interval: duration)
        let code = await Self.code(configuration, server)
        #expect(code == (duration < .seconds(1) ? .misconfigured : nil))
    }

    @Test(arguments: ExtremeValues.integers)
    func anyCount(count: Int) async {
        let server = Self.server()
        defer { server.stop() }
        for (path, range) in Self.counts {
            var configuration = CurlConfiguration()
            configuration[keyPath: path] = count
            let code = await Self.code(configuration, server)
            let isHeaderTooLarge = path == \.responseHeaderLimitBytes && count < 100
            let expected: NetworkError.Code? = isHeaderTooLarge ? .responseTooLarge : nil
            #expect(code == (range.contains(count) ? expected : .misconfigured))
        }
        let code = await Self.code(CurlConfiguration(), server, limit: count)
        #expect(code == (count < 2 ? .responseTooLarge : nil))
    }

    @Test(arguments: ExtremeValues.integers)
    func anyLengthOfABody(length: Int) async {
        let server = Self.server()
        defer { server.stop() }
        let chunks: @Sendable () -> HTTPBody.Chunks = {
            AsyncThrowingStream<HTTPBody.Chunk, any Error> { continuation in
                continuation.yield([1])
                continuation.finish()
            }
        }
        for body in [
            HTTPBody.once(length: Int64(length), chunks()),
            .replayable(length: Int64(length)) { chunks() },
        ] {
            let code = await Self.code(CurlConfiguration(), server, body: body)
            // Of an empty body nothing is asked for.
            #expect(length <= 1 ? code == nil : code == .bodyFailed)
        }
    }

    @Test(arguments: ExtremeValues.integers)
    func anyRangeOfAFile(bound: Int) async {
        let server = Self.server()
        defer { server.stop() }
        for other in ExtremeValues.integers where other >= bound {
            let body = HTTPBody.file("/proc/self/exe", range: Int64(bound)..<Int64(other))
            let code = await Self.code(CurlConfiguration(), server, body: body)
            #expect(bound >= 0 && other <= 1 ? code == nil : code == .bodyFailed)
        }
    }
}
