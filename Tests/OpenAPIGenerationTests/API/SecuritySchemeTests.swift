import Testing

@testable import OpenAPIGeneration

/// What becomes of the document's security schemes.
@Suite struct SecuritySchemeTests {
    private static let operation =
        "/a: { get: { operationId: op, security: [{ s: [b, a] }], responses: { '204': { description: d } } } }"

    private func rendered(_ scheme: String) -> Rendered {
        Rendered(
            paths: Self.operation, rest: "components: { securitySchemes: { s: { \(scheme) } } }",
            version: "3.2.0")
    }

    @Test(arguments: [
        ("type: http, scheme: bearer", "BearerCredential", #"bearer("s", self.s)"#),
        ("type: http, scheme: Basic", "BasicCredential", #"basic("s", self.s)"#),
        ("type: http, scheme: digest", "CustomCredential", #"custom("s", self.s, "http digest")"#),
        (
            "type: apiKey, in: header, name: X-Key", "APIKeyCredential",
            #"apiKeyHeader("s", self.s, "X-Key")"#
        ),
        ("type: apiKey, in: query, name: key", "APIKeyCredential", #"apiKeyQuery("s", self.s, "key")"#),
        ("type: apiKey, in: cookie, name: key", "APIKeyCredential", #"apiKeyCookie("s", self.s, "key")"#),
        (
            "type: openIdConnect, openIdConnectUrl: 'https://i.example/.well-known/openid-configuration'",
            "OAuthCredential",
            #"openID("s", self.s, url: "https://i.example/.well-known/openid-configuration", scopes: "a b")"#
        ),
        (
            "type: oauth2, flows: { clientCredentials: { tokenUrl: 'https://t.example/t', scopes: { c: C } } }",
            "OAuthCredential", #"oauth("s", self.s, tokenURL: "https://t.example/t", scopes: "a b c")"#
        ),
        (
            "type: oauth2, oauth2MetadataUrl: 'https://t.example/m', flows: { implicit: { authorizationUrl: 'https://t.example/a', scopes: {} } }",
            "OAuthCredential",
            #"oauth("s", self.s, metadataURL: "https://t.example/m", scopes: "a b")"#
        ),
    ])
    func eachKindHasItsCredential(scheme: String, type: String, call: String) {
        let rendered = rendered(scheme)
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("public var s: \(type)?\n"))
        #expect(
            rendered.contains(
                "public init(s: \(type)? = nil, options: SecurityOptions = SecurityOptions()) {"))
        #expect(rendered.contains("        _configured.\(call)\n"), "\(rendered.source)")
    }

    /// In the descriptor a space separates a scheme from its scopes.
    @Test func aNameWithASpaceIsOneScheme() {
        let rendered = Rendered(
            paths: Self.operation.replacing("s: [b, a]", with: "API key: [b, a]"),
            rest: "components: { securitySchemes: { API key: { type: apiKey, in: header, name: X-Key } } }")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains(#"_configured.apiKeyHeader("API key", self.apiKey, "X-Key")"#))
        #expect(rendered.contains(#"security: "API\u{1}key a b""#))
    }

    @Test func mutualTLSTakesNoCredential() {
        let rendered = rendered("type: mutualTLS")
        #expect(rendered.findings.isEmpty)
        #expect(rendered.contains("public init(options: SecurityOptions = SecurityOptions()) {"))
        #expect(rendered.contains(#"_configured.mutualTLS("s")"#))
    }

    @Test func eachFlowHasItsEndpoint() {
        let rendered = rendered(
            """
            type: oauth2, flows: {
              authorizationCode: { authorizationUrl: 'https://p.example/a', tokenUrl: 'https://p.example/t', refreshUrl: 'https://p.example/r', scopes: { x: X } },
              deviceAuthorization: { deviceAuthorizationUrl: 'https://p.example/d', tokenUrl: 'https://p.example/t', scopes: { y: Y } },
              clientCredentials: { tokenUrl: 'https://t.example/t', scopes: { z: Z } } }
            """)
        #expect(rendered.findings.isEmpty)
        let arguments = [
            #"tokenURL: "https://t.example/t""#, #"signInTokenURL: "https://p.example/t""#,
            #"refreshURL: "https://p.example/r""#, #"authorizationURL: "https://p.example/a""#,
            #"deviceAuthorizationURL: "https://p.example/d""#, #"scopes: "a b x y z""#,
        ]
        #expect(rendered.contains(arguments.joined(separator: ", ")))
    }

    /// What says the same twice is said once.
    @Test func equalEndpointsAreWrittenOnce() {
        let flow = "tokenUrl: 'https://t.example/t', refreshUrl: 'https://t.example/t', scopes: {}"
        let rendered = rendered(
            "type: oauth2, flows: { clientCredentials: { \(flow) }, password: { \(flow) } }")
        #expect(rendered.contains(#"oauth("s", self.s, tokenURL: "https://t.example/t", scopes: "a b")"#))
    }

    @Test(arguments: [
        ("type: oauth2, flows: { clientCredentials: { tokenUrl: 'HTTP://t.example/t', scopes: {} } }", 1),
        ("type: oauth2, flows: { clientCredentials: { tokenUrl: 'http://127.0.0.1:1/t', scopes: {} } }", 0),
        ("type: openIdConnect, openIdConnectUrl: 'http://t.example/m'", 1),
        ("type: openIdConnect, openIdConnectUrl: /m", 0),
    ])
    func anEndpointThatGetsNoSecretIsTold(scheme: String, warnings: Int) {
        #expect(rendered(scheme).rules == Array(repeating: "unsupported-security", count: warnings))
    }

    @Test(arguments: [
        ("type: openIdConnect", "structure"), ("type: http", "structure"), ("type: oauth2", "structure"),
        ("type: quantum", "unsupported-security"),
    ])
    func whatIsMissingIsTold(scheme: String, rule: String) {
        #expect(rendered(scheme).rules == [rule])
    }

    /// No scope leaves its place in the list, whatever it is named.
    @Test func whatIsNoScopeIsLeftOut() {
        let rendered = rendered(
            #"type: oauth2, flows: { password: { tokenUrl: 'https://t.example/t', scopes: { "x y": d, "\"": d, ok: d, "é": d } } }"#
        )
        #expect(rendered.contains(#"scopes: "a b ok")"#))
    }

    private func undefined(_ security: String) -> Rendered {
        Rendered(
            paths: "/a: { get: { security: \(security), responses: { '204': { description: d } } } }",
            rest: "components: { securitySchemes: { s: { type: http, scheme: bearer } } }")
    }

    @Test(arguments: [
        ("[{ ghost: [] }, { s: [] }]", #""s""#, 1), ("[{ s: [], ghost: [] }, {}]", #""""#, 1),
        ("[{ s: [] }, { ghost: [], ghoul: [] }]", #""s""#, 2), ("[{ s: [] }]", #""s""#, 0),
    ])
    func anAlternativeWithAnUndefinedSchemeIsSkipped(security: String, sent: String, warnings: Int) {
        let rendered = undefined(security)
        #expect(rendered.rules == Array(repeating: "unsupported-security", count: warnings))
        #expect(rendered.contains("security: \(sent), "), "\(rendered.source)")
        #expect(!rendered.printed.contains("without credentials"))
    }

    @Test func withoutADefinedSchemeRequestsHaveNoCredentials() {
        let rendered = undefined("[{ ghost: [] }]")
        #expect(
            rendered.printed
                == "Test.openapi.yaml:4:29: warning: security scheme \"ghost\" is not defined in "
                + "\"components/securitySchemes\"; no other alternative; requests are sent without credentials "
                + "[unsupported-security]\n")
        #expect(rendered.contains("security: nil, "))
    }

    /// One line for all operations that inherit the requirement.
    @Test func theRequirementOfTheDocumentIsReportedOnce() {
        let rendered = Rendered(
            paths: """
                /a: { get: { responses: { '204': { description: d } } } }
                /b: { get: { responses: { '204': { description: d } } } }
                """, rest: "security: [{ ghost: [] }]")
        #expect(rendered.rules == ["unsupported-security"])
        #expect(rendered.contains("func getA("))
    }
}
