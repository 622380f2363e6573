import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// Signing in by another device (RFC 8628), on a clock that the tests move.
@Suite(.timeLimit(.minutes(1))) struct DeviceAuthorizationTests {
    private static let pending = ScriptedTransport.Reply.status(400, #"{"error":"authorization_pending"}"#)
    private static let slowDown = ScriptedTransport.Reply.status(400, #"{"error":"slow_down"}"#)
    private static let granted = ScriptedTransport.Reply.status(
        200, #"{"access_token":"t","token_type":"Bearer","refresh_token":"r"}"#)

    private static func codes(_ more: String = "") -> ScriptedTransport.Reply {
        .status(
            200,
            #"{"device_code":"d3vice","user_code":"WDJB-MJHT","verification_uri":"https://a.example/device","#
                + #""expires_in":60\#(more)}"#)
    }

    private final class Instants: Sendable {
        let list = Locked<[ContinuousClock.Instant]>([])
    }

    /// Who asks when, over a script of answers.
    private final class Rig: Sendable {
        let clock = ManualClock()
        let transport: ScriptedTransport
        private let instants: Instants
        let start: ContinuousClock.Instant

        init(_ replies: [ScriptedTransport.Reply]) {
            let instants = Instants()
            let clock = self.clock
            self.instants = instants
            start = clock.now
            transport = ScriptedTransport { _, index in
                instants.list.withLock { $0.append(clock.now) }
                return replies[min(index, replies.count - 1)]
            }
        }

        /// How many seconds after the beginning each question was asked; the first is the one for codes.
        var seconds: [Int64] {
            instants.list.withLock { $0 }.map { start.duration(to: $0).components.seconds }
        }

        func run(deadline: Duration? = nil) async -> Result<TokenGrant, NetworkError> {
            let work = Task { () -> Result<TokenGrant, NetworkError> in
                await outcome { () throws(NetworkError) in
                    let endpoint = try TokenEndpoint(
                        "https://login.example.com/token", client: .publicClient(clientID: "tv"),
                        others: .init(deviceAuthorizationURL: "https://login.example.com/device"),
                        transport: transport, clock: clock)
                    return try await DeviceAuthorization(endpoint: endpoint).grant(
                        for: endpoint.key(scopes: ["books:read"]),
                        deadline: deadline.map { .after($0, clock: clock) }
                    ) { _ in }
                }
            }
            let isDone = Locked(false)
            let watcher = Task {
                _ = await work.value
                isDone.withLock { $0 = true }
            }
            // The clock moves whenever somebody sleeps.
            await eventually {
                clock.advanceToNextSleeper()
                return isDone.withLock { $0 }
            }
            await watcher.value
            return await work.value
        }
    }

    @Test func withoutAnIntervalItIsFiveSeconds() async throws {
        let rig = Rig([Self.codes(), Self.pending, Self.pending, Self.granted])
        let grant = try await rig.run().get()
        #expect(rig.seconds == [0, 5, 10, 15])
        #expect(grant.refreshToken == Secret("r"))
        let form = Form(rig.transport.requests[1])
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:device_code")
        #expect(form["device_code"] == "d3vice" && form["client_id"] == "tv")
        #expect(Form(rig.transport.requests[0])["scope"] == "books:read")
    }

    @Test func eachSlowDownAddsFiveSecondsForGood() async throws {
        let rig = Rig([
            Self.codes(#","interval":2"#), Self.pending, Self.slowDown, Self.pending, Self.slowDown,
            Self.granted,
        ])
        _ = try await rig.run().get()
        #expect(rig.seconds == [0, 2, 4, 11, 18, 30])
    }

    @Test func nothingIsAskedAfterTheEnd() async throws {
        let rig = Rig([Self.codes(#","interval":25"#), Self.pending])
        #expect(await rig.run().code == .authorizationExpired)
        #expect(rig.seconds == [0, 25, 50])
        let slow = Rig([Self.codes(#","interval":3600"#), Self.pending])
        #expect(await slow.run().code == .authorizationExpired)
        #expect(slow.seconds == [0])
    }

    @Test(arguments: [
        ("access_denied", NetworkError.Code.authorizationDenied), ("expired_token", .authorizationExpired),
        ("invalid_grant", .reauthenticationRequired), ("invalid_client", .credentialMisconfigured),
    ])
    func decisionsEndIt(error: String, code: NetworkError.Code) async throws {
        let rig = Rig([Self.codes(), Self.pending, .status(400, #"{"error":"\#(error)"}"#)])
        #expect(await rig.run().code == code)
        #expect(rig.transport.requests.count == 3)
    }

    @Test func aServerThatIsDownIsAskedLessOften() async throws {
        let rig = Rig([
            Self.codes(), .status(503), .failure(NetworkError(.connectionRefused, "refused")), Self.granted,
        ])
        _ = try await rig.run().get()
        #expect(rig.seconds == [0, 5, 15, 35])
    }

    @Test func aDeadlineEndsIt() async throws {
        let rig = Rig([Self.codes(), Self.pending])
        #expect(await rig.run(deadline: .seconds(12)).code == .timeout)
        #expect(rig.seconds == [0, 5, 10])
    }

    /// Google names the address as an early draft did.
    @Test(arguments: [
        (#""verification_url":"https://a.example/device""#, "https://a.example/device"),
        (
            #""verification_uri":"https://a.example/one","verification_url":"https://a.example/two""#,
            "https://a.example/one"
        ),
    ])
    func theAddressHasTwoNames(members: String, address: String) async throws {
        let clock = ManualClock()
        let codes = #"{"device_code":"d","user_code":"u","expires_in":60,\#(members)}"#
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(clientID: "tv"),
            others: .init(deviceAuthorizationURL: "https://login.example.com/device"),
            transport: ScriptedTransport(.status(200, codes)), clock: clock)
        let shown = Locked<String?>(nil)
        let result = await outcome { () throws(NetworkError) in
            try await DeviceAuthorization(endpoint: endpoint).grant(for: endpoint.key()) { prompt in
                shown.withLock { $0 = prompt.verificationURI }
                throw NetworkError(.interactionRequired, "enough")
            }
        }
        #expect(result.code == .interactionRequired)
        #expect(shown.withLock { $0 } == address)
    }

    @Test(arguments: [
        #"{}"#,
        #"{"device_code":"d","user_code":"u","verification_uri":"javascript:alert(1)","expires_in":60}"#,
        #"{"device_code":"d","user_code":"u","verification_uri":"http://a.example/","expires_in":60}"#,
        #"{"device_code":"d","user_code":"\u001b[2J","verification_uri":"https://a.example/","expires_in":60}"#,
        #"{"device_code":"d","user_code":"u","verification_uri":"https://a.example/"}"#,
        #"{"device_code":"d","user_code":"u","verification_uri":"https://a.example/","expires_in":0}"#,
        #"{"device_code":"","user_code":"u","verification_uri":"https://a.example/","expires_in":60}"#,
    ])
    func answersThatHoldNoCodes(body: String) async throws {
        let rig = Rig([.status(200, body), Self.granted])
        #expect(await rig.run().code == .tokenResponseMalformed)
        #expect(rig.transport.requests.count == 1)
    }

    /// Against a server that counts for itself how often it is asked.
    @Test(arguments: [true, false])
    func somebodyDecidesElsewhere(agrees: Bool) async throws {
        let clock = ManualClock()
        var configuration = EmbeddedGateway.Configuration()
        configuration.clock = clock
        let gateway = try EmbeddedGateway.start(configuration)
        defer { gateway.shutdown() }
        let endpoint = try TokenEndpoint(
            gateway.tokenURL, client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
            others: .init(deviceAuthorizationURL: "\(gateway.tokenOrigin)/oauth/device_authorization"),
            transport: CurlTransport(), clock: clock)
        let key = endpoint.key(scopes: ["books:read"])
        let shown = Locked<DeviceAuthorization.Prompt?>(nil)
        let work = Task {
            await outcome { () throws(NetworkError) in
                try await DeviceAuthorization(endpoint: endpoint).grant(for: key) { prompt in
                    shown.withLock { $0 = prompt }
                }
            }
        }
        for round in 0..<3 {
            await clock.waitForSleepers(1)
            let prompt = shown.withLock { $0 }
            if round == 2 {
                let userCode = prompt?.userCode ?? ""
                if agrees { gateway.approveDevice(userCode: userCode, subject: "ann") }
                if !agrees { gateway.denyDevice(userCode: userCode) }
            }
            clock.advanceToNextSleeper()
        }
        let result = await work.value
        let prompt = shown.withLock { $0 }
        #expect(prompt != nil)
        #expect(gateway.slowDowns(userCode: prompt?.userCode ?? "") == 0)
        guard agrees else {
            #expect(result.code == .authorizationDenied)
            return
        }
        let coordinator = TokenRefreshCoordinator(
            acquirer: RefreshTokenGrant(endpoint: endpoint), clock: clock)
        coordinator.signIn(key, with: try result.get())
        let lease = try await coordinator.token(for: key)
        let renewed = try await coordinator.rejected(lease)
        #expect(try JSONWebToken.verify(renewed.accessToken, key: gateway.verificationKey).subject == "ann")
    }
}
