import GatewayAuth
import GatewayCore
import GatewayTesting
import Glibc
import Testing

/// Secrets of the environment, and chains of credentials.
@Suite(.timeLimit(.minutes(1))) struct SecretSourceTests {
    private let variables = Variables()

    @Test func aVariableIsReadAnewEachTime() async throws {
        let source = SecretSource.environment("CLIENT_SECRET", lookUp: variables.lookUp)
        #expect(await result(source).code == .credentialMissing)
        variables["CLIENT_SECRET"] = ""
        #expect(await result(source).code == .credentialMissing)
        variables["CLIENT_SECRET"] = "first"
        #expect(try await source.read() == Secret("first"))
        variables["CLIENT_SECRET"] = "second"
        #expect(try await source.read() == Secret("second"))
        #expect(try await SecretSource.environment("PATH").read().isEmpty == false)
        #expect(await result(.environment("GATEWAY_NO_SUCH_VARIABLE")).code == .credentialMissing)
    }

    @Test func aFileThatAVariableNamesIsReadAnewEachTime() async throws {
        let directory = TemporaryDirectory()
        let source = SecretSource.environment(fileNamedBy: "SECRET_FILE", lookUp: variables.lookUp)
        #expect(await result(source).code == .credentialMissing)
        variables["SECRET_FILE"] = directory.path("a")
        #expect(await result(source).code == .credentialMisconfigured)
        try directory.write("one\n", "a")
        #expect(try await source.read() == Secret("one"))
        try directory.write("two\n", "b")
        variables["SECRET_FILE"] = directory.path("b")
        #expect(try await source.read() == Secret("two"))
    }

    @Test func whatIsMissingIsNamed() async throws {
        let path = TemporaryDirectory().path("no-such\u{1B}secret")
        variables["SECRET_FILE"] = path
        for source in [
            SecretSource.file(path), .environment(fileNamedBy: "SECRET_FILE", lookUp: variables.lookUp),
        ] {
            guard case .failure(let error) = await result(source) else {
                Issue.record("there is a secret")
                continue
            }
            #expect(error.code == .credentialMisconfigured)
            #expect(
                error.message.contains(
                    "/no-such?secret cannot be used: the file cannot be read: no such file"))
        }
        guard case .failure(let error) = await result(.environment("NO_SECRET", lookUp: variables.lookUp))
        else { return }
        #expect(error.message.contains("NO_SECRET"))
    }

    /// It lasts: the token endpoint is not asked, and nobody waits for another moment.
    @Test func aMissingSecretFileIsAFailureThatLasts() async throws {
        let (directory, clock) = (TemporaryDirectory(), ManualClock())
        let transport = ScriptedTransport(.status(200, #"{"access_token":"t"}"#))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token",
            client: .basic(clientID: "app", secret: .file(directory.path("secret"))), transport: transport,
            clock: clock)
        let coordinator = TokenRefreshCoordinator(
            acquirer: ClientCredentials(endpoint: endpoint), clock: clock)
        for _ in 0..<2 {
            let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
            #expect(result.code == .credentialMisconfigured)
            clock.advance(by: .seconds(3600))
        }
        #expect(transport.requests.isEmpty)
    }

    /// Nobody waits for a folder, a device or a pipe to become a file.
    @Test func whatIsNoFileIsAFailureThatLasts() async throws {
        let directory = TemporaryDirectory()
        try #require(mkfifo(directory.path("pipe"), 0o600) == 0)
        for path in [directory.path("."), "/dev/null", directory.path("pipe")] {
            guard case .failure(let error) = await result(.file(path)) else {
                Issue.record("there is a secret")
                continue
            }
            #expect(error.code == .credentialMisconfigured)
            #expect(error.message.contains("it is not a regular file"))
        }
    }

    @Test(arguments: [
        "hush\ntwo", "hush\r\ntwo\n", "hush\u{0}", "\thush", "\nhush", "hush\u{7F}two", "\u{FEFF}hush",
    ])
    func aFileOfSeveralLinesIsNoSecret(text: String) async throws {
        let directory = TemporaryDirectory()
        try directory.write(text, "secret")
        variables["SECRET_FILE"] = directory.path("secret")
        for source in [
            SecretSource.file(directory.path("secret")),
            .environment(fileNamedBy: "SECRET_FILE", lookUp: variables.lookUp),
        ] {
            let result = await result(source)
            #expect(result.code == .credentialMisconfigured)
            #expect(!"\(result)".contains("hush"))
        }
    }

    @Test(arguments: ["one", "one\n", "one\r\n"]) func theLineEndOfAFileIsNoPartOfTheSecret(
        text: String
    ) async throws {
        let directory = TemporaryDirectory()
        try directory.write(text, "secret")
        #expect(try await SecretSource.file(directory.path("secret")).read() == Secret("one"))
    }

    @Test func aSecretThatIsRotatedServesTheNextRequest() async throws {
        let transport = ScriptedTransport(.status(200, #"{"access_token":"t"}"#))
        variables["CLIENT_SECRET"] = "first"
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token",
            client: .post(
                clientID: "app", secret: .environment("CLIENT_SECRET", lookUp: variables.lookUp)),
            transport: transport)
        for secret in ["first", "second"] {
            variables["CLIENT_SECRET"] = secret
            _ = try await endpoint.grant(
                [("grant_type", "client_credentials")], deadline: .after(.seconds(60)))
        }
        #expect(transport.requests.map { Form($0)["client_secret"] } == ["first", "second"])
    }

    @Test func aFunctionsErrorIsNoErrorOfTheAPI() async throws {
        let source = SecretSource.function { throw NetworkError(.connectionLost, "lost") }
        #expect(await result(source).code == .tokenUnavailable)
    }

    @Test func nothingIsPrinted() {
        let secret = Secret("s3cret-of-a-source")
        var text = ""
        for source in [SecretSource.fixed(secret), .file("/s3cret-of-a-source"), .environment("X")] {
            text += "\(source) \(String(reflecting: source))"
            dump(source, to: &text)
        }
        #expect(!text.contains("s3cret"))
    }

    // MARK: Chains

    private func acquire(_ chain: ChainedTokenAcquirer) async -> Result<TokenGrant, NetworkError> {
        let request = TokenRequest(
            key: .default, previous: nil, previousWasRejected: false, deadline: .after(.seconds(60)))
        do { return .success(try await chain.acquire(request)) } catch {
            return .failure(NetworkError(wrapping: error))
        }
    }

    @Test func theFirstThatIsThereIsUsed() async throws {
        let directory = TemporaryDirectory()
        let chain = ChainedTokenAcquirer([
            ProviderAcquirer(FileTokenProvider(path: directory.path("token"), isOptional: true)),
            ProviderAcquirer(EnvironmentTokenProvider(variable: "TOKEN", lookUp: variables.lookUp)),
            ProviderAcquirer(
                EnvironmentTokenProvider(fileNamedBy: "TOKEN_FILE", lookUp: variables.lookUp)),
        ])
        #expect(await acquire(chain).code == .credentialMissing)
        try directory.write("from-a-named-file", "other")
        variables["TOKEN_FILE"] = directory.path("other")
        #expect(await acquire(chain).value?.accessToken == Secret("from-a-named-file"))
        variables["TOKEN"] = "from-a-variable"
        #expect(await acquire(chain).value?.accessToken == Secret("from-a-variable"))
        try directory.write("from-a-file", "token")
        #expect(await acquire(chain).value?.accessToken == Secret("from-a-file"))
    }

    /// What is there and fails is a failure: the next credential would be another's.
    @Test(arguments: [
        NetworkError.Code.tokenUnavailable, .reauthenticationRequired, .credentialMisconfigured,
        .tokenOutcomeUnknown, .interactionRequired,
    ])
    func aFailureIsNotPassedOver(code: NetworkError.Code) async throws {
        let second = ScriptedAcquirer()
        let chain = ChainedTokenAcquirer([
            ScriptedAcquirer { _, _ in throw NetworkError(code, "no") }, second,
        ])
        #expect(await acquire(chain).code == code)
        #expect(second.count == 0)
    }

    @Test func aVariableThatHoldsNoTokenIsAMistake() async throws {
        variables["TOKEN"] = "a b"
        let provider = EnvironmentTokenProvider(variable: "TOKEN", lookUp: variables.lookUp)
        let coordinator = TokenRefreshCoordinator(provider: provider)
        #expect(
            await outcome { () throws(NetworkError) in try await coordinator.token() }.code
                == .credentialMisconfigured)
    }

    private func result(_ source: SecretSource) async -> Result<Secret, NetworkError> {
        await outcome { () throws(NetworkError) in try await source.read() }
    }
}
