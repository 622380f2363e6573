/// The struct with one credential for each security scheme.
struct CredentialsRenderer {
    let schemes: [SecurityScheme]

    /// The property for a scheme that requires a credential.
    private struct Property {
        let name: String
        let type: SwiftType
        let comment: [String]
        let call: MethodCall

        var own: Expression { .name("self." + SwiftName.escaped(name)) }
    }

    func declarations() -> [SwiftDeclaration] {
        guard !schemes.isEmpty else { return [] }
        var scope = NameScope(reserving: ["configured", "options"])
        var properties = schemes.filter(\.isConfigurable).map { scheme in
            property(scheme, named: scope.claim(SwiftName.member(scheme.name)))
        }
        var calls = properties.map(\.call)
        for scheme in schemes where !scheme.isConfigurable {
            calls.append(MethodCall(method: "mutualTLS", arguments: [.literal(scheme.name)]))
        }
        let options = MethodCall(method: "options", arguments: ["self.options"])
        var parameters = properties.map { property in
            SwiftDeclaration.Parameter(SwiftName.label(property.name), .optional(property.type), "nil")
        }
        parameters.append(.init("options", "SecurityOptions", .call("SecurityOptions", [])))
        properties.append(
            Property(
                name: "options", type: "SecurityOptions",
                comment: ["Which credentials are preferred, and which origins receive them."], call: options))
        let lines = properties.map { Statement.assign($0.own, .name(SwiftName.escaped($0.name))) }
        let initializer = SwiftDeclaration(
            ["Credentials for some or all of the security schemes."], "init", .function(parameters),
            .block(lines))
        let members = zip(properties, parameters).map { property, parameter in
            SwiftDeclaration(
                property.comment, "var " + SwiftName.escaped(property.name), .variable(parameter.type))
        }
        let declaration = SwiftDeclaration(
            ["One credential for each security scheme of the document. Set those that you have."],
            "nonisolated struct Credentials", .type(["Sendable"]),
            .members((members + [initializer, configured([options] + calls)]).map { [$0] }))
        return [declaration]
    }

    private func configured(_ calls: [MethodCall]) -> SwiftDeclaration {
        let new = Statement.variable(
            "var _configured", "ConfiguredCredentials", .call("ConfiguredCredentials", []))
        let lines = calls.map { Statement.expression($0.on("_configured")) }
        return SwiftDeclaration(
            isVisible: false, "func configured", .function([], returns: "ConfiguredCredentials"),
            .block([new] + lines + [.return("_configured")]))
    }

    private func property(_ scheme: SecurityScheme, named name: String) -> Property {
        let type: SwiftType
        let method: String
        var further: [Expression] = []
        func add(_ label: String, _ text: String) {
            if !text.isEmpty { further.append(.labelled(label, .literal(text))) }
        }
        switch scheme.kind {
        case .bearer: (type, method) = ("BearerCredential", "bearer")
        case .basic: (type, method) = ("BasicCredential", "basic")
        case .apiKey(let place, let key):
            let methods: [Parameter.Location: String] = [.query: "apiKeyQuery", .cookie: "apiKeyCookie"]
            (type, method) = ("APIKeyCredential", methods[place] ?? "apiKeyHeader")
            further = [.literal(key)]
        case .oauth2(let flows):
            (type, method) = ("OAuthCredential", "oauth")
            add("tokenURL", flows.tokenURL)
            add("signInTokenURL", flows.signInTokenURL)
            add("refreshURL", flows.refreshURL)
            add("authorizationURL", flows.authorizationURL)
            add("deviceAuthorizationURL", flows.deviceAuthorizationURL)
            add("metadataURL", flows.metadataURL)
            add("scopes", scheme.scopes.joined(separator: " "))
        case .openID(let url):
            (type, method) = ("OAuthCredential", "openID")
            further = [.labelled("url", .literal(url))]
            add("scopes", scheme.scopes.joined(separator: " "))
        case .custom(let kind):
            (type, method) = ("CustomCredential", "custom")
            further = [.literal(kind)]
        case .mutualTLS: (type, method) = ("CustomCredential", "mutualTLS")
        }
        let own = Expression.name("self." + SwiftName.escaped(name))
        return Property(
            name: name, type: type, comment: SwiftText.comment(scheme.text, "The scheme `\(scheme.name)`."),
            call: MethodCall(method: method, arguments: [.literal(scheme.name), own] + further))
    }
}
