import DocumentedErrors
import Foundation
import GatewayClient
import GatewayTesting
import Testing

/// The documentation page on errors: what a program sees.
@Suite(.timeLimit(.minutes(2))) struct ErrorPageTests {
    private static let variables = ProcessInfo.processInfo.environment
    /// A server whose certificate nobody has signed.
    private static let tls = variables["GATEWAY_TEST_NGINX_TLS"]
    private static let plain = variables["GATEWAY_TEST_NGINX"]
    private static let tlsFiles = variables["GATEWAY_TEST_NGINX_FILES"]

    @Test(.enabled(if: tls != nil && tlsFiles != nil, "scripts/test.sh starts the servers"))
    func thePageSaysWhatAProgramSees() async throws {
        var rows: [ErrorTable.Row] = []
        for (title, body) in Self.situations {
            let situation = try WrongSituation()
            let error: any Error
            do {
                try await body(situation)
                Issue.record("nothing was wrong: \(title)")
                continue
            } catch let thrown {
                error = thrown
            }
            let gateway = situation.gateway
            var normalised = Normalisation()
            normalised.replace("http://127.0.0.1:\(gateway.origin.port)", by: "https://api.example.com")
            normalised.replace("http://127.0.0.1:\(gateway.tokenOrigin.port)", by: "https://auth.example.com")
            normalised.replace("127.0.0.1:\(gateway.origin.port)", by: "api.example.com:443")
            normalised.replace("127.0.0.1:\(gateway.tokenOrigin.port)", by: "auth.example.com:443")
            for url in [Self.tls, Self.plain] {
                if let port = url.flatMap({ try? Origin($0) })?.port {
                    normalised.replace(":\(port)", by: ":443")
                }
            }
            normalised.replace(situation.folder, by: "/var/lib/tokens")
            let guidance = (error as? any GatewayCallError).map { "`\($0.guidance)`" } ?? ""
            rows.append(ErrorTable.Row(title, message: normalised("\(error)"), guidance: guidance))
        }
        #expect(rows.count == Self.situations.count)
        let differences = try ErrorTable("program").differences(from: rows)
        #expect(differences.isEmpty, "\n\(differences.joined(separator: "\n"))")
    }

    // MARK: Situations

    private static let situations: [(String, WrongSituation.Body)] =
        connections + responses + requests + tokens

    private static let connections: [(String, WrongSituation.Body)] = [
        (
            "The host's name has a typing error",
            { try await $0.fetch($0.api(at: "https://api.exampel.invalid/v1")) }
        ),
        (
            "Nothing listens on the port",
            { situation in
                situation.gateway.refuseConnections(to: .api)
                try await situation.fetch(situation.api())
            }
        ),
        (
            "The server does not answer within the limit of the transport",
            { situation in
                try await situation.fetchUnanswered(for: .milliseconds(200)) {
                    $0.transport.timeouts.firstByte = .milliseconds(200)
                    $0.retry.policy = .never
                }
            }
        ),
        (
            "The call's deadline passes",
            { try await $0.fetchUnanswered(for: .milliseconds(300), limit: .milliseconds(300)) }
        ),
        (
            "The server closes the connection without a response",
            { situation in
                situation.gateway.inject(.drop, into: .api)
                try await situation.fetch(situation.api())
            }
        ),
        (
            "The response ends early",
            { situation in
                situation.gateway.inject(.tear(afterBytes: 10), into: .api)
                try await situation.fetch(situation.api { $0.retry.policy = .never })
            }
        ),
        (
            "The server's certificate is not trusted",
            { try await $0.fetch($0.api(.token("t"), at: tls ?? "")) }
        ),
        (
            "The certificate is for another host",
            { situation in
                let port = try Origin(tls ?? "").port
                try await situation.fetch(
                    situation.api(.token("t"), at: "https://other.example.com:\(port)") {
                        $0.transport.caFile = (tlsFiles ?? "") + "/cert.pem"
                        $0.transport.resolutions = [
                            .init(host: "other.example.com", port: port, addresses: ["127.0.0.1"])
                        ]
                    })
            }
        ),
        (
            "`https` to a port that speaks plain HTTP",
            { situation in
                let url = (plain ?? "").replacing("http:", with: "https:")
                try await situation.fetch(situation.api(.token("t"), at: url))
            }
        ),
        (
            "`http` to a port that speaks TLS",
            { situation in
                let url = (tls ?? "").replacing("https:", with: "http:")
                try await situation.fetch(situation.api(.token("t"), at: url))
            }
        ),
        (
            "The proxy refuses connections",
            { situation in
                situation.gateway.refuseConnections(to: .api)
                let port = situation.gateway.origin.port
                try await situation.fetch(
                    situation.api(.token("t"), at: "https://api.example.com/v1") {
                        $0.transport.proxy = .init(host: "127.0.0.1", port: port)
                    })
            }
        ),
    ]

    private static let responses: [(String, WrongSituation.Body)] = [
        (
            "A documented failure: 404 with a problem",
            { _ = try await $0.api().books.get(bookId: "unknown") }
        ),
        (
            "A documented failure with `Retry-After`: 429",
            { situation in
                var reply = EmbeddedGateway.Reply.problem(429, "Ten requests a second are allowed.")
                reply.fields[.retryAfter] = "7"
                situation.answer(reply)
                try await situation.fetch(situation.api { $0.retry.policy = .never })
            }
        ),
        (
            "A status that the document does not name: 418 in plain text",
            { situation in
                situation.answer(.text("I'm a teapot", status: 418))
                _ = try await situation.api().getHealth()
            }
        ),
        (
            "A 404 in HTML, from something before the API",
            { situation in
                situation.answer(.text("<h1>Not Found</h1>", status: 404, contentType: "text/html"))
                try await situation.fetch(situation.api())
            }
        ),
        (
            "A proxy's 502",
            { situation in
                situation.answer(.text("<h1>Bad Gateway</h1>", status: 502, contentType: "text/html"))
                try await situation.fetch(situation.api())
            }
        ),
        (
            "A body that is not what the document says",
            { situation in
                situation.answer(.json(["id": "bk-1"]))
                try await situation.fetch(situation.api())
            }
        ),
        (
            "A response that is larger than its limit",
            { situation in
                try await situation.fetch(
                    BookshopClient(
                        server: .init(url: situation.gateway.apiURL),
                        credentials: .init(bookshopAuth: situation.credential),
                        defaults: CallOptions(responseLimit: 16),
                        engine: GatewayEngine()))
            }
        ),
        (
            "A redirect to another scheme",
            { situation in
                situation.answer(.status(302, fields: ["Location": "ftp://files.example.com/"]))
                try await situation.fetch(situation.api())
            }
        ),
    ]

    private static let requests: [(String, WrongSituation.Body)] = [
        (
            "A path parameter that would change the path",
            { _ = try await $0.api().books.get(bookId: "..") }
        ),
        (
            "The server's URL has no scheme",
            { try await $0.fetch($0.api(at: "api.example.com/v1")) }
        ),
        (
            "The path of the server's URL is wrong",
            { try await $0.fetch($0.api(at: "\($0.gateway.origin)/v2")) }
        ),
        (
            "The token lacks a scope",
            { situation in
                let token = try situation.gateway.issueAccessToken(scopes: ["books:read"]).token
                try await situation.api(.token(token)).books.delete(bookId: "bk-1")
            }
        ),
        (
            "The engine was shut down",
            { situation in
                let engine = GatewayEngine()
                await engine.shutdown(within: .zero)
                try await situation.fetch(
                    BookshopClient(
                        server: .init(url: situation.gateway.apiURL),
                        credentials: .init(bookshopAuth: situation.credential), engine: engine))
            }
        ),
        ("No credential was configured", { try await $0.fetch($0.api(anonymous: true)) }),
        (
            "The engine's credential is for another origin",
            { situation in
                let authentication = try GatewayConfiguration.Authentication(
                    situation.credential, origins: ["https://files.example.com"])
                try await situation.fetch(
                    situation.api(anonymous: true) { $0.authentication = authentication })
            }
        ),
        (
            "A credential for plain HTTP to another machine",
            { try await $0.fetch($0.api(at: "http://orders.shop.svc/v1")) }
        ),
        (
            "The task is cancelled",
            { situation in
                let hold = situation.gateway.hold()
                defer { hold.release() }
                let call = Task { try await situation.fetch(situation.api()) }
                await hold.waitForArrivals(1)
                call.cancel()
                try await call.value
            }
        ),
    ]

    private static let tokens: [(String, WrongSituation.Body)] = [
        (
            "The token endpoint is down",
            { situation in
                // Longer than a call waits by itself, so that no deadline ends the wait.
                situation.answerTokens(
                    EmbeddedGateway.Reply(status: 503, fields: ["Retry-After": "60"]))
                try await situation.fetch(situation.api())
            }
        ),
        (
            "The token endpoint cannot be reached",
            { situation in
                situation.gateway.refuseConnections(to: .token)
                var policy = TokenRefreshPolicy()
                policy.outagePatience = .zero
                try await situation.fetch(situation.api(situation.credential.renewed(by: policy)))
            }
        ),
        (
            "The client's secret is wrong",
            { situation in
                try await situation.fetch(
                    situation.api(
                        .clientCredentials(
                            id: situation.gateway.client.id, secret: "wrong",
                            tokenURL: situation.gateway.tokenURL)))
            }
        ),
        (
            "The file of the client's secret is missing",
            { situation in
                try await situation.fetch(
                    situation.api(
                        .clientCredentials(
                            id: situation.gateway.client.id, secret: .file(situation.folder + "/secret")
                        ).at(tokenURL: situation.gateway.tokenURL)))
            }
        ),
        (
            "The refresh token was revoked",
            { situation in
                situation.answerTokens(
                    .json(
                        ["error": "invalid_grant", "error_description": "Token is revoked"], status: 400))
                try await situation.fetch(
                    situation.api(
                        .refreshToken(
                            "spent", clientID: "app", tokenURL: situation.gateway.tokenURL)))
            }
        ),
        (
            "The token endpoint answers 400 and says nothing",
            { situation in
                situation.answerTokens(.status(400))
                try await situation.fetch(
                    situation.api(
                        .refreshToken("spent", clientID: "app", tokenURL: situation.gateway.tokenURL)))
            }
        ),
        (
            "The token endpoint does not allow the scopes",
            { situation in
                situation.answerTokens(
                    .json(
                        ["error": "scope_invalid", "error_description": "Scope books:read unknown"],
                        status: 400))
                try await situation.fetch(situation.api())
            }
        ),
        (
            "The path of the token URL is wrong",
            { situation in
                try await situation.fetch(
                    situation.api(situation.credential.at(tokenURL: "\(situation.gateway.tokenOrigin)/token"))
                )
            }
        ),
        (
            "The token URL is plain HTTP",
            { try await $0.fetch($0.api($0.credential.at(tokenURL: "http://auth.example.com/token"))) }
        ),
        (
            "The token URL has no scheme",
            { try await $0.fetch($0.api($0.credential.at(tokenURL: "auth.example.com/token"))) }
        ),
        (
            "The token URL is a web page",
            { situation in
                situation.answerTokens(.text("<h1>Sign in</h1>", contentType: "text/html"))
                try await situation.fetch(situation.api())
            }
        ),
        (
            "The provider returns the rejected token again",
            { try await $0.fetch($0.api(.provider(StubbornProvider()))) }
        ),
        ("A fixed token was revoked", { try await $0.fetch($0.api(.token("revoked"))) }),
    ]
}
