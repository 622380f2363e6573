import GatewayCore
import GatewayJSON
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// When an issuer's keys are fetched, and what a token gets meanwhile.
@Suite(.tags(.concurrent)) struct JSONWebKeySetSourceTests {
    private let rig = KeySetRig()

    @Test func aTokenIsVerifiedFromEndToEnd() async throws {
        let transport = ScriptedTransport(.status(200, try KeySetRig.set(["k1", "k2"])))
        let (verifier, source) = try rig.verifier(transport)
        #expect(source.current == nil)
        let token = try await verifier.verify(try rig.token("k2", ["sub": "me"]))
        #expect(token.subject == "me")
        #expect(source.current?.keys.count == 2)
        for _ in 0..<10 { #expect(await rig.code(verifier, try rig.token("k1")) == nil) }
        let request = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        #expect(request.method == .get)
        #expect(request.origin.description + request.target == KeySetRig.url)
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
        let transport = ScriptedTransport(.status(200, try KeySetRig.set(["k"])))
        let (verifier, _) = try rig.verifier(transport)
        let hmac = try JSONWebTokenKey(secret: Array(repeating: 7, count: 32))
        let tokens: [(Secret, JSONWebTokenError.Code)] = [
            (Secret("x"), .malformed), (Secret(StandardVectors.noneToken), .unsupported),
            (try JSONWebToken.sign(claims: ["exp": 1], key: hmac, keyID: "k"), .unsupported),
            (try rig.token("k", ["exp": 1]), .expired), (try rig.token("k", ["iss": "x"]), .wrongIssuer),
            (try rig.token("k", ["aud": "x"]), .wrongAudience),
        ]
        for (token, expected) in tokens { #expect(await rig.code(verifier, token) == expected) }
        #expect(transport.requests.isEmpty)
    }

    @Test func aManyOfTokensMakeOneRequest() async throws {
        let gate = Gate()
        let set = try KeySetRig.set(["k"])
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200, set)
        }
        let (verifier, source) = try rig.verifier(transport)
        let token = try rig.token("k")
        let codes = await withTaskGroup(of: JSONWebTokenError.Code?.self) { group in
            for _ in 0..<200 { group.addTask { await rig.code(verifier, token) } }
            await gate.waitForArrivals(1)
            await eventually { source.waiterCount == 200 }
            gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count == 200)
        #expect(codes.allSatisfy { $0 == nil })
        #expect(transport.requests.count == 1)
    }

    @Test func aRequestOutlivesWhoCausedIt() async throws {
        let gate = Gate()
        let set = try KeySetRig.set(["k"])
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200, set)
        }
        let (verifier, _) = try rig.verifier(transport)
        let token = try rig.token("k")
        let first = Task { await rig.error(verifier, token) }
        await gate.waitForArrivals(1)
        let second = Task { await rig.error(verifier, token) }
        first.cancel()
        // It returns while the request hangs.
        #expect(await first.value?.cause == NetworkError.cancelled)
        gate.open()
        #expect(await second.value == nil)
        #expect(transport.requests.count == 1)
        let third = Task {
            while !Task.isCancelled { await Task.yield() }
            return await rig.error(verifier, token)
        }
        third.cancel()
        // Who needs not wait is served.
        #expect(await third.value == nil)
    }
}
