import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@testable import GatewayAuth

/// The characters of access tokens, and where an error says that a token came from.
@Suite(.timeLimit(.minutes(1))) struct TokenSyntaxTests {
    private let clock = ManualClock()

    /// All visible ASCII characters but the comma.
    private static let everything = String(
        String.UnicodeScalarView((0x21...0x7E).filter { $0 != 0x2C }.map { Unicode.Scalar(UInt8($0)) }))

    @Test(arguments: ["12|aBc", "urn:token:7", "a==b", "=", "{x}", everything])
    func whatServicesIssueIsSent(token: String) async throws {
        let answer: [String: JSONValue] = ["access_token": .string(token)]
        let tokens = ScriptedTransport(.response(status: 200, body: try answer.jsonBytes()))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(clientID: "app"), transport: tokens,
            clock: clock)
        for acquirer in [
            ClientCredentials(endpoint: endpoint) as any TokenAcquirer,
            ProviderAcquirer(StaticTokenProvider(Secret(token)), clock: clock),
        ] {
            let api = ScriptedTransport(.status(200))
            let engine = AuthenticatedRequestEngine(
                transport: api, coordinator: TokenRefreshCoordinator(acquirer: acquirer, clock: clock),
                scope: try CredentialScope(["https://api.example.com"]))
            _ = try await engine.send(try HTTPRequest(.get, "https://api.example.com/"))
            #expect(api.requests.map { $0.fields[.authorization] } == ["Bearer " + token])
        }
    }

    @Test(arguments: [
        ("", "is empty"), ("\u{FEFF}t0ken", "byte order mark"), ("bearer t0ken", "the scheme `Bearer`"),
        ("DPoP t0ken", "the scheme `DPoP`"), ("t0ken t0ken", "character"), ("t0ken,t0ken", "character"),
        ("t0ken\n", "character"), ("t0kenä", "character"),
    ])
    func whatCannotBeSentIsNamedAndNotShown(text: String, fault: String) throws {
        let found = try #require(TokenSyntax.fault(in: text))
        #expect(found.contains(fault) && !found.contains("t0ken"))
    }

    private func failure(_ acquirer: any TokenAcquirer) async throws -> NetworkError {
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, policy: .impatient, clock: clock)
        let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
        guard case .failure(let error) = result else { throw NetworkError(.other, "There is a token.") }
        return error
    }

    @Test func theErrorNamesWhereTheTokenCameFrom() async throws {
        let directory = TemporaryDirectory()
        let variables = Variables()
        try directory.write("t0ken t0ken", "token")
        variables["TOKEN"] = "t0ken t0ken"
        variables["TOKEN_FILE"] = directory.path("token")
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(clientID: "app"),
            transport: ScriptedTransport(.status(200, #"{"access_token":"t0ken t0ken"}"#)), clock: clock)
        let providers: [(any TokenProvider, String)] = [
            (StaticTokenProvider(Secret("t0ken t0ken")), "The fixed token "),
            (FileTokenProvider(path: directory.path("token")), "file \(directory.path("token")) "),
            (EnvironmentTokenProvider(variable: "TOKEN", lookUp: variables.lookUp), "variable TOKEN "),
            (
                EnvironmentTokenProvider(fileNamedBy: "TOKEN_FILE", lookUp: variables.lookUp),
                "variable TOKEN_FILE "
            ),
            (ClosureTokenProvider { "t0ken t0ken" }, "ClosureTokenProvider "),
        ]
        var cases: [(any TokenAcquirer, String)] = [
            (ClientCredentials(endpoint: endpoint), "in the response of the token endpoint "),
            (ScriptedAcquirer { _, _ in TokenGrant(accessToken: Secret("a b")) }, "token acquirer "),
        ]
        for (provider, origin) in providers {
            cases.append((ProviderAcquirer(provider, clock: clock), origin))
        }
        for (acquirer, origin) in cases {
            let error = try await failure(acquirer)
            #expect(error.message.contains(origin), "\(error.message)")
            #expect(error.message.contains("has a character") && !error.message.contains("t0ken"))
        }
    }
}
