import GatewayCore
import GatewayTesting
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

@Suite struct ServerTests {
    /// Where the calls of a client at `server` go: one of the document's servers, and those of operations' own.
    private func urls(_ server: HarbourClient.Server) async throws -> [String] {
        let engine = ScriptedEngine { request, _ in .status(request.method == .post ? 202 : 204) }
        let api = HarbourClient(server: server, engine: engine)
        _ = try await api.orderPilot()
        try await api.getChart(chartId: "7")
        try await api.deleteChart(chartId: "7")
        return engine.requests.map { $0.origin.description + $0.target }
    }

    @Test func variablesChooseTheServer() async throws {
        #expect(HarbourClient.Server.production().url == "https://eu.harbour.example/v1")
        #expect(
            HarbourClient.Server.production(region: .usEast1, version: "v2").url
                == "https://us-east-1.harbour.example/v2")
        #expect(HarbourClient.Server.Region.allCases == [.eu, .usEast1])
        // Operations' own servers take the client's variables, and the one of the same name.
        #expect(
            try await urls(.production()) == [
                "https://eu.harbour.example/v1/pilots", "https://charts-eu.harbour.example/charts/7",
                "https://eu.harbour.example/admin/charts/7",
            ])
        #expect(
            try await urls(.sandbox) == [
                "https://sandbox.harbour.example/v1/pilots",
                "https://charts.sandbox.harbour.example/charts/7",
                "https://sandbox.harbour.example/admin/charts/7",
            ])
    }

    /// An operation's server uses the client's value only if it allows the value.
    @Test(
        arguments: [
            ("region\teu\teu\tus", "us", "us"), ("region\teu\teu\tus", "cn", "eu"),
            ("region\teu", "cn", "cn"),
            ("region\teu\teu", "cn", "eu"), ("", "cn", "cn"),
        ] as [(StaticString, String, String)])
    func anOperationsServerHasItsOwnValues(defaults: StaticString, value: String, expected: String) throws {
        let server = OwnServer(
            name: "live", template: "https://{region}.a.example", defaults: defaults)
        let choice = ServerChoice("live", "https://{region}.a.example", ["region", value])
        let base = try server.base(at: choice, nil)
        #expect(base.origin.description == "https://\(expected).a.example")
    }

    /// A value and a name that are canonically equivalent to a documented one are others.
    @Test func variablesAndTheirValuesAreComparedByCodePoints() throws {
        let server = OwnServer(
            name: "live", template: "https://a.example/{p}/{caf\u{E9}}/{cafe\u{301}}",
            defaults: "p\tx\tcaf\u{E9}\ncaf\u{E9}\t1\ncafe\u{301}\t2")
        let choice = ServerChoice(
            "live", "https://a.example/{p}/{caf\u{E9}}/{cafe\u{301}}",
            ["p", "cafe\u{301}", "caf\u{E9}", "3", "cafe\u{301}", "4"])
        #expect(choice.url == "https://a.example/cafe%CC%81/3/4")
        #expect(try server.base(at: choice, nil).path == "/x/3/4")
    }

    @Test func aURLOfOnesOwnIsForEverythingUnlessItIsNot() async throws {
        #expect(
            try await urls(.init(url: "http://127.0.0.1:8080/base/")) == [
                "http://127.0.0.1:8080/base/pilots", "http://127.0.0.1:8080/base/charts/7",
                "http://127.0.0.1:8080/base/charts/7",
            ])
        #expect(
            try await urls(.init(url: "http://127.0.0.1:8080/base", everywhere: false)) == [
                "http://127.0.0.1:8080/base/pilots", "https://charts-us-east-1.harbour.example/charts/7",
                "http://127.0.0.1:8080/admin/charts/7",
            ])
    }

    @Test func aRelativeURLTakesAnOrigin() async throws {
        #expect(
            HarbourClient.Server.installed(origin: "https://box.local:8443/").url
                == "https://box.local:8443/harbour/v1")
        #expect(
            try await urls(.installed(origin: "https://box.local", version: "v3")).first
                == "https://box.local/harbour/v3/pilots")
    }

    @Test(arguments: ["", "box.local", "/box", "ftp://box.local", "https://"])
    func anOriginThatIsNoneFailsBeforeAnyIO(origin: String) async throws {
        try await refuses(.installed(origin: origin))
    }

    /// The value of a variable never makes another host of the one around it.
    @Test(arguments: [
        "evil.example/", "evil.example#", "evil.example?", "user@", "a\\", "a%2F", " ", "é", "a b",
        "{region}",
    ])
    func aVariableCannotLeadElsewhere(value: String) async throws {
        let engine = ScriptedEngine(.status(204))
        let server = HarbourClient.Server(
            choice: .init("x", "https://{tenant}.harbour.example", ["tenant", value]))
        do {
            _ = try await HarbourClient(server: server, engine: engine).orderPilot()
            Issue.record("sent to \(engine.requests.map { $0.origin.description })")
        } catch {
            #expect(error.code == .invalidURL)
        }
        #expect(engine.requests.isEmpty)
    }

    @Test func aVariableInThePathIsEncoded() {
        #expect(
            HarbourClient.Server.production(version: "a b?c#d/e").url
                == "https://eu.harbour.example/a%20b%3Fc%23d/e")
    }

    @Test func dotsInAVariableAreRefused() async throws {
        try await refuses(.production(version: "../.."), code: .invalidRequest)
    }

    private func refuses(
        _ server: HarbourClient.Server, code: NetworkError.Code = .invalidURL
    ) async throws {
        let engine = ScriptedEngine(.status(204))
        do {
            _ = try await HarbourClient(server: server, engine: engine).orderPilot()
            Issue.record("sent")
        } catch {
            #expect(error.code == code)
        }
        #expect(engine.requests.isEmpty)
    }
}
