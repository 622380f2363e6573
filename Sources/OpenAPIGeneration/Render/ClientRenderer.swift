/// Writes the namespace, the client with its groups, the servers and the credentials.
struct ClientRenderer {
    let model: CodeModel

    private static let withResponse =
        "The same operations, returning the status, header fields and request ID together with the value."

    private var document: APIDocument { model.document }
    private var client: String { model.namespace + "Client" }

    func render(into writer: inout SourceWriter) {
        writer.blank()
        writer.comment(firstComment(document.summary) ?? firstComment(document.title) ?? model.namespace)
        if let text = document.text, !SwiftText.commentLines(text).isEmpty {
            writer.line("///")
            writer.comment(text)
        }
        writer.visible("nonisolated enum \(model.namespace) {}")
        if !document.rules.text.isEmpty {
            writer.blank()
            writer.open("nonisolated extension \(model.namespace)")
            writer.line(
                "static let _rules: RequestRules = RequestRules(\(SwiftText.literal(document.rules.text)))")
            writer.close()
        }
        writer.blank()
        let version = SwiftText.oneLine(document.version)
        writer.comment("The operations of \(SwiftText.oneLine(document.title)) \(version).")
        writer.openVisible("nonisolated struct \(client): Sendable")
        writer.line("let client: APIClient")
        initialisers(&writer)
        responding(&writer)
        for group in model.groups {
            writer.blank()
            writer.comment(group.text)
            writer.visible(
                "var \(SwiftName.escaped(group.property)): \(group.type) { \(group.type)(client: self.client) }"
            )
        }
        withResponse(&writer)
        for group in model.groups {
            writer.blank()
            writer.comment(group.text)
            writer.openVisible("nonisolated struct \(group.type): Sendable")
            writer.line("let client: APIClient")
            responding(&writer)
            withResponse(&writer)
            writer.close()
        }
        ServerRenderer(document).render(into: &writer)
        CredentialsRenderer(schemes: document.securitySchemes).render(into: &writer)
        writer.close()
    }

    private func firstComment(_ text: String?) -> String? {
        guard let text, !SwiftText.commentLines(text).isEmpty else { return nil }
        return SwiftText.oneLine(text)
    }

    private func responding(_ writer: inout SourceWriter) {
        writer.blank()
        writer.comment(Self.withResponse)
        writer.visible("var withResponse: WithResponse { WithResponse(client: self.client) }")
    }

    private func withResponse(_ writer: inout SourceWriter) {
        writer.blank()
        writer.comment(Self.withResponse)
        writer.openVisible("nonisolated struct WithResponse: Sendable")
        writer.line("let client: APIClient")
        writer.close()
    }

    private func initialisers(_ writer: inout SourceWriter) {
        let server = "server: Server" + ServerRenderer(document).fallback
        let hasCredentials = !document.securitySchemes.isEmpty
        let credentials = hasCredentials ? ", credentials: Credentials = Credentials()" : ""
        let configured = hasCredentials ? "credentials.configured()" : "ConfiguredCredentials()"
        let defaults = ", defaults: CallOptions = CallOptions()"
        writer.blank()
        writer.comment(
            "Creates a client with a custom engine. It receives the credentials in the context, not in the request."
        )
        writer.openVisible("init(\(server)\(credentials)\(defaults), engine: any RequestEngine)")
        writer.line(
            "self.client = APIClient(server: server.choice, credentials: \(configured), defaults: defaults, engine: engine)"
        )
        writer.close()
        writer.blank()
        writer.comment("Creates a client with the engine of the configuration.")
        writer.openVisible(
            "init(\(server)\(credentials)\(defaults), configuration: GatewayConfiguration = GatewayConfiguration())"
        )
        let passed = hasCredentials ? ", credentials: credentials" : ""
        writer.line(
            "self.init(server: server\(passed), defaults: defaults, engine: GatewayEngine(configuration: configuration))"
        )
        writer.close()
    }
}
