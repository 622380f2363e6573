import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

/// When an issuer's keys are fetched, how long they are used, and what a token gets meanwhile.
@Suite struct JSONWebKeySetSourceTests {
    private static let url = "https://login.example.com/jwks.json"
    private let clock = ManualClock()

    /// A set of the elliptic-curve key of these tests, under these names.
    private static func set(_ names: [String]) throws -> String {
        let pem = TestKeys.p256Public.pem.exposed.split(separator: "\n").dropFirst().dropLast().joined()
        let point = try #require(Base64.decode(pem.utf8)).suffix(64)
        let keys = names.map { name in
            #"{"kty":"EC","crv":"P-256","kid":"\#(name)","x":"\#(Base64.encodeURL(point.prefix(32)))","#
                + #""y":"\#(Base64.encodeURL(point.suffix(32)))"}"#
        }
        return #"{"keys":[\#(keys.joined(separator: ","))]}"#
    }

    private func token(_ keyID: String?, _ claims: [String: JSONValue] = [:]) throws -> Secret {
        let key = try JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256)
        var all: [String: JSONValue] = ["iss": "https://login.example.com", "aud": "api"]
        all["exp"] = .number(JSONNumber(clock.unixTime.components.seconds + 1_000_000))
        return try JSONWebToken.sign(claims: all.merging(claims) { $1 }, key: key, keyID: keyID)
    }

    private func verifier(
        _ transport: any Transport, _ policy: JSONWebKeySetPolicy = JSONWebKeySetPolicy()
    ) throws -> (JSONWebTokenVerifier, JSONWebKeySetSource) {
        let source = try JSONWebKeySetSource(Self.url, transport: transport, policy: policy, clock: clock)
        let requirements = JSONWebTokenRequirements(issuer: "https://login.example.com", audience: "api")
        return (JSONWebTokenVerifier(source: source, requirements: requirements, clock: clock), source)
    }

    private func code(_ verifier: JSONWebTokenVerifier, _ token: Secret) async -> JSONWebTokenError.Code? {
        await error(verifier, token)?.code
    }

    private func error(_ verifier: JSONWebTokenVerifier, _ token: Secret) async -> JSONWebTokenError? {
        do throws(JSONWebTokenError) {
            _ = try await verifier.verify(token)
            return nil
        } catch { return error }
    }

    // MARK: Fetching

    @Test func aTokenIsVerifiedFromEndToEnd() async throws {
        let transport = ScriptedTransport(.status(200, try Self.set(["k1", "k2"])))
        let (verifier, source) = try verifier(transport)
        #expect(source.current == nil)
        let token = try await verifier.verify(try token("k2", ["sub": "me"]))
        #expect(token.subject == "me")
        #expect(source.current?.keys.count == 2)
        for _ in 0..<10 { #expect(await code(verifier, try self.token("k1")) == nil) }
        let request = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        #expect(request.method == .get)
        #expect(request.origin.description + request.target == Self.url)
        #expect(request.fields.map(\.name) == [.accept])
    }

    @Test(arguments: [
        ("https://login.example.com/k", true), ("http://127.0.0.1:9/k", true), ("http://[::1]:9/k", true),
        ("http://login.example.com/k", false), ("http://localhost:9/k", false), ("http://10.0.0.1/k", false),
        ("http://127.0.0.1.evil.test/k", false),
    ])
    func keysAreFetchedOverTLSAlone(url: String, isFine: Bool) throws {
        let result = Result { try JSONWebKeySetSource(url, transport: ScriptedTransport()) }
        if isFine {
            _ = try result.get()
        } else {
            let error = #expect(throws: NetworkError.self) { try result.get() }
            #expect(error?.code == .insecureOrigin)
        }
    }

    @Test func whatIsRefusedWithoutAKeyCausesNoRequest() async throws {
        let transport = ScriptedTransport(.status(200, try Self.set(["k"])))
        let (verifier, _) = try verifier(transport)
        let hmac = try JSONWebTokenKey(secret: Array(repeating: 7, count: 32))
        let tokens: [(Secret, JSONWebTokenError.Code)] = [
            (Secret("x"), .malformed), (Secret(StandardVectors.noneToken), .unsupported),
            (try JSONWebToken.sign(claims: ["exp": 1], key: hmac, keyID: "k"), .unsupported),
            (try token("k", ["exp": 1]), .expired), (try token("k", ["iss": "x"]), .wrongIssuer),
            (try token("k", ["aud": "x"]), .wrongAudience),
        ]
        for (token, expected) in tokens { #expect(await code(verifier, token) == expected) }
        #expect(transport.requests.isEmpty)
    }

    @Test func aManyOfTokensMakeOneRequest() async throws {
        let gate = Gate()
        let set = try Self.set(["k"])
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200, set)
        }
        let (verifier, _) = try verifier(transport)
        let token = try token("k")
        let codes = await withTaskGroup(of: JSONWebTokenError.Code?.self) { group in
            for _ in 0..<200 { group.addTask { await code(verifier, token) } }
            await gate.waitForArrivals(1)
            gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count == 200)
        #expect(codes.allSatisfy { $0 == nil })
        #expect(transport.requests.count == 1)
    }

    @Test func aRequestOutlivesWhoCausedIt() async throws {
        let gate = Gate()
        let set = try Self.set(["k"])
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200, set)
        }
        let (verifier, _) = try verifier(transport)
        let token = try token("k")
        let first = Task { await error(verifier, token) }
        await gate.waitForArrivals(1)
        let second = Task { await error(verifier, token) }
        first.cancel()
        // It returns while the request hangs.
        #expect(await first.value?.cause == NetworkError.cancelled)
        gate.open()
        #expect(await second.value == nil)
        #expect(transport.requests.count == 1)
        let third = Task {
            while !Task.isCancelled { await Task.yield() }
            return await error(verifier, token)
        }
        third.cancel()
        // Who needs not wait is served.
        #expect(await third.value == nil)
    }

    // MARK: Lifetime

    @Test(
        arguments: [
            (nil, 600), ("max-age=3600", 3600), ("max-age=1", 60), ("no-store", 60),
            ("max-age=9999999", 86_400),
        ] as [(String?, Int)])
    func answersAreUsedAsLongAsTheySayWithinBounds(cacheControl: String?, seconds: Int) async throws {
        var fields = HTTPFields()
        fields["Cache-Control"] = cacheControl
        let (first, second) = (try Self.set(["old"]), try Self.set(["new"]))
        let transport = ScriptedTransport(.status(200, fields: fields, first), .status(200, second))
        var policy = JSONWebKeySetPolicy()
        policy.renewalFraction = 0
        let (verifier, _) = try verifier(transport, policy)
        let token = try token("old")
        #expect(await code(verifier, token) == nil)
        clock.advance(by: .seconds(seconds - 1))
        #expect(await code(verifier, token) == nil)
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(1))
        // The key was taken back: nobody goes on using it.
        #expect(await code(verifier, token) == .unknownKey)
        #expect(transport.requests.count == 2)
    }

    @Test func keysAreRenewedBeforeTheyEnd() async throws {
        let gate = Gate()
        let set = try Self.set(["k"])
        let transport = ScriptedTransport { _, index in
            if index > 0 { await gate.pass() }
            return .status(200, set)
        }
        let (verifier, _) = try verifier(transport)
        let token = try token("k")
        #expect(await code(verifier, token) == nil)
        clock.advance(by: .seconds(480))
        // Nobody waits for it.
        for _ in 0..<10 { #expect(await code(verifier, token) == nil) }
        await gate.waitForArrivals(1)
        gate.open()
        #expect(transport.requests.count == 2)
    }

    // MARK: Rotation

    @Test func aNewKeyIsFetchedWhenATokenNamesIt() async throws {
        let (first, second) = (try Self.set(["old"]), try Self.set(["old", "new"]))
        let transport = ScriptedTransport(.status(200, first), .status(200, second))
        let (verifier, _) = try verifier(transport)
        #expect(await code(verifier, try token("old")) == nil)
        #expect(await code(verifier, try token("new")) == .unknownKey)
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(30))
        #expect(await code(verifier, try token("new")) == nil)
        #expect(transport.requests.count == 2)
    }

    @Test func strangersCauseOneRequestInACoolDown() async throws {
        let set = try Self.set(["k"])
        let transport = ScriptedTransport(.status(200, set))
        let (verifier, _) = try verifier(transport)
        #expect(await code(verifier, try token("k")) == nil)
        for round in 1...3 {
            clock.advance(by: .seconds(30))
            let tokens = try (0..<100).map { try token("made-up-\($0)") }
            let codes = await withTaskGroup(of: JSONWebTokenError.Code?.self) { group in
                for token in tokens { group.addTask { await code(verifier, token) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.allSatisfy { $0 == .unknownKey })
            #expect(await code(verifier, try token("k")) == nil)
            #expect(transport.requests.count == 1 + round)
            for name in 0..<10 { #expect(await code(verifier, try token("late-\(name)")) == .unknownKey) }
            #expect(transport.requests.count == 1 + round)
        }
        #expect(await code(verifier, try token(nil)) == nil)
        #expect(transport.requests.count == 4)
    }

    @Test func aTokenOfAnotherKeyIsNotVerified() async throws {
        let transport = ScriptedTransport(.status(200, try Self.set(["k"])))
        let (verifier, _) = try verifier(transport)
        let (secret, _) = try CurveKeys.pair(.es384)
        let key = try JSONWebTokenKey(pem: secret, algorithm: .es384)
        let claims: [String: JSONValue] = [
            "iss": "https://login.example.com", "aud": "api", "exp": 99_999_999_999,
        ]
        let other = try JSONWebToken.sign(claims: claims, key: key, keyID: "k")
        #expect(await code(verifier, other) == .unknownKey)
        let good = try token("k").exposed
        let forged = Secret(String(good.dropLast(4)) + "AAAA")
        #expect(await code(verifier, forged) == .signatureInvalid)
        #expect(transport.requests.count == 1)
    }

    // MARK: Trouble

    @Test(
        arguments: [
            (.status(500), NetworkError.unacceptableStatus), (.status(204), NetworkError.unacceptableStatus),
            (.status(404, "{}"), NetworkError.unacceptableStatus),
            (.status(302, fields: [.location: "https://elsewhere.example/"]), NetworkError.redirectRefused),
            (.status(200, "<html>"), NetworkError.malformedResponse),
            (.status(200), NetworkError.malformedResponse),
            (
                .response(status: 200, body: Array(repeating: 32, count: 300 << 10)),
                NetworkError.responseTooLarge
            ),
            (
                .failure(NetworkError(NetworkError.connectionRefused, "No.")),
                NetworkError.connectionRefused
            ),
        ] as [(ScriptedTransport.Reply, NetworkError.Code)])
    func withoutKeysNothingIsSaidOfAToken(
        reply: ScriptedTransport.Reply, cause: NetworkError.Code
    ) async throws {
        let transport = ScriptedTransport(reply, .status(200, try Self.set(["k"])))
        let (verifier, _) = try verifier(transport)
        let error = await error(verifier, try token("k"))
        #expect(error?.code == .keysUnavailable)
        #expect(error?.cause == cause)
        // Not again at once, and then it goes on.
        #expect(await code(verifier, try token("k")) == .keysUnavailable)
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(1))
        #expect(await code(verifier, try token("k")) == nil)
        #expect(transport.requests.map(\.origin.host) == ["login.example.com", "login.example.com"])
    }

    @Test func anAnswerFromElsewhereIsNotTaken() async throws {
        struct Wandering: Transport {
            let body: String
            func send(
                _ request: HTTPRequest, context: RequestContext
            ) async throws(NetworkError) -> HTTPResponse {
                HTTPResponse(
                    status: 200, body: .bytes(Array(body.utf8)),
                    exchange: Exchange(origin: try Origin("https://elsewhere.example")))
            }
        }
        let (verifier, _) = try verifier(Wandering(body: try Self.set(["k"])))
        let error = await error(verifier, try token("k"))
        #expect(error?.cause == NetworkError.redirectRefused)
    }

    @Test func keysAreUsedOnWhileTheIssuerIsDown() async throws {
        let transport = ScriptedTransport(.status(200, try Self.set(["k"])), .status(503))
        let (verifier, source) = try verifier(transport)
        #expect(await code(verifier, try token("k")) == nil)
        clock.advance(by: .seconds(600))
        // The first one waits for the failure, the others are served at once.
        for _ in 0..<5 { #expect(await code(verifier, try token("k")) == nil) }
        #expect(transport.requests.count == 2)
        // A key that is not at hand may be a new one.
        #expect(await code(verifier, try token("new")) == .keysUnavailable)
        #expect(transport.requests.count == 2)
        clock.advance(by: .seconds(3600))
        let error = await error(verifier, try token("k"))
        #expect(error?.code == .keysUnavailable)
        #expect(error?.cause == NetworkError.unacceptableStatus)
        #expect(source.current == nil)
    }

    @Test func failuresAreAnsweredWithPatience() async throws {
        let transport = ScriptedTransport { _, index in
            .status(503, fields: index == 6 ? [.retryAfter: "300"] : [:])
        }
        let (verifier, _) = try verifier(transport)
        let token = try token("k")
        var waits: [Int] = []
        for _ in 0..<8 {
            let count = transport.requests.count
            var waited = 0
            while transport.requests.count == count {
                _ = await code(verifier, token)
                if transport.requests.count == count {
                    clock.advance(by: .seconds(1))
                    waited += 1
                }
            }
            waits.append(waited)
        }
        #expect(waits == [0, 1, 2, 4, 8, 16, 32, 300])
    }

    @Test func anIssuerThatNeverAnswersIsGivenUp() async throws {
        let gate = Gate()
        let set = try Self.set(["k"])
        let transport = ScriptedTransport { _, index in
            if index == 0 { await gate.pass() }
            return .status(200, set)
        }
        let (verifier, source) = try verifier(transport)
        let token = try token("k")
        let task = Task { await error(verifier, token) }
        await gate.waitForArrivals(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        #expect(await task.value?.cause == NetworkError.timeout)
        clock.advance(by: .seconds(1))
        #expect(await code(verifier, token) == nil)
        // What comes too late is not taken.
        gate.open()
        #expect(source.current?.keys.count == 1)
    }

    // MARK: Keys at hand

    @Test func keysAtHandServeToo() async throws {
        let set = try JSONWebKeySet(jsonBytes: Array(try Self.set(["k"]).utf8))
        let verifier = JSONWebTokenVerifier(
            keys: set, requirements: JSONWebTokenRequirements(issuer: nil, audience: nil), clock: clock)
        #expect(await code(verifier, try token("k")) == nil)
        #expect(await code(verifier, try token(nil)) == nil)
        #expect(await code(verifier, try token("other")) == .unknownKey)
    }

    @Test func accessTokensOfTheirOwnKind() async throws {
        let set = try JSONWebKeySet(jsonBytes: Array(try Self.set(["k"]).utf8))
        let key = try JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256)
        let claims: [String: JSONValue] = ["exp": 99_999_999_999]
        let access = try JSONWebToken.sign(claims: claims, key: key, keyID: "k", type: .accessToken)
        let plain = try JSONWebToken.sign(claims: claims, key: key, keyID: "k")
        let requirements = JSONWebTokenRequirements(issuer: nil, audience: nil, type: .accessToken)
        let verifier = JSONWebTokenVerifier(keys: set, requirements: requirements, clock: clock)
        #expect(await code(verifier, access) == nil)
        #expect(await code(verifier, plain) == .wrongType)
    }

    @Test func nothingIsPrinted() async throws {
        let transport = ScriptedTransport(.status(200, #"{"c4n4ry":"c4n4ry"}"#))
        let (verifier, source) = try verifier(transport)
        let error = await error(verifier, try token("c4n4ry", ["sub": "c4n4ry"]))
        let values: [Any] = [verifier, source, error as Any]
        var text = ""
        for value in values {
            text += "\(value)" + String(reflecting: value)
            dump(value, to: &text)
        }
        #expect(!text.contains("c4n4ry"))
    }
}
