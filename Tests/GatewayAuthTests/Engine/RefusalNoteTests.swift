import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// Reports each 401 before its script gives it.
private struct NotingTransport: Transport {
    let scripted: ScriptedTransport
    let refusal: String
    let isRefused: @Sendable (_ target: String, _ field: String) -> Bool

    init(
        _ scripted: ScriptedTransport, refusal: String,
        isRefused: @escaping @Sendable (_ target: String, _ field: String) -> Bool
    ) {
        self.scripted = scripted
        self.refusal = refusal
        self.isRefused = isRefused
    }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        if let stamp = request.handover?.stamp,
            isRefused(request.target, request.fields[.authorization] ?? "")
        {
            context.credentials?.noteRefusal([.wwwAuthenticate: refusal], of: stamp)
        }
        return try await scripted.send(request, context: context)
    }
}

/// What a transport reports of a 401 before its call has run.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct RefusalNoteTests {
    /// An engine over a transport that reports each 401 and holds it back, so that its call learns of it later.
    private final class Rig: Sendable {
        let gate = Gate()
        private let scripted: ScriptedTransport
        let acquirer = ScriptedAcquirer()
        let engine: AuthenticatedRequestEngine

        /// - Parameters:
        ///   - refusal: the challenge of a 401.
        ///   - isRefused: whether a request with this target and field is answered with a 401.
        init(
            refusal: String = "Bearer error=\"invalid_token\"",
            isRefused: @escaping @Sendable (_ target: String, _ field: String) -> Bool
        ) throws {
            let scripted = ScriptedTransport { [gate] request, _ in
                guard isRefused(request.target, request.fields[.authorization] ?? "") else {
                    return .status(200)
                }
                if request.target == "/refused" { await gate.pass() }
                return .status(401, fields: [.wwwAuthenticate: refusal])
            }
            self.scripted = scripted
            engine = AuthenticatedRequestEngine(
                transport: NotingTransport(scripted, refusal: refusal, isRefused: isRefused),
                coordinator: TokenRefreshCoordinator(
                    acquirer: acquirer, clock: ManualClock(), random: SeededRandomSource(seed: 1)),
                scope: try CredentialScope(["https://api.example.com"]))
        }

        /// The target and the credential of each request.
        var sent: [String] {
            scripted.requests.map { "\($0.target) \($0.fields[.authorization] ?? "")" }
        }

        func get(_ path: String) async throws -> Int {
            try await engine.send(try HTTPRequest(.get, "https://api.example.com" + path)).status
        }

        /// Sends a request to `/refused`, and another one while its 401 is held back.
        ///
        /// - Returns: what the other one was sent with.
        func tokenDuringRefusal() async throws -> String? {
            let refused = Task { try await get("/refused") }
            await gate.waitForArrivals(1)
            _ = try await get("/other")
            let token = sent.last { $0.hasPrefix("/other") }
            gate.open()
            _ = try await refused.value
            return token
        }
    }

    @Test func aTokenThatWasAcceptedIsSentNoMore() async throws {
        let rig = try Rig { $0 == "/refused" && $1 == "Bearer token-1" }
        #expect(try await rig.get("/first") == 200)
        #expect(try await rig.tokenDuringRefusal() == "/other Bearer token-2")
        #expect(rig.acquirer.count == 2)
        #expect(rig.sent.last == "/refused Bearer token-2")
    }

    /// It may be one that this API never accepts: a new token for each call would not help.
    @Test func aTokenThatWasNeverAcceptedIsLeftToItsCall() async throws {
        let rig = try Rig { $0 == "/refused" && $1 == "Bearer token-1" }
        #expect(try await rig.tokenDuringRefusal() == "/other Bearer token-1")
        #expect(rig.acquirer.count == 2)
    }

    @Test(arguments: ["DPoP error=\"use_dpop_nonce\"", "Bearer error=\"insufficient_user_authentication\""])
    func aRefusalThatIsNotAboutTheTokenRejectsNone(refusal: String) async throws {
        let rig = try Rig(refusal: refusal) { target, _ in target == "/refused" }
        #expect(try await rig.get("/first") == 200)
        #expect(try await rig.tokenDuringRefusal() == "/other Bearer token-1")
        #expect(rig.acquirer.count == 1)
    }

    /// A path that accepts no token must not cost the calls to others a token each.
    @Test func afterARejectedReplayTheCallsDecide() async throws {
        let rig = try Rig { target, _ in target != "/first" && target != "/other" }
        #expect(try await rig.get("/first") == 200)
        #expect(try await rig.get("/never") == 401)
        #expect(rig.acquirer.count == 2)
        #expect(try await rig.get("/first") == 200)
        #expect(try await rig.tokenDuringRefusal() == "/other Bearer token-2")
    }
}
