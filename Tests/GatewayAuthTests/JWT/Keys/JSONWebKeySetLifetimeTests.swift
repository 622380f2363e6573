import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

/// How long an issuer's keys are used, and how they change.
@Suite struct JSONWebKeySetLifetimeTests {
    private let rig = KeySetRig()

    @Test(
        arguments: [
            (nil, 600), ("max-age=3600", 3600), ("max-age=1", 60), ("no-store", 60),
            ("max-age=9999999", 86_400),
        ] as [(String?, Int)])
    func answersAreUsedAsLongAsTheySayWithinBounds(cacheControl: String?, seconds: Int) async throws {
        var fields = HTTPFields()
        fields["Cache-Control"] = cacheControl
        let (first, second) = (try KeySetRig.set(["old"]), try KeySetRig.set(["new"]))
        let transport = ScriptedTransport(.status(200, fields: fields, first), .status(200, second))
        var policy = JSONWebKeySetPolicy()
        policy.renewalFraction = 0
        let (verifier, _) = try rig.verifier(transport, policy)
        let token = try rig.token("old")
        #expect(await rig.code(verifier, token) == nil)
        rig.clock.advance(by: .seconds(seconds - 1))
        #expect(await rig.code(verifier, token) == nil)
        #expect(transport.requests.count == 1)
        rig.clock.advance(by: .seconds(1))
        // The key was taken back: nobody goes on using it.
        #expect(await rig.code(verifier, token) == .unknownKey)
        #expect(transport.requests.count == 2)
    }

    @Test func keysAreRenewedBeforeTheyEnd() async throws {
        let gate = Gate()
        let set = try KeySetRig.set(["k"])
        let transport = ScriptedTransport { _, index in
            if index > 0 { await gate.pass() }
            return .status(200, set)
        }
        let (verifier, _) = try rig.verifier(transport)
        let token = try rig.token("k")
        #expect(await rig.code(verifier, token) == nil)
        rig.clock.advance(by: .seconds(480))
        // Nobody waits for it.
        for _ in 0..<10 { #expect(await rig.code(verifier, token) == nil) }
        await gate.waitForArrivals(1)
        gate.open()
        #expect(transport.requests.count == 2)
    }

    // MARK: Rotation

    @Test func aNewKeyIsFetchedWhenATokenNamesIt() async throws {
        let (first, second) = (try KeySetRig.set(["old"]), try KeySetRig.set(["old", "new"]))
        let transport = ScriptedTransport(.status(200, first), .status(200, second))
        let (verifier, _) = try rig.verifier(transport)
        #expect(await rig.code(verifier, try rig.token("old")) == nil)
        #expect(await rig.code(verifier, try rig.token("new")) == .unknownKey)
        #expect(transport.requests.count == 1)
        rig.clock.advance(by: .seconds(30))
        #expect(await rig.code(verifier, try rig.token("new")) == nil)
        #expect(transport.requests.count == 2)
    }

    @Test func strangersCauseOneRequestInACoolDown() async throws {
        let set = try KeySetRig.set(["k"])
        let transport = ScriptedTransport(.status(200, set))
        let (verifier, _) = try rig.verifier(transport)
        #expect(await rig.code(verifier, try rig.token("k")) == nil)
        for round in 1...3 {
            rig.clock.advance(by: .seconds(30))
            let tokens = try (0..<100).map { try rig.token("made-up-\($0)") }
            let codes = await withTaskGroup(of: JSONWebTokenError.Code?.self) { group in
                for token in tokens { group.addTask { await rig.code(verifier, token) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.allSatisfy { $0 == .unknownKey })
            #expect(await rig.code(verifier, try rig.token("k")) == nil)
            #expect(transport.requests.count == 1 + round)
            for name in 0..<10 {
                #expect(await rig.code(verifier, try rig.token("late-\(name)")) == .unknownKey)
            }
            #expect(transport.requests.count == 1 + round)
        }
        #expect(await rig.code(verifier, try rig.token(nil)) == nil)
        #expect(transport.requests.count == 4)
    }

    @Test func aTokenOfAnotherKeyIsNotVerified() async throws {
        let transport = ScriptedTransport(.status(200, try KeySetRig.set(["k"])))
        let (verifier, _) = try rig.verifier(transport)
        let (secret, _) = try CurveKeys.pair(.es384)
        let key = try JSONWebTokenKey(pem: secret, algorithm: .es384)
        let claims: [String: JSONValue] = [
            "iss": "https://login.example.com", "aud": "api", "exp": 99_999_999_999,
        ]
        let other = try JSONWebToken.sign(claims: claims, key: key, keyID: "k")
        #expect(await rig.code(verifier, other) == .unknownKey)
        let good = try rig.token("k").exposed
        let forged = Secret(String(good.dropLast(4)) + "AAAA")
        #expect(await rig.code(verifier, forged) == .signatureInvalid)
        #expect(transport.requests.count == 1)
    }
}
