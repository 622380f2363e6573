/// The namespace, and the client with its groups, servers and credentials.
struct ClientRenderer {
    let model: CodeModel

    private var document: APIDocument { model.document }
    private var client: String { model.namespace + "Client" }

    func declarations() -> [SwiftDeclaration] {
        let text = SwiftText.comment(document.text)
        let title =
            firstComment(document.summary) ?? firstComment(document.title) ?? model.namespace
        var result = [
            SwiftDeclaration(
                SwiftText.comment(title) + (text.isEmpty ? [] : [""] + text),
                "nonisolated enum " + model.namespace, .type([]), .members([]))
        ]
        if !document.rules.text.isEmpty {
            let rules = SwiftDeclaration(
                isVisible: false, "static let _rules",
                .variable("RequestRules", .call("RequestRules", [.literal(document.rules.text)])))
            result.append(.extension(model.namespace, [], [[rules]]))
        }
        let properties = model.groups.map { group in
            SwiftDeclaration(
                SwiftText.comment(group.text), "var " + SwiftName.escaped(group.property),
                .variable(.named(group.type)), .inline(.expression(copy(group.type))))
        }
        let groups = model.groups.map { group in
            structure(group.type, SwiftText.comment(group.text), [responding, withResponse])
        }
        let version = SwiftText.oneLine(document.version)
        let comment = "The operations of \(SwiftText.oneLine(document.title)) \(version)."
        var members = [custom, configured] + warmUp + [shutdown, responding] + properties
        members += [withResponse] + groups
        members.append(ServerRenderer(document).declaration())
        members += CredentialsRenderer(schemes: document.securitySchemes).declarations()
        return result + [structure(client, SwiftText.comment(comment), members)]
    }

    private func firstComment(_ text: String?) -> String? {
        let line = SwiftText.oneLine(text ?? "")
        return line.isEmpty ? nil : line
    }

    /// A struct that has the client as its only property.
    private func structure(
        _ name: String, _ comment: [String], _ members: [SwiftDeclaration]
    ) -> SwiftDeclaration {
        let client = SwiftDeclaration(isVisible: false, "let client", .variable("APIClient"))
        return SwiftDeclaration(
            comment, "nonisolated struct " + name, .type(["Sendable"]),
            .members(([client] + members).map { [$0] }))
    }

    /// Creates another struct of this kind with the same client.
    private func copy(_ type: String) -> Expression {
        .call(.name(type), [.labelled("client", "self.client")])
    }

    private static let responding =
        "The same operations, returning the status, header fields and request ID together with the value."

    private var responding: SwiftDeclaration {
        SwiftDeclaration(
            [Self.responding], "var withResponse", .variable("WithResponse"),
            .inline(.expression(copy("WithResponse"))))
    }

    private var withResponse: SwiftDeclaration { structure("WithResponse", [Self.responding], []) }

    // MARK: Initializers

    private var hasCredentials: Bool { !document.securitySchemes.isEmpty }

    private func initializer(
        _ comment: String, _ last: SwiftDeclaration.Parameter, _ statement: Statement
    ) -> SwiftDeclaration {
        var parameters = [SwiftDeclaration.Parameter("server", "Server", ServerRenderer(document).fallback)]
        if hasCredentials {
            parameters.append(.init("credentials", "Credentials", .call("Credentials", [])))
        }
        parameters.append(.init("defaults", "CallOptions", .call("CallOptions", [])))
        parameters.append(.init("middleware", "MiddlewareChain", .call("MiddlewareChain", [])))
        return SwiftDeclaration([comment], "init", .function(parameters + [last]), .block([statement]))
    }

    private func client(_ engine: Expression, isOwned: Bool = false) -> Statement {
        let credentials: Expression = hasCredentials ? "credentials.configured" : "ConfiguredCredentials"
        var arguments: [Expression] = [
            .labelled("server", "server.choice"), .labelled("credentials", .call(credentials, [])),
            .labelled("defaults", "defaults"), .labelled("middleware", "middleware"),
            .labelled("engine", engine),
        ]
        if isOwned { arguments.append(.labelled("ownsEngine", "true")) }
        return .assign("self.client", .call("APIClient", arguments))
    }

    private var custom: SwiftDeclaration {
        initializer(
            "Creates a client with a custom engine. It receives the credentials in the context, not in the request.",
            .init("engine", "any RequestEngine"), client("engine"))
    }

    private var configured: SwiftDeclaration {
        let engine = Expression.call("GatewayEngine", [.labelled("configuration", "configuration")])
        return initializer(
            "Creates a client with the engine of the configuration.",
            .init("configuration", "GatewayConfiguration", .call("GatewayConfiguration", [])),
            client(engine, isOwned: true))
    }

    /// For documents with security schemes.
    private var warmUp: [SwiftDeclaration] {
        guard hasCredentials else { return [] }
        var known = Set<String>()
        let requirements = model.operations.compactMap(\.security).filter {
            !$0.isEmpty && known.insert($0).inserted
        }
        let call = Expression.call(
            "self.client.warmUp",
            [.array(requirements.map { .literal($0) }), .labelled("within", "limit")])
        return [
            SwiftDeclaration(
                [
                    "Gets the tokens that the operations need, at the same time, unless there are usable ones: before the",
                    "first call. Operations whose credentials the client was not given are left out.",
                ],
                "func warmUp",
                .function(
                    [.init("within limit", "Duration")], isAsync: true, throws: .named("NetworkError")),
                .block([.expression(.prefixed("try await", call))]))
        ]
    }

    private var shutdown: SwiftDeclaration {
        let call = Expression.call("self.client.shutdown", [.labelled("within", "limit")])
        return SwiftDeclaration(
            [
                "Shuts down the engine that the client has created: calls in progress may finish within the limit.",
                "An engine that was passed to the client is not shut down, because other clients may use it.",
            ],
            "func shutdown", .function([.init("within limit", "Duration")], isAsync: true),
            .block([.expression(.prefixed("await", call))]))
    }
}
