import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// Admits every attempt, and notes with what the next one would be stamped when its permit ends.
private final class NotingAdmission: AdmissionControl {
    private struct Permit: AdmissionPermit {
        let owner: NotingAdmission
        let request: HTTPRequest
        let context: RequestContext

        func end(_ outcome: AdmissionOutcome) {
            var next = request
            _ = try? context.credentials?.stamp(&next, atLeast: 0)
            let field = next.fields[.authorization] ?? "none"
            owner.noted.withLock { [target = request.target] in $0.append((target, field)) }
        }
    }

    private let noted = Locked<[(target: String, next: String)]>([])

    /// By the end of each attempt with a target.
    func next(after target: String) -> [String] {
        noted.withLock { $0.filter { $0.target == target }.map(\.next) }
    }

    func enter(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> any AdmissionPermit {
        Permit(owner: self, request: request, context: context)
    }
}

/// A 401 is noted before the permit of its attempt ends, so that the next attempt is not stamped with what was rejected.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct RefusalNoteTests {
    private final class Rig: Sendable {
        private let admission = NotingAdmission()
        private let transport: ScriptedTransport
        let acquirer = ScriptedAcquirer()
        private let engine: AuthenticatedRequestEngine

        /// - Parameters:
        ///   - refusal: the challenge of a 401.
        ///   - isRefused: whether a request with this target and field is answered with a 401.
        init(
            refusal: String = "Bearer error=\"invalid_token\"",
            isRefused: @escaping @Sendable (_ target: String, _ field: String) -> Bool
        ) throws {
            transport = ScriptedTransport { request, _ in
                isRefused(request.target, request.fields[.authorization] ?? "")
                    ? .status(401, fields: [.wwwAuthenticate: refusal]) : .status(200)
            }
            engine = AuthenticatedRequestEngine(
                below: AttemptEngine(transport: transport, admission: admission),
                coordinator: TokenRefreshCoordinator(
                    acquirer: acquirer, clock: ManualClock(), random: SeededRandomSource(seed: 1)),
                scope: try CredentialScope(["https://api.example.com"]))
        }

        /// The target and the credential of each request.
        var sent: [String] {
            transport.requests.map { "\($0.target) \($0.fields[.authorization] ?? "")" }
        }

        func get(_ path: String) async throws -> Int {
            try await engine.send(try HTTPRequest(.get, "https://api.example.com" + path)).status
        }

        /// Sends a request to `/refused`.
        ///
        /// - Returns: with what another one would have been sent when its first attempt had ended.
        func tokenAfterRefusal() async throws -> String? {
            _ = try await get("/refused")
            return admission.next(after: "/refused").first
        }
    }

    @Test func aTokenThatWasAcceptedIsSentNoMore() async throws {
        let rig = try Rig { $0 == "/refused" && $1 == "Bearer token-1" }
        #expect(try await rig.get("/first") == 200)
        #expect(try await rig.tokenAfterRefusal() == "none")
        #expect(rig.acquirer.count == 2)
        #expect(rig.sent.last == "/refused Bearer token-2")
    }

    /// It may be one that this API never accepts: a new token for each call would not help.
    @Test func aTokenThatWasNeverAcceptedIsLeftToItsCall() async throws {
        let rig = try Rig { $0 == "/refused" && $1 == "Bearer token-1" }
        #expect(try await rig.tokenAfterRefusal() == "Bearer token-1")
        #expect(rig.acquirer.count == 2)
    }

    /// A call that cannot be stamped any more fails for a lifetime that is too short, not for a revocation.
    @Test(arguments: [true, false]) func aRejectedTokenHasNotExpired(isRejected: Bool) async throws {
        let (clock, origin) = (ManualClock(), try Origin("https://api.example.com"))
        let source = TokenRefreshCoordinator(
            acquirer: ScriptedAcquirer(expiresIn: .seconds(600)), clock: clock
        ).credentials(origins: [origin]).pinned()
        try await source.ready(atLeast: 0, deadline: nil)
        #expect(!source.hasExpired(atLeast: 0))
        if isRejected { source.reject(1, renewing: false) }
        clock.advance(by: .seconds(600))
        #expect(source.hasExpired(atLeast: 0) == !isRejected)
        #expect(!source.hasExpired(atLeast: 2))
    }

    @Test(arguments: ["DPoP error=\"use_dpop_nonce\"", "Bearer error=\"insufficient_user_authentication\""])
    func aRefusalThatIsNotAboutTheTokenRejectsNone(refusal: String) async throws {
        let rig = try Rig(refusal: refusal) { target, _ in target == "/refused" }
        #expect(try await rig.get("/first") == 200)
        #expect(try await rig.tokenAfterRefusal() == "Bearer token-1")
        #expect(rig.acquirer.count == 1)
    }

    /// A path that accepts no token must not cost the calls to others a token each.
    @Test func afterARejectedReplayTheCallsDecide() async throws {
        let rig = try Rig { target, _ in target != "/first" }
        #expect(try await rig.get("/first") == 200)
        #expect(try await rig.get("/never") == 401)
        #expect(rig.acquirer.count == 2)
        #expect(try await rig.get("/first") == 200)
        #expect(try await rig.tokenAfterRefusal() == "Bearer token-2")
    }
}
