import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayTesting
import Testing

/// Credentials of a generated client stay with its server, and with the origins that it was told.
@Suite(.timeLimit(.minutes(1))) struct CredentialOriginTests {
    private static let everything = DepotClient.Credentials(
        cookieKey: "c", depotAuth: .token("t"), headerKey: "k", partner: .token("p"), queryKey: "q",
        staff: .init(user: "u", password: "w"))

    @Test func aServerOfItsOwnGetsNone() async throws {
        let server = DepotServer()
        let api = server.api(Self.everything)
        let error = await failure { try await api.files() }
        #expect(error?.code == .credentialMissing)
        #expect(error?.message.contains("https://files.depot.example") == true)
        #expect(server.calls.isEmpty)
        // Where it works without, it goes without.
        try await api.optionalFiles()
        #expect(server.calls.map(\.origin.host) == ["files.depot.example"])
        #expect(server.calls.allSatisfy { $0.fields[.authorization] == nil })
    }

    @Test func unlessItIsListed() async throws {
        let server = DepotServer()
        var credentials = Self.everything
        credentials.options.origins = ["https://files.depot.example"]
        let api = server.api(credentials)
        try await api.files()
        try await api.optionalFiles()
        try await api.read()
        #expect(server.authorizations == ["Bearer t", "Bearer t", "Bearer t"])
        credentials.options.origins = ["nonsense"]
        let mistaken = server.api(credentials)
        #expect(await failure { try await mistaken.read() }?.code == .invalidURL)
    }

    @Test func aTokenThatIsMeantForOthersIsNotSent() async throws {
        let server = DepotServer()
        let coordinator = TokenRefreshCoordinator(provider: StaticTokenProvider(Secret("t")))
        let credential = OAuthCredential.coordinator(
            coordinator, origins: [try Origin("https://files.depot.example")])
        let api = server.api(
            .init(depotAuth: credential, options: .init(origins: ["https://files.depot.example"])))
        #expect(await failure { try await api.read() }?.code == .credentialMissing)
        try await api.files()
        #expect(server.calls.map(\.origin.host) == ["files.depot.example"])
    }

    /// To another origin nothing goes along, by whatever way it was put on.
    @Test(arguments: ["https://evil.example/x", "https://api.depot.example:8443/x"])
    func redirectsLoseThem(location: String) async throws {
        let calls: [(DepotClient) async throws -> Void] = [
            { try await $0.keys() }, { try await $0.both() }, { try await $0.any() },
            { try await $0.read() }, { try await $0.signed() },
        ]
        for call in calls {
            let transport = ScriptedTransport { _, index in
                index == 0 ? .status(302, fields: ["Location": location]) : .status(204)
            }
            var credentials = Self.everything
            credentials.signature = .custom { $0.fields["X-Signature"] = "s" }
            let api = DepotClient(
                credentials: credentials,
                engine: GatewayEngine(transport: transport, tokenTransport: transport))
            try await call(api)
            #expect(transport.requests.count == 2)
            let hop = try #require(transport.requests.last)
            #expect(hop.origin.description + hop.target == location)
            for name in ["Authorization", "Cookie", "X-Depot-Key", "X-Signature"] {
                #expect(!hop.fields.contains(HTTPField.Name(name)), "\(name)")
            }
        }
    }

    /// A server that sends the request back to itself gets it with the credential, once.
    @Test func redirectsWithinTheOriginKeepThem() async throws {
        let transport = ScriptedTransport { _, index in
            index == 0 ? .status(302, fields: ["Location": "/moved"]) : .status(204)
        }
        let api = DepotClient(
            credentials: Self.everything,
            engine: GatewayEngine(transport: transport, tokenTransport: transport))
        try await api.both()
        #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer t", "Bearer t"])
        #expect(transport.requests.map { $0.fields["X-Depot-Key"] } == ["k", "k"])
    }
}
