import GatewayCore
import GatewayJSON
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Tokens that are bound to a key (RFC 9449).
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct DPoPTests {
    // MARK: Proofs

    @Test func everyAttemptCarriesAProofOfItsOwn() async throws {
        let rig = try BoundRig()
        _ = try await rig.send("/books?page=2")
        rig.clock.advance(by: .seconds(3))
        _ = try await rig.send("/books/7", .post, body: .text("{}"))
        // A replay after a refresh is another attempt with another token.
        rig.places.state.withLock { _ = $0.revoked.insert("token-1") }
        rig.clock.advance(by: .seconds(2))
        #expect(try await rig.send("/orders").status == 200)

        let proofs = try rig.places.calls.map { try #require(try ReadProof($0)) }
        #expect(Set(proofs.map { $0["jti"] }).count == 4)
        #expect(proofs.allSatisfy { ($0["jti"]?.utf8.count ?? 0) >= 16 })
        #expect(
            proofs.map { $0["htu"] }
                == ["/books", "/books/7", "/orders", "/orders"].map { NoncePlaces.api + $0 })
        #expect(proofs.map { $0["htm"] } == ["GET", "POST", "GET", "GET"])
        #expect(proofs.map(\.token.issuedAt) == [0, 3, 5, 5].map { .seconds(1_767_225_600 + $0) })
        // base64url(SHA-256("token-1")) and of "token-2", computed apart.
        let (first, second) = (
            "PwiqzhIu4jaEMsHKI6BJvGQLr78A_fM6UkKfOLoS2_k", "D2v_qWYctd0vP3spKfMwYfWKe6f91olTCxowb47Y8-w"
        )
        #expect(proofs.map { $0["ath"] } == [first, first, first, second])
        #expect(
            rig.places.calls.map { $0.fields[.authorization] }
                == ["DPoP token-1", "DPoP token-1", "DPoP token-1", "DPoP token-2"])
    }

    /// An attempt that need not wait looks at its token once.
    @Test func anAttemptReadsTheTokenOnce() async throws {
        let clock = CountingClock()
        let rig = try BoundRig(tokenClock: clock)
        _ = try await rig.coordinator.token()
        let source = rig.coordinator.credentials(origins: [try Origin(NoncePlaces.api)])
        for source in [source, source.pinned()] {
            var reads: [Int] = []
            for _ in 0..<3 {
                var request = try HTTPRequest(.get, NoncePlaces.api + "/books")
                let before = clock.reads
                let stamp = try source.stampIfReady(&request, atLeast: 0)
                reads.append(clock.reads - before)
                #expect(stamp?.generation == 1 && request.fields["DPoP"] != nil)
            }
            #expect(reads.min() == 1)
        }
    }

    @Test func tokenRequestsCarryProofsToo() async throws {
        let rig = try BoundRig()
        let lease = try await rig.coordinator.token()
        #expect(lease.type == .dpop)
        _ = try await rig.coordinator.rejected(lease)
        let proofs = try rig.places.tokenRequests.map { try #require(try ReadProof($0)) }
        #expect(Set(proofs.map { $0["jti"] }).count == 2)
        for proof in proofs {
            #expect(proof["htm"] == "POST" && proof["htu"] == NoncePlaces.login + "/token")
            #expect(proof["ath"] == nil)
            #expect(proof.key.kind == .ellipticCurve)
        }
    }

    /// What was bound and comes as a bearer token was stripped of its binding.
    @Test(arguments: ["Bearer", "bearer", "N_A", ""])
    func aTokenThatIsNotBoundIsRefused(type: String) async throws {
        let rig = try BoundRig()
        rig.places.state.withLock { $0.type = type }
        let result = await outcome { () throws(NetworkError) in try await rig.send() }
        #expect(result.code == .tokenResponseMalformed)
        #expect(rig.places.calls.isEmpty)
    }

    @Test func aBoundTokenIsNeverSentAsABearerToken() async throws {
        // By an acquirer that has lost its binding, and from a store that another process wrote.
        let grant = TokenGrant(accessToken: Secret("bound"), expiresIn: .seconds(3600), type: .dpop)
        let store = MemoryTokenStore()
        for coordinator in [
            TokenRefreshCoordinator(acquirer: ScriptedAcquirer { _, _ in grant }, policy: .impatient),
            TokenRefreshCoordinator(
                acquirer: ScriptedAcquirer { _, _ in grant }, store: store, policy: .impatient),
            TokenRefreshCoordinator(acquirer: ScriptedAcquirer(), store: store, policy: .impatient),
        ] {
            let api = ScriptedTransport(.status(200))
            let engine = AuthenticatedRequestEngine(
                transport: api, coordinator: coordinator, scope: try CredentialScope([NoncePlaces.api]))
            let result = await outcome { () throws(NetworkError) in
                try await engine.send(try HTTPRequest(.get, NoncePlaces.api + "/"))
            }
            #expect(result.code == .credentialMisconfigured)
            #expect(api.requests.isEmpty)
        }
    }

    /// Draws for the identifiers of proofs, and counts them.
    private final class CountedRandom: RandomSource {
        private let source = SeededRandomSource(seed: 1)
        private let draws = Locked(0)

        var count: Int { draws.withLock { $0 } }

        func next() -> UInt64 {
            draws.withLock { $0 += 1 }
            return source.next()
        }
    }

    /// A 401 for a token that was renewed meanwhile: the newer one is found without a signature.
    @Test func aRejectionSignsNoProofThatIsNotSent() async throws {
        let random = CountedRandom()
        let rig = try BoundRig(random: random)
        let coordinator = rig.coordinator
        let lease = try await coordinator.token()
        let drawsOfAProof = random.count
        #expect(drawsOfAProof > 0 && rig.places.tokenRequests.count == 1)
        let api = ScriptedTransport { _, index in
            guard index == 0 else { return .status(200) }
            _ = try? await coordinator.rejected(lease)
            return .status(401, fields: [.wwwAuthenticate: #"DPoP error="invalid_token""#])
        }
        let engine = AuthenticatedRequestEngine(
            transport: api, coordinator: coordinator, scope: try CredentialScope([NoncePlaces.api]))
        let response = try await engine.send(try HTTPRequest(.get, NoncePlaces.api + "/"))
        #expect(response.status == 200 && response.exchange.attempts == 2)
        let proofs = rig.places.tokenRequests.count + api.requests.count
        #expect(proofs == 4 && random.count == proofs * drawsOfAProof)
    }

    // MARK: Nonces

    @Test func aNonceIsAskedForOnceAndUsedFromThenOn() async throws {
        let rig = try BoundRig()
        rig.places.state.withLock { ($0.tokenNonce, $0.apiNonce) = ("t1", "a1") }
        #expect(try await rig.send().exchange.attempts == 2)
        #expect(try await rig.send().exchange.attempts == 1)
        #expect(try rig.places.tokenRequests.map { try ReadProof($0)?["nonce"] } == [nil, "t1"])
        #expect(try rig.places.calls.map { try ReadProof($0)?["nonce"] } == [nil, "a1", "a1"])
        // No refresh: one grant.
        #expect(rig.places.state.withLock(\.tokens) == 1)
        // Any answer brings the next one.
        rig.places.state.withLock { state in
            state.statuses = [503]
            state.apiNonce = "a2"
        }
        #expect(try await rig.send().status == 503)
        #expect(try await rig.send().exchange.attempts == 1)
        #expect(try rig.places.calls.last.map { try ReadProof($0)?["nonce"] } == "a2")
        // One origin's nonce is none of another's: the token endpoint's is still its own.
        let lease = try await rig.coordinator.token()
        _ = try await rig.coordinator.rejected(lease)
        #expect(try rig.places.tokenRequests.last.map { try ReadProof($0)?["nonce"] } == "t1")
    }

    @Test func aRepeatedNonceStops() async throws {
        let rig = try BoundRig()
        rig.places.state.withLock { ($0.apiNonce, $0.isStubborn) = ("a1", false) }
        #expect(try await rig.send().status == 200)
        rig.places.state.withLock { $0.isStubborn = true }
        // The proof held the very nonce that is demanded: nothing is sent again, and nothing refreshed.
        let refused = try await rig.send()
        #expect(refused.status == 401)
        #expect(refused.exchange.attempts == 1)
        #expect(rig.places.state.withLock(\.tokens) == 1)
    }

    @Test func aNonceCostsOneRepetitionInACall() async throws {
        let rig = try BoundRig()
        _ = try await rig.coordinator.token()
        let numbers = Counter()
        // Another nonce with each answer, and none of them is ever accepted.
        let hostile = ScriptedTransport { _, _ in
            .status(
                401,
                fields: [
                    .wwwAuthenticate: #"DPoP error="use_dpop_nonce""#, "DPoP-Nonce": "n\(numbers.next())",
                ])
        }
        let coordinator = rig.coordinator
        let engine = AuthenticatedRequestEngine(
            transport: hostile, coordinator: coordinator, scope: try CredentialScope([NoncePlaces.api]))
        let response = try await engine.send(try HTTPRequest(.get, NoncePlaces.api + "/"))
        #expect(response.status == 401)
        #expect(hostile.requests.count == 2)
        #expect(rig.places.state.withLock(\.tokens) == 1)
    }

    @Test func theTokenEndpointsNonceCostsOneRepetition() async throws {
        let rig = try BoundRig()
        rig.places.state.withLock { ($0.tokenNonce, $0.isStubborn) = ("t1", true) }
        let result = await outcome { () throws(NetworkError) in try await rig.coordinator.token() }
        #expect(result.code == .tokenUnavailable)
        #expect(rig.places.tokenRequests.count == 2)
        rig.clock.advance(by: .seconds(3600))
        // The nonce is known now, and the same is demanded again.
        _ = await outcome { () throws(NetworkError) in try await rig.coordinator.token() }
        #expect(rig.places.tokenRequests.count == 3)
    }

    /// The error says what the endpoint does: another nonce each time, the same again, or none.
    @Test(arguments: [
        ("another", "requires another DPoP nonce after each proof"),
        ("same", "requires a DPoP nonce that the proof already had"),
        ("none", "requires a DPoP nonce and sends none that can be used"),
    ])
    func theErrorTellsWhichNonceIsDemanded(kind: String, fact: String) async throws {
        let login = ScriptedTransport { _, index in
            let nonce = kind == "another" ? "n\(index)" : "n"
            return .status(
                400, fields: kind == "none" ? [:] : ["DPoP-Nonce": nonce], #"{"error":"use_dpop_nonce"}"#)
        }
        let clock = ManualClock()
        let endpoint = try TokenEndpoint(
            NoncePlaces.login + "/token", client: .publicClient(clientID: "app"), others: .init(),
            binding: try DPoPBinding(clock: clock), transport: login, clock: clock)
        let result = await outcome { () throws(NetworkError) in
            try await endpoint.grant(
                [("grant_type", "client_credentials")], deadline: .after(.seconds(30), clock: clock))
        }
        #expect(result.code == .tokenUnavailable)
        #expect(login.requests.count == (kind == "none" ? 1 : 2))
        guard case .failure(let error) = result else { return }
        #expect(error.message.contains(fact), "\(error.message)")
    }

    @Test func aServerThatRequiresProofsNamesTheBinding() async throws {
        let endpoint = try TokenEndpoint(
            NoncePlaces.login + "/token", client: .publicClient(clientID: "app"),
            transport: ScriptedTransport(.status(400, #"{"error":"use_dpop_nonce"}"#)))
        let result = await outcome { () throws(NetworkError) in
            try await endpoint.grant([("grant_type", "client_credentials")], deadline: .after(.seconds(30)))
        }
        #expect(result.code == .credentialMisconfigured)
        guard case .failure(let error) = result else { return }
        #expect(error.message.contains("`DPoPBinding`"))
    }

    @Test func aBodyThatIsGoneIsNotSentAgainForANonce() async throws {
        let rig = try BoundRig()
        rig.places.state.withLock { $0.apiNonce = "a1" }
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: ArraySlice<UInt8>.self)
        continuation.yield([1])
        continuation.finish()
        let refused = try await rig.send("/books", .post, body: .once(stream))
        #expect(refused.status == 401)
        #expect(rig.places.calls.count == 1)
        #expect(rig.places.state.withLock(\.tokens) == 1)
        #expect(try await rig.send().exchange.attempts == 1)
    }

    @Test(arguments: ["", "a b", "a\"b", "a\\b", "ä", String(repeating: "n", count: 2000)])
    func whatIsNoNonceIsNotTaken(text: String) async throws {
        let rig = try BoundRig()
        _ = try await rig.coordinator.token()
        let api = ScriptedTransport { _, _ in .status(200, fields: ["DPoP-Nonce": text]) }
        let engine = AuthenticatedRequestEngine(
            transport: api, coordinator: rig.coordinator, scope: try CredentialScope([NoncePlaces.api]))
        for _ in 0..<2 { _ = try await engine.send(try HTTPRequest(.get, NoncePlaces.api + "/")) }
        #expect(try api.requests.allSatisfy { try ReadProof($0)?["nonce"] == nil })
    }

    // MARK: Keys

    @Test func theThumbprintIsThatOfTheStandard() throws {
        // The key of RFC 9449 §4.1's example, and its thumbprint in §6.1.
        let point = CurveKey.Point(
            curve: "P-256", x: "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
            y: "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA")
        #expect(point.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        let binding = try DPoPBinding(key: JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256))
        #expect(binding.thumbprint.utf8.count == 43)
        #expect(
            try DPoPBinding(key: JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256)).thumbprint
                == binding.thumbprint)
        #expect(try DPoPBinding().thumbprint != DPoPBinding().thumbprint)
    }

    /// The key is read once and kept, and any number of threads sign with it at once.
    @Test func aKeyServesManyThreadsAtOnce() async throws {
        let binding = try DPoPBinding(key: JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256))
        let key = try JSONWebTokenKey(pem: TestKeys.p256Public.pem, algorithm: .es256)
        let origin = try Origin(NoncePlaces.api)
        let ids = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    let proof = try binding.proof(
                        method: .get, origin: origin, target: "/", accessToken: nil, nonce: nil)
                    return try JSONWebToken.verify(proof, key: key, type: JSONWebTokenType("dpop+jwt")).id
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(ids.count == 500 && !ids.contains(nil))
    }

    @Test func onlyPrivateKeysOnCurvesBind() throws {
        for make in [
            { try JSONWebTokenKey(pem: TestKeys.rsa.pem, algorithm: .rs256) },
            { try JSONWebTokenKey(pem: TestKeys.p256Public.pem, algorithm: .es256) },
            { try JSONWebTokenKey(secret: Array(repeating: 7, count: 32)) },
        ] as [() throws -> JSONWebTokenKey] {
            let key = try make()
            let error = #expect(throws: NetworkError.self) { try DPoPBinding(key: key) }
            #expect(error?.code == .credentialMisconfigured)
        }
        for algorithm in [JSONWebTokenAlgorithm.es384, .es512] {
            let pair = try CurveKeys.pair(algorithm)
            #expect(
                try DPoPBinding(key: JSONWebTokenKey(pem: pair.secret, algorithm: algorithm)).algorithm
                    == algorithm)
        }
    }

    /// Tokens of two keys, and bound and bearer tokens, never meet in a store.
    @Test func tokensOfDifferentKeysAreKeptApart() throws {
        let keys = [nil, "a", "b"].map { TokenKey(issuer: "https://i.example", binding: $0).canonical }
        #expect(Set(keys).count == 3)
        #expect(TokenKey(issuer: "x").canonical == TokenKey(issuer: "x", binding: nil).canonical)
        // A record of a bound token is not read by who knows bearer tokens alone.
        let grant = StoredToken.Grant(accessToken: Secret("t"), issuedAt: .zero, type: .dpop)
        let record = StoredToken(key: .default, generation: 1, login: 1, content: .granted(grant))
        let text = String(decoding: record.encoded(), as: UTF8.self)
        #expect(text.contains(#""version":2"#))
        #expect(try StoredToken(record.encoded(), for: .default) == record)
        let stripped = text.replacing(#","token_type":"DPoP""#, with: "")
        #expect(throws: NetworkError.self) { try StoredToken(Array(stripped.utf8), for: .default) }
    }

    @Test func nothingIsPrinted() async throws {
        let rig = try BoundRig()
        rig.places.state.withLock { $0.apiNonce = "n0nce-of-the-api" }
        _ = try await rig.send()
        var text = "\(rig.binding) \(String(reflecting: rig.binding))"
        dump(rig.binding, to: &text)
        #expect(!text.contains("n0nce") && !text.contains("BEGIN") && !text.contains(rig.binding.thumbprint))
    }
}

/// Counts how often it is read.
private final class CountingClock: GatewayClock {
    private let base = ManualClock()
    private let count = Locked(0)

    var reads: Int { count.withLock { $0 } }
    var now: ContinuousClock.Instant {
        count.withLock { $0 += 1 }
        return base.now
    }
    var unixTime: Duration { base.unixTime }

    func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError) {
        try await base.sleep(until: instant)
    }
}
