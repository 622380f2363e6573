import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Which responses reject a token: 401s, and by configuration 400s and 403s that say so.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct RejectionStatusTests {
    private static let origin = "https://api.example.com"
    private static let challenge = #"Bearer realm="api", error="invalid_token""#
    private static let body = #"{"error":"invalid_token","error_description":"revoked"}"#

    /// An API that refuses the first token.
    private static func api(
        _ status: Int, _ challenges: [String] = [], _ body: String = "", isStreamed: Bool = false
    ) -> ScriptedTransport {
        ScriptedTransport { request, _ in
            guard request.fields[.authorization] == "Bearer token-1" else { return .status(200) }
            var fields = HTTPFields()
            for challenge in challenges { fields.append(HTTPField(.wwwAuthenticate, challenge)) }
            guard isStreamed else { return .status(status, fields: fields, body) }
            return .streamed(
                status: status, fields: fields, OneShotPieces(piece: Array(body.utf8)[...]))
        }
    }

    private func send(
        _ api: ScriptedTransport, statuses: Set<Int>?, method: HTTPMethod = .get, body: HTTPBody = .empty,
        stepUp: Set<String> = []
    ) async throws -> (status: Int, calls: Int, tokens: Int) {
        let acquirer = ScriptedAcquirer()
        var scope = try CredentialScope([Self.origin])
        if let statuses { scope.rejectionStatuses[try Origin(Self.origin)] = statuses }
        if !stepUp.isEmpty { scope.stepUpScopes[try Origin(Self.origin)] = stepUp }
        let engine = AuthenticatedRequestEngine(
            transport: api, coordinator: TokenRefreshCoordinator(acquirer: acquirer, clock: ManualClock()),
            scope: scope, clock: ManualClock())
        var request = try HTTPRequest(method, Self.origin + "/a")
        request.body = body
        let response = try await engine.send(request)
        return (response.status, api.requests.count, acquirer.count)
    }

    @Test(arguments: [400, 403])
    func aStatusOfTheConfigurationIsHandledAsA401(status: Int) async throws {
        for (challenges, body) in [
            ([Self.challenge], ""), ([], Self.body), (["Bearer"], Self.body),
            (["Basic realm=x", #"DPoP error="invalid_token""#], "<html>"),
        ] {
            let api = Self.api(status, challenges, body)
            #expect(try await send(api, statuses: [status]) == (200, 2, 2))
        }
    }

    @Test(arguments: [400, 403])
    func byDefaultItIsTheCallers(status: Int) async throws {
        for statuses in [nil, [], status == 400 ? [403] : [400], [404, 500, 401]] as [Set<Int>?] {
            let api = Self.api(status, [Self.challenge], Self.body)
            #expect(try await send(api, statuses: statuses) == (status, 1, 1))
        }
    }

    @Test(arguments: [400, 403])
    func anyOtherRefusalIsTheCallers(status: Int) async throws {
        for (challenges, body) in [
            ([], ""), (["Bearer"], ""), ([#"Bearer error="invalid_request""#], Self.body),
            ([#"Bearer error="insufficient_scope", scope="x""#], Self.body),
            ([], "<html>invalid_token</html>"),
            ([], #"{"error":"invalid_grant"}"#), ([], #"{"error":{"code":"invalid_token"}}"#),
            ([], #"["invalid_token"]"#), ([], Self.body + String(repeating: " ", count: 16 << 10)),
        ] {
            let api = Self.api(status, challenges, body)
            #expect(try await send(api, statuses: [400, 403]) == (status, 1, 1), "\(challenges) \(body)")
        }
    }

    @Test func aStreamedBodyIsNotRead() async throws {
        #expect(
            try await send(Self.api(403, [], Self.body, isStreamed: true), statuses: [403]) == (403, 1, 1))
        #expect(
            try await send(Self.api(403, [Self.challenge], Self.body, isStreamed: true), statuses: [403])
                == (200, 2, 2))
    }

    @Test func aBodyThatIsGoneIsNotSentAgain() async throws {
        let api = ScriptedTransport { request, _ in
            if case .once(_, let stream) = request.body.storage { _ = stream.take() }
            return .status(403, fields: [.wwwAuthenticate: Self.challenge])
        }
        let result = try await send(api, statuses: [403], method: .post, body: .once(OneShotPieces()))
        #expect(result.status == 403 && result.calls == 1)
    }

    /// A second refusal is the caller's, a thousand calls share a refresh, and endless refusals suspend refreshing.
    @Test func theRulesFor401sHold() async throws {
        let api = ScriptedTransport { _, _ in .status(403, fields: [.wwwAuthenticate: Self.challenge]) }
        let acquirer = ScriptedAcquirer()
        let clock = ManualClock()
        var scope = try CredentialScope([Self.origin])
        scope.rejectionStatuses[try Origin(Self.origin)] = [403]
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, clock: clock)
        let engine = AuthenticatedRequestEngine(
            transport: api, coordinator: coordinator, scope: scope, clock: clock)
        let request = try HTTPRequest(.get, Self.origin + "/a")
        for call in 1...5 {
            let response = try await engine.send(request)
            #expect(response.status == 403 && response.exchange.attempts == 2)
            #expect(acquirer.count == call + 1)
        }
        let result = await outcome { () throws(NetworkError) in try await engine.send(request) }
        guard case .failure(let error) = result else {
            Issue.record("Refreshing went on.")
            return
        }
        #expect(error.code == .refreshSuspended && error.status == 403)
        #expect(error.message.contains("audience"))
        #expect(acquirer.count == 6)
    }

    @Test func manyRejectionsAreOneRefresh() async throws {
        let api = Self.api(400, [], Self.body)
        let acquirer = ScriptedAcquirer()
        var scope = try CredentialScope([Self.origin])
        scope.rejectionStatuses[try Origin(Self.origin)] = [400]
        let engine = AuthenticatedRequestEngine(
            transport: api, coordinator: TokenRefreshCoordinator(acquirer: acquirer, clock: ManualClock()),
            scope: scope, clock: ManualClock())
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<200 {
                group.addTask {
                    try await engine.send(try HTTPRequest(.get, Self.origin + "/\(index)")).status
                }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(acquirer.count == 2)
    }

    // MARK: Proofs

    private static func refreshes(_ challenges: [String], scheme: String) -> Bool {
        var fields = HTTPFields()
        for challenge in challenges { fields.append(HTTPField(.wwwAuthenticate, challenge)) }
        guard let origin = try? Origin(origin) else { return false }
        return HTTPResponse(status: 401, fields: fields, exchange: Exchange(origin: origin))
            .rejectsToken(scheme: scheme, statuses: [])
    }

    /// The proof is refused, not the token: among several challenges those of the credential's scheme count.
    @Test func aRefusedProofRefreshesNothing() {
        let (proof, token) = (#"DPoP error="invalid_dpop_proof", algs="ES256""#, #"error="invalid_token""#)
        #expect(!Self.refreshes([proof], scheme: "DPoP"))
        #expect(!Self.refreshes([proof + ", Bearer realm=x"], scheme: "DPoP"))
        #expect(!Self.refreshes(["Bearer \(token)", proof], scheme: "DPoP"))
        #expect(!Self.refreshes(["Bearer realm=x", "Basic realm=y, \(proof)"], scheme: "DPoP"))
        #expect(!Self.refreshes([#"dpop ERROR="invalid_dpop_proof""#], scheme: "DPoP"))
        #expect(Self.refreshes(["DPoP \(token)", proof], scheme: "DPoP"))
        #expect(Self.refreshes(["DPoP \(token)"], scheme: "DPoP"))
        #expect(Self.refreshes(["Bearer \(token)"], scheme: "DPoP"))
        #expect(Self.refreshes(["Bearer \(token)", proof], scheme: "Bearer"))
        #expect(!Self.refreshes([proof], scheme: "Bearer"))
        #expect(Self.refreshes([], scheme: "DPoP"))
    }
}
