import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayAuth

/// An operation or a path that accepts no token must not keep the others of its origin from getting new ones.
@Suite(.timeLimit(.minutes(1))) struct RejectingPathsTests {
    private static let origin = "https://api.example.com"

    /// What an API does.
    private final class Behaviour: Sendable {
        /// The tokens that it rejects.
        let revoked = Locked<Set<String>>([])
        /// Whether it rejects no others.
        let isMended = Locked(false)
    }

    /// An API that rejects each token that was revoked, and some requests with any token.
    private final class Rig: Sendable {
        let clock = ManualClock()
        let acquirer = ScriptedAcquirer()
        let recorder = EventRecorder()
        let coordinator: TokenRefreshCoordinator
        private let engine: AuthenticatedRequestEngine
        private let behaviour = Behaviour()

        /// - Parameter rejects: whether a request is rejected with any token.
        init(rejects: @escaping @Sendable (HTTPRequest) -> Bool = Rig.isNever) throws {
            let behaviour = behaviour
            let api = ScriptedTransport { request, _ in
                let token = request.fields[.authorization] ?? ""
                let isRevoked = behaviour.revoked.withLock { $0.contains(token) }
                let isMended = behaviour.isMended.withLock { $0 }
                if isRevoked || !isMended && rejects(request) { return .status(401) }
                return request.target == "/moved"
                    ? .status(302, fields: [.location: "/elsewhere"]) : .status(200)
            }
            coordinator = TokenRefreshCoordinator(
                acquirer: acquirer, clock: clock, random: SeededRandomSource(seed: 1))
            engine = AuthenticatedRequestEngine(
                transport: api, coordinator: coordinator,
                scope: try CredentialScope([RejectingPathsTests.origin]), clock: clock)
        }

        @Sendable static func isNever(_ request: HTTPRequest) -> Bool {
            request.target.hasPrefix("/never")
        }

        /// The token that was issued last is rejected from now on.
        func revoke() {
            let token = "Bearer token-\(acquirer.count)"
            behaviour.revoked.withLock { _ = $0.insert(token) }
        }

        /// From now on nothing but revoked tokens is rejected, or what was before.
        func mend(_ isMended: Bool = true) { behaviour.isMended.withLock { $0 = isMended } }

        /// The status, or the code of the error.
        func send(
            _ path: String, _ method: HTTPMethod = .get, operation: Operation? = nil,
            credentials: (any CredentialSource)? = nil
        ) async throws -> String {
            var context = RequestContext(operation: operation, credentials: credentials, clock: clock)
            context.events = recorder
            var request = try HTTPRequest(method, RejectingPathsTests.origin + path)
            request.fields["X-Operation"] = operation?.id
            let result = await outcome { [request, context] () throws(NetworkError) in
                try await engine.send(request, context: context)
            }
            return result.value.map { "\($0.status)" } ?? result.code.map { "\($0)" } ?? "no result"
        }
    }

    /// Calls one that is always rejected and one that is accepted, once a second for a minute, with a revocation. The
    /// accepted one never fails, and the other costs few tokens.
    private func check(
        _ rig: Rig, rejected: () async throws -> String, accepted: () async throws -> String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await accepted() == "200", sourceLocation: sourceLocation)
        for second in 0..<60 {
            if second == 30 { rig.revoke() }
            _ = try await rejected()
            #expect(try await accepted() == "200", "\(second)", sourceLocation: sourceLocation)
            rig.clock.advance(by: .seconds(1))
        }
        #expect(rig.acquirer.count <= 10, sourceLocation: sourceLocation)
        #expect(try await rejected() == "refresh_suspended", sourceLocation: sourceLocation)
    }

    @Test func otherPathsRecoverAtOnce() async throws {
        let rig = try Rig()
        try await check(rig) {
            try await rig.send("/never?tokens=\(rig.acquirer.count)")
        } accepted: {
            try await rig.send("/books")
        }
        // The origin accepts tokens, and is not said to be suspended.
        #expect(rig.recorder.stateEvents.isEmpty)
    }

    @Test func soDoOtherMethodsOfThePath() async throws {
        let rig = try Rig { $0.method == .post }
        try await check(rig) {
            try await rig.send("/books", .post)
        } accepted: {
            try await rig.send("/books", .get)
        }
    }

    @Test func soDoOtherOperationsAtThePath() async throws {
        let rig = try Rig { $0.fields["X-Operation"] == "never" }
        try await check(rig) {
            try await rig.send("/graphql", .post, operation: "never")
        } accepted: {
            try await rig.send("/graphql", .post, operation: "books")
        }
    }

    /// Where a path both accepts and rejects, and nothing tells its calls apart, they cost no token each.
    @Test func aPathThatAlsoAcceptsCostsFewTokens() async throws {
        let rig = try Rig { $0.target == "/rpc?never" }
        for _ in 0..<60 {
            _ = try await rig.send("/rpc?books")
            _ = try await rig.send("/rpc?never")
        }
        #expect(rig.acquirer.count <= 8)
    }

    /// A redirect may be sent without a look at the token.
    @Test func aRedirectIsNoAcceptance() async throws {
        let rig = try Rig { $0.target != "/moved" }
        for call in 0..<5 {
            #expect(try await rig.send("/moved") == "302")
            #expect(try await rig.send("/books/\(call)") == "401")
        }
        #expect(try await rig.send("/books") == "refresh_suspended")
    }

    /// It is called before anything else, so that nothing is accepted while it is counted.
    @Test func whatWasCountedForTheOriginIsForgotten() async throws {
        let rig = try Rig()
        for _ in 0..<5 { #expect(try await rig.send("/never") == "401") }
        #expect(try await rig.send("/never") == "refresh_suspended")
        #expect(try await rig.send("/books") == "200")
        rig.revoke()
        #expect(try await rig.send("/books") == "200")
        #expect(
            rig.recorder.stateEvents.map(\.kind) == [
                .refreshSuspended(for: RejectionCircuit.pause), .refreshResumed,
            ])
    }

    /// Calls to ever new paths must not cost a token each.
    @Test func manyPathsCountForTheirOrigin() async throws {
        let rig = try Rig()
        #expect(try await rig.send("/books") == "200")
        for call in 0..<200 {
            _ = try await rig.send("/never/\(call)")
            _ = try await rig.send("/books")
        }
        #expect(rig.acquirer.count <= RejectingPaths.maximumCount + RejectionCircuit.threshold + 1)
        #expect(try await rig.send("/never/200") == "refresh_suspended")
        // After a while others can be told apart again.
        rig.clock.advance(by: RejectionCircuit.longestPause + .seconds(1))
        #expect(try await rig.send("/books") == "200")
        for _ in 0..<5 { #expect(try await rig.send("/never/201") == "401") }
        rig.revoke()
        #expect(try await rig.send("/books") == "200")
    }

    @Test func whereNothingIsAcceptedTheOriginIsSuspended() async throws {
        let rig = try Rig()
        for call in 0..<5 { #expect(try await rig.send("/never/\(call)") == "401") }
        #expect(try await rig.send("/never/5") == "refresh_suspended")
        #expect(rig.acquirer.count == 6)
    }

    /// What is accepted at one of several origins says nothing about another one.
    @Test func aCredentialOfSeveralOriginsIsCountedByOrigin() async throws {
        let rig = try Rig()
        let both = rig.coordinator.credentials(
            origins: [try Origin(Self.origin), try Origin("https://other.example.com")])
        #expect(try await rig.send("/books", credentials: both) == "200")
        for call in 0..<5 { #expect(try await rig.send("/never/\(call)", credentials: both) == "401") }
        #expect(try await rig.send("/never/5", credentials: both) == "refresh_suspended")
    }

    @Test func whatAcceptsAgainIsForgotten() async throws {
        let rig = try Rig()
        #expect(try await rig.send("/books") == "200")
        for _ in 0..<5 { #expect(try await rig.send("/never") == "401") }
        #expect(try await rig.send("/never") == "refresh_suspended")
        rig.mend()
        rig.revoke()
        rig.clock.advance(by: RejectionCircuit.pause)
        #expect(try await rig.send("/never") == "200")
        rig.mend(false)
        for _ in 0..<5 { #expect(try await rig.send("/never") == "401") }
        #expect(try await rig.send("/never") == "refresh_suspended")
    }
}
