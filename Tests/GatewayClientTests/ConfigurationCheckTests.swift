import GatewayClient
import GatewayTesting
import Testing

@Suite struct ConfigurationCheckTests {
    private typealias Timeouts = CurlConfiguration.Timeouts

    /// Limits of which one has a value.
    private static func timeouts(_ index: Int, _ value: Duration) -> Timeouts {
        func limit(_ number: Int) -> Duration { number == index ? value : .seconds(9) }
        return Timeouts(
            queue: limit(0), connect: limit(1), firstByte: limit(2), read: limit(3), write: limit(4),
            whole: limit(5))
    }

    @Test(arguments: ["queue", "connect", "firstByte", "read", "write", "whole"].enumerated().map { $0 })
    func impossibleTimeoutsNameTheProperty(index: Int, name: String) {
        for value in [Duration.zero, .seconds(-1)] {
            var configuration = GatewayConfiguration()
            configuration.transport.timeouts = Self.timeouts(index, value)
            let error = #expect(throws: NetworkError.self) { try configuration.validate() }
            #expect(error?.message == "Invalid setting 'transport.timeouts.\(name)': must be more than zero.")
            var operations = GatewayConfiguration()
            operations.operations = ["list": CallOptions(limits: configuration.transport.timeouts.limits)]
            let other = #expect(throws: NetworkError.self) { try operations.validate() }
            let start = "Invalid setting 'operations[\"list\"].limits.\(name)': "
            #expect(other?.message.hasPrefix(start) == true)
        }
    }

    @Test func defaultsAreValid() throws {
        try GatewayConfiguration().validate()
        for (timeouts, limits) in [
            (CurlConfiguration.Timeouts.standard, AttemptLimits.standard), (.fast, .fast), (.slow, .slow),
            (.server, .server),
        ] {
            try timeouts.validate()
            #expect(timeouts.limits == limits)
        }
    }

    @Test func impossiblePoliciesMakeNoEngine() async throws {
        var configuration = GatewayConfiguration()
        configuration.retry = .attempts(0)
        let made = #expect(throws: NetworkError.self) { try configuration.makeEngine() }
        #expect(made?.message == "Invalid setting 'retry.maximumAttempts': must be 1 or more.")
        configuration.retry = .standard
        _ = try configuration.makeEngine()
        configuration.transport.timeouts.connect = .zero
        #expect(throws: NetworkError.self) { try configuration.makeEngine() }
        // Over a transport of the program, each call fails.
        configuration.retry = .attempts(0)
        let transport = ScriptedTransport(.status(200))
        let engine = GatewayEngine(
            transport: transport, tokenTransport: transport, configuration: configuration)
        let error = await #expect(throws: NetworkError.self) {
            try await engine.send(try HTTPRequest(.get, "https://api.example.com/"))
        }
        #expect(error?.code == .misconfigured)
        #expect(error?.message == "Invalid setting 'retry.maximumAttempts': must be 1 or more.")
        #expect(transport.requests.isEmpty)
    }
}
