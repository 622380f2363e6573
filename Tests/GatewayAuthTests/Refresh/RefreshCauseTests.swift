import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayAuth

/// What events say of failed token requests, and of tokens that are requested again and again.
@Suite(.timeLimit(.minutes(1))) struct RefreshCauseTests {
    private final class Recorder: Sendable {
        private let recorded = Locked<[TokenEvent]>([])
        var events: [TokenEvent] { recorded.withLock { $0 } }
        func record(_ event: TokenEvent) { recorded.withLock { $0.append(event) } }
    }

    private let clock = ManualClock()
    private let recorder = Recorder()

    private func acquirer(_ replies: ScriptedTransport.Reply...) throws -> ClientCredentials {
        let replies = replies
        let transport = ScriptedTransport { _, index in replies[min(index, replies.count - 1)] }
        return ClientCredentials(
            endpoint: try TokenEndpoint(
                "https://login.example.com/token",
                client: .basic(clientID: "id", secret: Secret("s3cr3t-value")),
                transport: transport, clock: clock))
    }

    private func coordinator(
        _ acquirer: any TokenAcquirer, census: LoginCensus = LoginCensus()
    ) -> TokenRefreshCoordinator {
        var policy = TokenRefreshPolicy()
        // Each failure is the caller's, at once.
        policy.outagePatience = .zero
        return TokenRefreshCoordinator(
            TokenEnvironment(
                acquirer: acquirer, binding: nil, store: nil, policy: policy, clock: clock,
                random: SeededRandomSource(seed: 1),
                onEvent: recorder.record, census: census))
    }

    private var failures: [(cause: FailureCause, isPermanent: Bool, attempt: Int, pause: Duration?)] {
        recorder.events.compactMap { event in
            guard case .refreshFailed(let cause, let isPermanent, let attempt, let pause) = event.kind else {
                return nil
            }
            return (cause, isPermanent, attempt, pause)
        }
    }

    /// `telemetry.causes`
    @Test func aRefusalHasStatusCodeAndRequestIDOfItsEndpoint() async throws {
        let coordinator = coordinator(
            try acquirer(
                .status(401, fields: ["X-Request-ID": "req-7"], #"{"error":"invalid_client"}"#)))
        await #expect(throws: NetworkError.self) { _ = try await coordinator.token() }
        let failure = try #require(failures.first)
        #expect(failures.count == 1 && failure.isPermanent && failure.attempt == 1)
        #expect(
            failure.cause
                == FailureCause(
                    .credentialMisconfigured, origin: try Origin("https://login.example.com"), status: 401,
                    serverCode: "invalid_client", requestID: "req-7"))
    }

    /// `telemetry.causes`: the server's clock, or its lifetimes, are wrong.
    @Test func aTokenThatHasExpiredNamesItsEndpoint() async throws {
        let coordinator = coordinator(
            try acquirer(.status(200, #"{"access_token":"t","token_type":"Bearer","expires_in":0}"#)))
        let error = await #expect(throws: NetworkError.self) { _ = try await coordinator.token() }
        let origin = try Origin("https://login.example.com")
        #expect(error?.code == .tokenExpiredOnArrival && error?.origin == origin && error?.status == 200)
        #expect(failures.map(\.cause) == [FailureCause(.tokenExpiredOnArrival, origin: origin, status: 200)])
    }

    /// `telemetry.causes`: an ID that repeats a token of the response is no ID.
    @Test(arguments: ["access_token", "refresh_token", "id_token"])
    func aTokenOfTheResponseIsNoRequestID(member: String) async throws {
        let body = #"{"error":"invalid_client","\#(member)":"0paque-t0ken-value"}"#
        let coordinator = coordinator(
            try acquirer(.status(401, fields: ["X-Request-ID": "0paque-t0ken-value"], body)))
        await #expect(throws: NetworkError.self) { _ = try await coordinator.token() }
        #expect(failures.count == 1 && failures.first?.cause.requestID == nil)
    }

    /// `telemetry.causes`: a code that is not registered, and an ID that repeats the secret, are the server's text.
    @Test func textOfTheServerIsLeftOut() async throws {
        let coordinator = coordinator(
            try acquirer(
                .status(400, fields: ["X-Request-ID": "s3cr3t-value"], #"{"error":"my_own_code"}"#)))
        await #expect(throws: NetworkError.self) { _ = try await coordinator.token() }
        let cause = try #require(failures.first).cause
        #expect(cause.status == 400 && cause.serverCode == nil && cause.requestID == nil)
    }

    /// `telemetry.causes`
    @Test func aFailureHasItsNumberAndTheTimeUntilTheNext() async throws {
        let refused = NetworkError(
            .connectionRefused, "No.", origin: try Origin("https://login.example.com"), phase: .connect)
        let coordinator = coordinator(try acquirer(.failure(refused)))
        for attempt in 1...3 {
            await #expect(throws: NetworkError.self) { _ = try await coordinator.token() }
            let failure = try #require(failures.last)
            #expect(failures.count == attempt && failure.attempt == attempt && !failure.isPermanent)
            #expect(failure.cause.code == .tokenUnavailable && failure.cause.phase == .connect)
            #expect(failure.cause.underlying == .connectionRefused)
            #expect(failure.cause.origin == (try Origin("https://login.example.com")))
            let pause = try #require(failure.pause)
            #expect(pause > .zero)
            clock.advance(by: pause)
        }
    }

    private var reports: [Int] {
        recorder.events.compactMap { event in
            guard case .notShared(let coordinators) = event.kind else { return nil }
            return coordinators
        }
    }

    private static let good = ScriptedTransport.Reply.status(
        200, #"{"access_token":"t","token_type":"Bearer","expires_in":3600}"#)

    /// `auth.not-shared`
    @Test func manyCoordinatorsOfOneLoginAreReportedOnce() async throws {
        let census = LoginCensus()
        for _ in 0..<500 { _ = try await coordinator(try acquirer(Self.good), census: census).token() }
        #expect(reports == [LoginCensus.limit])
    }

    /// `auth.not-shared`: one coordinator, few in a minute, and logins that may differ.
    @Test func otherUsesAreNotReported() async throws {
        let census = LoginCensus()
        let shared = coordinator(try acquirer(Self.good), census: census)
        for _ in 0..<100 { _ = try await shared.token() }
        for _ in 0..<100 {
            _ = try await coordinator(try acquirer(Self.good), census: census).token()
            clock.advance(by: .seconds(4))
        }
        for _ in 0..<100 {
            _ = try await coordinator(
                ProviderAcquirer(StaticTokenProvider(Secret("t")), clock: clock), census: census
            ).token()
        }
        #expect(reports == [])
    }

    /// `auth.not-shared`
    @Test func theCensusIsBounded() {
        let census = LoginCensus()
        for login in 0..<2_000 { #expect(census.note(login, at: clock.now) == nil) }
        // Those beyond the bound are not noticed until others are a minute old.
        for _ in 0..<50 { #expect(census.note(1_500, at: clock.now) == nil) }
        clock.advance(by: LoginCensus.window)
        let reports = (0..<50).compactMap { _ in census.note(1_500, at: clock.now) }
        #expect(reports == [LoginCensus.limit])
    }
}
