import GatewayClient
import GatewayCore
import GatewayTesting
import Testing

/// Every kind of scheme through a generated client: what goes out, which alternative serves, and what is refused
/// before anything is sent.
@Suite(.timeLimit(.minutes(1))) struct SchemeKindTests {
    private func send(
        _ credentials: DepotClient.Credentials, server: String = "https://api.depot.example",
        _ change: (inout GatewayConfiguration) -> Void = { _ in },
        _ call: (DepotClient) async throws -> Void
    ) async -> (request: HTTPRequest?, error: (any GatewayCallError)?) {
        let depot = DepotServer()
        let api = depot.api(credentials, server: server, change)
        let error = await failure { try await call(api) }
        return (depot.calls.last, error)
    }

    // MARK: What goes out

    @Test func allSchemesOfAnAlternativeGoOut() async {
        let (keys, _) = await send(
            .init(cookieKey: "c;1", queryKey: "q&1", staff: .init(user: "Aladdin", password: "open sesame"))
        ) { try await $0.keys() }
        #expect(keys?.target == "/keys?key=q%261")
        #expect(keys?.fields[.cookie] == "depot=c%3B1")
        #expect(keys?.fields[.authorization] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        let (both, _) = await send(.init(depotAuth: .token("t"), headerKey: "k")) { try await $0.both() }
        #expect(both?.fields["X-Depot-Key"] == "k" && both?.fields[.authorization] == "Bearer t")
    }

    @Test func aKeyThatChangesIsReadForEachAttempt() async throws {
        let depot = DepotServer()
        let reads = Locked(0)
        let key = APIKeyCredential(reading: {
            Secret("k\(reads.withLock { reads in reads += 1; return reads })")
        })
        let api = depot.api(.init(headerKey: key))
        try await api.any()
        try await api.any()
        #expect(depot.calls.map { $0.fields["X-Depot-Key"] } == ["k1", "k2"])
        struct Gone: Error {}
        let gone = depot.api(.init(headerKey: APIKeyCredential(reading: { throw Gone() })))
        #expect(await failure { try await gone.any() }?.code == .credentialMissing)
        #expect(depot.calls.count == 2)
    }

    @Test func aFunctionPutsOnWhatNobodyElseKnows() async {
        let signature = CustomCredential.custom { request in
            request.fields[.authorization] =
                "Digest \(request.method) \(request.target) \(request.fields["X-Depot-Key"] ?? "")"
        }
        let (request, _) = await send(.init(headerKey: "k", signature: signature)) { try await $0.signed() }
        #expect(request?.fields[.authorization] == "Digest GET /signed k")
    }

    @Test func aFunctionSendsNothingElsewhere() async throws {
        struct Refusal: Error {}
        let evil = try Origin("https://evil.example")
        for (signature, code) in [
            (CustomCredential.custom { $0.origin = evil }, NetworkError.insecureOrigin),
            (.custom { _ in throw Refusal() }, NetworkError.credentialMisconfigured),
            (.custom { $0.fields["X"] = "a\r\nb" }, NetworkError.invalidRequest),
        ] {
            let (request, error) = await send(.init(headerKey: "k", signature: signature)) {
                try await $0.signed()
            }
            #expect(request == nil && error?.code == code)
        }
    }

    // MARK: Mutual TLS

    @Test func mutualTLSIsTheEnginesBusiness() async {
        let withCertificate: (inout GatewayConfiguration) -> Void = {
            $0.transport.clientCertificate = .init(certificateFile: "/c.pem", keyFile: "/k.pem")
        }
        let (certified, _) = await send(.init(), withCertificate) { try await $0.certified() }
        #expect(certified != nil && certified?.fields[.authorization] == nil)
        let (token, _) = await send(.init(partner: .token("t")), withCertificate) {
            try await $0.certifiedToken()
        }
        #expect(token?.fields[.authorization] == "Bearer t")
        let (told, _) = await send(.init(options: .init(showsClientCertificate: true))) {
            try await $0.certified()
        }
        #expect(told != nil)
        let (none, error) = await send(.init(partner: .token("t"))) { try await $0.certifiedToken() }
        #expect(none == nil && error?.code == .credentialMissing)
        #expect(error?.message.contains("an engine with a client certificate") == true)
        let (plain, insecure) = await send(.init(), server: "http://127.0.0.1:1", withCertificate) {
            try await $0.certified()
        }
        #expect(plain == nil && insecure?.code == .insecureOrigin)
    }

    // MARK: Alternatives

    @Test func thePreferredSchemeServesWhereItIsConfigured() async {
        func fields(_ credentials: DepotClient.Credentials) async -> [String?] {
            let (request, _) = await send(credentials) { try await $0.any() }
            return [request?.fields["X-Depot-Key"], request?.fields[.authorization]]
        }
        #expect(await fields(.init(headerKey: "k", partner: .token("p"))) == ["k", nil])
        #expect(
            await fields(
                .init(headerKey: "k", partner: .token("p"), options: .init(preferred: ["partner"])))
                == [nil, "Bearer p"])
        #expect(
            await fields(
                .init(headerKey: "k", partner: .token("p"), options: .init(preferred: ["staff", "partner"])))
                == [nil, "Bearer p"])
        #expect(
            await fields(.init(headerKey: "k", options: .init(preferred: ["partner"]))) == ["k", nil])
        // One of two that go together is none.
        #expect(await fields(.init(cookieKey: "c", partner: .token("p"))) == [nil, "Bearer p"])
    }

    @Test func aPreferenceForNoSuchSchemeIsAMistake() async {
        let (request, error) = await send(.init(headerKey: "k", options: .init(preferred: ["partners"]))) {
            try await $0.any()
        }
        #expect(request == nil && error?.code == .credentialMisconfigured)
        #expect(error?.message.contains("\"partners\"") == true)
    }

    @Test func whatIsOptionalAndWhatIsOpen() async {
        let (without, _) = await send(.init()) { try await $0.optional() }
        #expect(without != nil && without?.fields[.authorization] == nil)
        let (with, _) = await send(.init(partner: .token("p"))) { try await $0.optional() }
        #expect(with?.fields[.authorization] == "Bearer p")
        let (open, _) = await send(.init(depotAuth: .token("t"), partner: .token("p"))) {
            try await $0.open()
        }
        #expect(open != nil && open?.fields[.authorization] == nil)
    }

    @Test func nothingConfiguredSaysWhatIsMissing() async {
        let (request, error) = await send(.init(cookieKey: "c")) { try await $0.any() }
        #expect(request == nil && error?.code == .credentialMissing && error?.category == .authentication)
        #expect(
            error?.message
                == "any needs credentials that the client was not given: headerKey (apiKey), or partner (http "
                + "bearer), or depotLogin (openIdConnect: openid), or cookieKey (apiKey, given) with staff "
                + "(http basic). Give all of one alternative.")
        let (_, signed) = await send(.init(headerKey: "k")) { try await $0.signed() }
        #expect(signed?.message.contains("headerKey (apiKey, given) with signature (http digest)") == true)
    }
}
