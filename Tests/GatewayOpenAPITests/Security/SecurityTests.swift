import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

@Suite struct SecurityTests {
    private func send(
        _ security: StaticString?, _ credentials: ConfiguredCredentials,
        server: String = "https://api.test", _ engine: ScriptedEngine = ScriptedEngine(.status(204))
    ) async -> (HTTPRequest?, (any GatewayCallError)?) {
        let client = APIClient(
            server: server, credentials: credentials, defaults: CallOptions(), engine: engine)
        let descriptor = OperationDescriptor(
            id: "op", method: "GET", path: "/x", accept: "*/*", security: security, idempotencyKey: nil)
        let reply = await RequestBuilder(client, descriptor, CallOptions()).send()
        do throws(APIError<NoDocumentedFailure>) {
            let _: APIResponse<Void, UndocumentedHeaders> = try reply.empty(
                from: 200, through: 299, NoDocumentedFailure.self)
            return (engine.requests.last, nil)
        } catch {
            return (engine.requests.last, error)
        }
    }

    private func credentials(
        _ fill: (inout ConfiguredCredentials) -> Void
    ) -> ConfiguredCredentials {
        var credentials = ConfiguredCredentials()
        fill(&credentials)
        return credentials
    }

    @Test func theFirstAlternativeThatIsConfiguredThroughoutServes() async {
        let both = credentials {
            $0.apiKeyHeader("key", "k", "X-Api-Key")
            $0.bearer("token", .token("t"))
        }
        let (first, _) = await send("key\ntoken", both)
        #expect(first?.fields["X-Api-Key"] == "k" && first?.fields[.authorization] == nil)
        let (second, _) = await send("token\nkey", both)
        #expect(second?.fields["X-Api-Key"] == nil && second?.fields[.authorization] == "Bearer t")
        let (joined, _) = await send("other\tkey\nkey\ttoken", both)
        #expect(joined?.fields["X-Api-Key"] == "k" && joined?.fields[.authorization] == "Bearer t")
    }

    @Test func aSchemeMayHaveASpaceInItsName() async {
        let (request, _) = await send(
            "API\u{1}key a", credentials { $0.apiKeyHeader("API key", "k", "X-Api-Key") })
        #expect(request?.fields["X-Api-Key"] == "k")
    }

    @Test func everyKindOfFixedCredential() async {
        let all = credentials {
            $0.basic("basic", .init(user: "Aladdin", password: "open sesame"))
            $0.apiKeyQuery("query", "k&1", "api key")
            $0.apiKeyCookie("cookie", "c;1", "sid")
        }
        let (request, _) = await send("basic\tquery\tcookie", all)
        #expect(request?.fields[.authorization] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(request?.target == "/x?api%20key=k%261")
        #expect(request?.fields[.cookie] == "sid=c%3B1")
    }

    @Test func theEmptyAlternativeAttachesWhatThereIs() async {
        let (without, error) = await send("token\n", ConfiguredCredentials())
        #expect(without != nil && error == nil && without?.fields[.authorization] == nil)
        let some = credentials { $0.bearer("token", .token("t")) }
        for security: StaticString in ["token\n", "\ntoken"] {
            let (with, _) = await send(security, some)
            #expect(with?.fields[.authorization] == "Bearer t")
        }
    }

    /// Two schemes whose names are canonically equivalent have their own credentials and identities.
    @Test func namesOfSchemesAreComparedByCodePoints() async throws {
        let both = credentials {
            $0.apiKeyHeader("caf\u{E9}", "1", "X-Key")
            $0.apiKeyHeader("cafe\u{301}", "2", "X-Key")
        }
        let (first, _) = await send("caf\u{E9}", both)
        #expect(first?.fields["X-Key"] == "1")
        let (second, _) = await send("cafe\u{301}", both)
        #expect(second?.fields["X-Key"] == "2")
        let resolver = SecurityResolver(
            both, engine: ScriptedEngine(.status(200)), server: try Origin("https://api.test"))
        func key(_ security: StaticString) throws -> String? {
            try resolver.answer(to: security, operation: "op", origin: Origin("https://api.test"))?.source?
                .identity.key
        }
        let keys = [try key("caf\u{E9}"), try key("cafe\u{301}")]
        #expect(keys[0] != nil && keys[0] != keys[1])
    }

    @Test func anOperationWithoutSecurityGetsNone() async {
        let (request, _) = await send(nil, credentials { $0.bearer("token", .token("t")) })
        #expect(request != nil && request?.fields[.authorization] == nil)
    }

