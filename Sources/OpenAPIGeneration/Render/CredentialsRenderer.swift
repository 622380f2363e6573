/// Writes the struct with one credential for each security scheme.
struct CredentialsRenderer {
    let schemes: [SecurityScheme]

    func render(into writer: inout SourceWriter) {
        guard !schemes.isEmpty else { return }
        var scope = NameScope(reserving: ["configured", "options"])
        let properties = schemes.filter(\.isConfigurable).map {
            ($0, SwiftName.escaped(scope.claim(SwiftName.member($0.name))))
        }
        writer.blank()
        writer.comment("One credential for each security scheme of the document. Set those that you have.")
        writer.openVisible("nonisolated struct Credentials: Sendable")
        for (scheme, name) in properties {
            let text = scheme.text.map { SwiftText.commentLines($0) } ?? []
            writer.comment(text.isEmpty ? "The scheme `\(scheme.name)`." : text.joined(separator: "\n"))
            writer.visible("var \(name): \(type(scheme))?")
            writer.blank()
        }
        writer.comment("Which credentials are preferred, and which origins receive them.")
        writer.visible("var options: SecurityOptions")
        writer.blank()
        writer.comment("Credentials for some or all of the security schemes.")
        let parameters =
            properties.map { scheme, name in
                "\(SwiftName.label(name.filter { $0 != "`" })): \(type(scheme))? = nil"
            } + ["options: SecurityOptions = SecurityOptions()"]
        writer.openVisible("init(\(parameters.joined(separator: ", ")))")
        for (_, name) in properties { writer.line("self.\(name) = \(name)") }
        writer.line("self.options = options")
        writer.close()
        writer.blank()
        writer.open("func configured() -> ConfiguredCredentials")
        writer.line("var _configured: ConfiguredCredentials = ConfiguredCredentials()")
        writer.line("_configured.options(self.options)")
        for (scheme, name) in properties { writer.line("_configured." + call(scheme, "self." + name)) }
        for scheme in schemes where !scheme.isConfigurable {
            writer.line("_configured.mutualTLS(\(SwiftText.literal(scheme.name)))")
        }
        writer.line("return _configured")
        writer.close()
        writer.close()
    }

    private func type(_ scheme: SecurityScheme) -> String {
        switch scheme.kind {
        case .bearer: "BearerCredential"
        case .basic: "BasicCredential"
        case .apiKey: "APIKeyCredential"
        case .oauth2, .openID: "OAuthCredential"
        case .custom, .mutualTLS: "CustomCredential"
        }
    }

    private func call(_ scheme: SecurityScheme, _ value: String) -> String {
        let (name, method, further) = (SwiftText.literal(scheme.name), method(scheme), further(scheme))
        return "\(method)(\(([name, value] + further).joined(separator: ", ")))"
    }

    private func method(_ scheme: SecurityScheme) -> String {
        switch scheme.kind {
        case .bearer: "bearer"
        case .basic: "basic"
        case .oauth2: "oauth"
        case .openID: "openID"
        case .custom: "custom"
        case .mutualTLS: "mutualTLS"
        case .apiKey(.query, _): "apiKeyQuery"
        case .apiKey(.cookie, _): "apiKeyCookie"
        case .apiKey: "apiKeyHeader"
        }
    }

    /// The arguments after name and credential.
    private func further(_ scheme: SecurityScheme) -> [String] {
        switch scheme.kind {
        case .bearer, .basic, .mutualTLS: return []
        case .apiKey(_, let key): return [SwiftText.literal(key)]
        case .custom(let kind): return [SwiftText.literal(kind)]
        case .openID(let url): return labelled([("url", url)]) + scopes(scheme)
        case .oauth2(let flows):
            return labelled(
                [
                    ("tokenURL", flows.tokenURL), ("signInTokenURL", flows.signInTokenURL),
                    ("refreshURL", flows.refreshURL), ("authorizationURL", flows.authorizationURL),
                    ("deviceAuthorizationURL", flows.deviceAuthorizationURL),
                    ("metadataURL", flows.metadataURL),
                ].filter { !$0.1.isEmpty }) + scopes(scheme)
        }
    }

    private func scopes(_ scheme: SecurityScheme) -> [String] {
        scheme.scopes.isEmpty ? [] : labelled([("scopes", scheme.scopes.joined(separator: " "))])
    }

    private func labelled(_ arguments: [(String, String)]) -> [String] {
        arguments.map { "\($0): \(SwiftText.literal($1))" }
    }
}
