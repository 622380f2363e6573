import Testing

@testable import OpenAPIGeneration

@Suite struct ServerTests {
    private func document(_ servers: String, paths: String = "{}") -> Rendered {
        Rendered(
            "openapi: 3.2.0\ninfo: { title: T, version: '1' }\nservers: \(servers)\npaths: \(paths)\n")
    }

    @Test(arguments: [
        ("{ url: 'https://a.example', description: Production }", "production"),
        ("{ url: 'https://a.example', name: eu-west, description: Production }", "euWest"),
        (
            "{ url: 'https://sandbox.pay.a.example/v1', description: Where you may try all things out }",
            "sandboxPay"
        ),
        ("{ url: 'https://{tenant}.api.a.example', variables: { tenant: { default: t } } }", "api"),
        ("{ url: 'https://a.example' }", "aExample"), ("{ url: 'http://localhost:8080' }", "localhost"),
        ("{ url: 'https://127.0.0.1' }", "server1"), ("{ url: /v1 }", "server1"),
        ("{ url: 'https://a.example', description: Default }", "`default`"),
    ])
    func serversAreNamed(server: String, name: String) {
        let rendered = document("[\(server)]")
        #expect(rendered.findings.isEmpty)
        #expect(
            rendered.contains("public static var \(name): Server")
                || rendered.contains("public static func \(name)("))
    }

    @Test func variablesAreParameters() {
        let rendered = document(
            """
            [{ url: 'https://{region}.a.example:{port}/{base}', description: Live, variables: {
              region: { enum: [eu, us-east-1], default: us-east-1, description: The region. },
              port: { default: 443 }, base: { default: v2 }, unused: { default: x } } }]
            """)
        #expect(rendered.findings.isEmpty)
        #expect(
            rendered.contains(
                "public static func live(region: Region = Region.usEast1, port: String = \"443\", base: String = \"v2\") -> Server {"
            ))
        #expect(
            rendered.contains(
                "ServerChoice(\"live\", \"https://{region}.a.example:{port}/{base}\", [\"region\", region.rawValue, \"port\", port, \"base\", base])"
            ))
        #expect(rendered.contains("public nonisolated enum Region: String, CaseIterable, Sendable {"))
        #expect(rendered.contains("case usEast1 = \"us-east-1\""))
        #expect(rendered.contains("///   - region: The region."))
        #expect(rendered.contains("server: Server = Server.live(),"))
    }

    /// A server is a static member of the type that declares the types of variables.
    @Test func aVariableWithTheNameOfAServerHasAnotherType() {
        let rendered = document(
            "[{ url: 'https://{\u{732B}}.a.example', description: \u{732B}, variables: { \u{732B}: { enum: [a, b], default: a } } }]"
        )
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("static func \u{732B}(\u{732B}: \u{732B}2 = \u{732B}2.a) -> Server {"))
        #expect(rendered.contains("enum \u{732B}2: String, CaseIterable, Sendable {"))
    }

    @Test func equalVariablesOfSeveralServersShareAType() {
        let variable = "variables: { region: { enum: [eu, us], default: eu } }"
        let rendered = document(
            """
            [{ url: 'https://{region}.a.example', description: Live, \(variable) },
            { url: 'https://{region}.test.a.example', description: Try, \(variable) },
            { url: 'https://{region}.b.example', description: Other,
              variables: { region: { enum: [cn], default: cn } } }]
            """)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.source.split(separator: "\n").filter { $0.contains("enum Region: ") }.count == 1)
        #expect(rendered.contains("func `try`(region: Region = Region.eu)"))
        #expect(rendered.contains("func other(region: OtherRegion = OtherRegion.cn)"))
    }

    @Test func aRelativeURLNeedsAnOrigin() {
        let rendered = document("[{ url: /api/v3 }]")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("public init(server: Server, defaults:"))
        #expect(rendered.contains("public static func server1(origin: String) -> Server {"))
        #expect(rendered.contains("ServerChoice(\"server1\", \"/api/v3\", origin: origin)"))
    }

    @Test func withoutServersOnlyAURLWillDo() {
        let rendered = document("[]")
        #expect(rendered.contains("public init(server: Server, defaults:"))
        #expect(rendered.contains("public init(url: String) {"))
    }

    @Test func faultsOfVariablesAreReported() {
        let open = document("[{ url: 'https://{a}.example' }]")
        #expect(open.rules == ["structure"])
        #expect(open.contains("func example(a: String) -> Server"))
        #expect(open.contains("public init(server: Server, defaults:"))
        let none = document("[{ url: 'https://{a}.example', variables: { a: { enum: [x] } } }]")
        #expect(none.output.hasErrors)
        let other = document("[{ url: 'https://{a}.example', variables: { a: { enum: [x], default: y } } }]")
        #expect(other.rules == ["structure"])
        #expect(other.contains("func example(a: A = A.y)"))
    }

    @Test func anOperationsOwnServersAreAsked() {
        let rendered = document(
            "[{ url: 'https://a.example' }]",
            paths: """
                { /a: { servers: [{ url: 'https://{region}.up.example', description: Live,
                variables: { region: { default: eu } } }, { url: /v2 }],
                get: { operationId: op, responses: {} } },
                /b: { get: { operationId: two, servers: [{ url: 'https://a.example' }], responses: {} } } }
                """)
        #expect(rendered.findings.isEmpty)
        #expect(
            rendered.contains("_request.server(\"live\", \"https://{region}.up.example\", \"region\\teu\")"))
        #expect(rendered.contains("_request.server(\"server1\", \"/v2\")"))
        // Equal to the server of the document.
        #expect(!rendered.contains("_request.server(\"aExample\""))
        #expect(rendered.contains("init(url: String, everywhere: Bool = true)"))
    }

    /// A server with the URL of the document's server is the same only with the same variables.
    @Test(arguments: [
        ("{ enum: [eu, us], default: eu }", nil), ("{ enum: [us, eu], default: eu, description: D }", nil),
        ("{ enum: [eu, us], default: us }", "region\\tus\\teu\\tus"),
        ("{ enum: [eu], default: eu }", "region\\teu\\teu"),
        ("{ enum: [eu, us, cn], default: eu }", "region\\teu\\teu\\tus\\tcn"),
        ("{ default: eu }", "region\\teu"),
    ])
    func serversAreComparedWithTheirVariables(variable: String, defaults: String?) {
        func server(_ variable: String) -> String {
            "[{ url: 'https://{region}.a.example', description: Live, variables: { region: \(variable) } }]"
        }
        for place in ["operation", "path"] {
            let own = "servers: \(server(variable)),"
            let rendered = document(
                server("{ enum: [eu, us], default: eu }"),
                paths: """
                    { /a: { \(place == "path" ? own : "")
                    get: { operationId: op, \(place == "operation" ? own : "") responses: {} } } }
                    """)
            #expect(rendered.findings.isEmpty)
            let call = defaults.map {
                "_request.server(\"live\", \"https://{region}.a.example\", \"\($0)\")"
            }
            #expect(rendered.contains(call ?? "let _request: RequestBuilder"), "\(place)")
            #expect(rendered.contains("_request.server(") == (defaults != nil), "\(place)")
        }
    }
}