    @Test func nothingConfiguredIsALocalError() async {
        let (request, error) = await send(
            "shop books:read\nkey\ttoken",
            credentials {
                $0.bearer("token", .token("t"))
                $0.oauth("shop", nil, tokenURL: "https://auth.test/token")
            })
        #expect(request == nil)
        #expect(error?.code == .credentialMissing)
        #expect(error?.category == .authentication)
        #expect(
            error?.message.contains(
                "op needs credentials that the client was not given: shop (oauth2: books:read), or key (not "
                    + "supported) with token (http bearer, given).") == true)
    }

    @Test(arguments: ["http://api.test", "http://10.0.0.1:8080", "http://localhost.evil.test"])
    func plainHTTPToAnotherMachineIsRefused(server: String) async {
        let token = credentials { $0.bearer("token", .token("t")) }
        let (request, error) = await send("token", token, server: server)
        #expect(request == nil)
        #expect(error?.code == .insecureOrigin)
        let (anonymous, _) = await send(nil, token, server: server)
        #expect(anonymous != nil)
    }

    @Test func plainHTTPToAListedHostIsAllowed() async throws {
        let hosts = try PlainHTTPHosts(["api.test"])
        let token = credentials { $0.bearer("token", .token("t")) }
        for (server, isSent) in [("http://api.test:81", true), ("http://other.test", false)] {
            let (request, error) = await send(
                "token", token, server: server, ScriptedEngine(.status(204), plainHTTP: hosts))
            #expect(request?.fields[.authorization] == (isSent ? "Bearer t" : nil))
            #expect(error?.code == (isSent ? nil : .insecureOrigin))
        }
    }

    @Test(arguments: ["http://127.0.0.1:8080", "http://[::1]", "https://api.test"])
    func loopbackAndTLSAreAllowed(server: String) async {
        let (request, _) = await send(
            "token", credentials { $0.bearer("token", .token("t")) }, server: server)
        #expect(request?.fields[.authorization] == "Bearer t")
    }

    @Test func credentialsStayWithTheirOrigin() throws {
        let source = SchemeCredentialSource(
            origin: try Origin("https://api.test"), fixed: [.bearer(Secret("t"))], renewed: nil, fixedKey: "k"
        )
        var other = try HTTPRequest(.get, "https://api.test:8443/x")
        do throws(NetworkError) {
            _ = try source.stamp(&other, atLeast: 0)
            Issue.record("stamped")
        } catch {
            #expect(error.code == .insecureOrigin)
        }
        #expect(other.fields[.authorization] == nil)
    }

    /// An attempt looks at the renewable credential once.
    @Test func anAttemptReadsTheTokenOnce() throws {
        let renewed = NotingSource()
        let source = SchemeCredentialSource(
            origin: try Origin("https://api.test"), fixed: [.bearer(Secret("t"))], renewed: renewed,
            fixedKey: "k")
        let original = try HTTPRequest(.get, "https://api.test/x")
        var request = original
        let stamp = try source.stampIfReady(&request, atLeast: 1)
        #expect(stamp?.generation == 1 && request.fields["X-Token"] == "1")
        #expect(request.fields[.authorization] == "Bearer t" && renewed.calls == ["stampIfReady"])
        request = original
        let none = try source.stampIfReady(&request, atLeast: 2)
        #expect(none == nil && request.fields["X-Token"] == nil && request.fields[.authorization] == nil)
        let other = try source.stamp(&request, atLeast: 1)
        #expect(other?.generation == 1 && renewed.calls == ["stampIfReady", "stampIfReady", "stamp"])
    }

    @Test func aRejectedFixedCredentialSurfacesItsStatus() async {
        let engine = ScriptedEngine(.status(401))
        let (_, error) = await send("token", credentials { $0.bearer("token", .token("t")) }, engine)
        #expect(error?.status == 401)
        #expect(error?.category == .authentication)
        #expect(engine.requests.count == 1)
    }

    @Test func twoCredentialsDoNotShareAField() async {
        let two = credentials {
            $0.basic("basic", .init(user: "u", password: "p"))
            $0.bearer("fixed", .token("t"))
            $0.bearer("first", .provider(StaticTokenProvider(Secret("t"))))
            $0.bearer("second", .provider(StaticTokenProvider(Secret("t"))))
        }
        for security: StaticString in ["basic\tfixed", "basic\tfirst", "first\tsecond"] {
            let (request, error) = await send(security, two)
            #expect(request == nil && error?.code == .credentialMisconfigured)
        }
    }

    @Test func credentialsThatNoFieldMayHoldAreRefused() async {
        let (request, error) = await send("token", credentials { $0.bearer("token", .token("a\r\nX: 1")) })
        #expect(request == nil)
        #expect(error?.code == .credentialMisconfigured)
        let (other, colon) = await send(
            "basic", credentials { $0.basic("basic", .init(user: "a:b", password: "p")) })
        #expect(other == nil)
        #expect(colon?.code == .credentialMisconfigured)
    }

    @Test func credentialsAreNotPrinted() {
        let all = BookshopClient.Credentials(
            bookshopAuth: .clientCredentials(id: "me", secret: Secret("s3cret")),
            partnerToken: .token("s3cret"))
        var dumped = ""
        dump(all, to: &dumped)
        dump(BasicCredential(user: "u", password: "s3cret"), to: &dumped)
        dump(APIKeyCredential("s3cret"), to: &dumped)
        #expect(!dumped.contains("s3cret") && !"\(all)".contains("s3cret"))
    }
}

/// A credential of generation 1, which notes how it is asked for.
private final class NotingSource: CredentialSource {
    private let noted = Locked<[String]>([])
    let identity = CredentialIdentity(key: "renewed", epoch: 0)

    var calls: [String] { noted.withLock { $0 } }

    func isReady(atLeast generation: UInt64) -> Bool {
        noted.withLock { $0.append("isReady") }
        return generation <= 1
    }

    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}

    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? { stamp("stamp", &request, generation) }

    func stampIfReady(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? { stamp("stampIfReady", &request, generation) }

    private func stamp(
        _ call: String, _ request: inout HTTPRequest, _ generation: UInt64
    ) -> CredentialStamp? {
        noted.withLock { $0.append(call) }
        guard generation <= 1 else { return nil }
        request.fields["X-Token"] = "1"
        return CredentialStamp(identity: identity, generation: 1)
    }
}
