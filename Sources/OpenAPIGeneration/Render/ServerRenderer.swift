/// The client's `Server`: the servers of the document, also those without an origin, and custom servers.
struct ServerRenderer {
    let servers: [APIServer]
    /// Whether any operation defines its own servers.
    let hasOwn: Bool
    private let planner: ServerPlanner

    init(_ document: APIDocument) {
        servers = document.servers
        hasOwn = document.operations.contains { !$0.servers.isEmpty }
        planner = ServerPlanner(document.servers)
    }

    /// The default argument of the client's `server`. Nil: the argument is required.
    var fallback: Expression? {
        guard let first = planner.plans.first, first.server.isAbsolute,
            !first.server.variables.contains(where: { $0.fallback == nil })
        else { return nil }
        let name = Expression.name("Server." + SwiftName.escaped(first.name))
        return first.parameters.isEmpty ? name : .call(name, [])
    }

    func declaration() -> SwiftDeclaration {
        let choice = SwiftDeclaration(isVisible: false, "let choice", .variable("ServerChoice"))
        let url = SwiftDeclaration(
            ["The base URL, without a query; operations' paths are appended to it."], "var url",
            .variable("String"), .inline(.expression("self.choice.url")))
        let initializer = SwiftDeclaration(
            isVisible: false, "init", .function([.init("choice", "ServerChoice")]),
            .block([.assign("self.choice", "choice")]))
        let members =
            [choice, url, initializer, custom, environment] + planner.plans.map { declaration($0) }
            + planner.enums.map { declaration($0) }
        return SwiftDeclaration(
            ["A server of the document, or a custom server."], "nonisolated struct Server",
            .type(["Sendable"]), .members(members.map { [$0] }))
    }

    private var custom: SwiftDeclaration {
        var comment = ["A custom server."]
        var parameters = [SwiftDeclaration.Parameter("url", "String")]
        var arguments = [Expression.labelled("url", "url")]
        if hasOwn {
            comment += [
                "",
                "- Parameter everywhere: Whether this server is also used by operations that define their own servers.",
            ]
            parameters.append(.init("everywhere", "Bool", "true"))
            arguments.append(.labelled("everywhere", "everywhere"))
        }
        return SwiftDeclaration(
            comment, "init", .function(parameters),
            .block([.assign("self.choice", .call("ServerChoice", arguments))]))
    }

    private var environment: SwiftDeclaration {
        let choice = Expression.call(
            "ServerChoice", ["environment.baseURL", .labelled("or", "server.choice")])
        return SwiftDeclaration(
            ["The server of `GATEWAY_BASE_URL`, for all operations; another one if the variable is not set."],
            "init",
            .function([
                .init("_ environment", "GatewayEnvironment"), .init("or server", "Server"),
            ]),
            .block([.assign("self.choice", choice)]))
    }

    private func declaration(_ plan: ServerPlan) -> SwiftDeclaration {
        let server = plan.server
        var parameters = plan.parameters.map { parameter in
            SwiftDeclaration.Parameter(SwiftName.label(parameter.name), parameter.type, parameter.fallback)
        }
        var documented = plan.parameters.compactMap { parameter in
            parameter.variable.text.map { "\(parameter.name): \(SwiftText.oneLine($0))" }
        }
        var arguments: [Expression] = [.literal(plan.name), .literal(server.url)]
        if !plan.parameters.isEmpty {
            arguments.append(.array(plan.parameters.flatMap { [.literal($0.variable.name), $0.text] }))
        }
        if !server.isAbsolute {
            parameters.insert(.init("origin", "String"), at: 0)
            documented.insert("origin: Scheme, host and port; the document does not define them.", at: 0)
            arguments.append(.labelled("origin", "origin"))
        }
        let comment =
            SwiftText.comment(server.text, server.url)
            + (documented.isEmpty ? [] : ["", "- Parameters:"] + documented.map { "  - " + $0 })
        let choice = Expression.call("ServerChoice", arguments)
        let value = Expression.call("Server", [.labelled("choice", choice)])
        let name = SwiftName.escaped(plan.name)
        return parameters.isEmpty
            ? SwiftDeclaration(
                comment, "static var " + name, .variable("Server"), .inline(.expression(value)))
            : SwiftDeclaration(
                comment, "static func " + name, .function(parameters, returns: "Server"),
                .block([.return(value)]))
    }

    private func declaration(_ type: ServerEnum) -> SwiftDeclaration {
        let cases = type.cases.map { item in
            SwiftDeclaration(
                ["The value \(SwiftText.code(item.value))."], isVisible: false, "case " + item.name,
                .value(.literal(item.value)))
        }
        return SwiftDeclaration(
            SwiftText.comment(
                type.variable.text,
                "The values of the server variable `\(SwiftText.oneLine(type.variable.name))`."),
            "nonisolated enum " + type.name, .type(["String", "CaseIterable", "Sendable"]),
            .members([cases]))
    }
}

extension APIServer {
    /// The call on the request builder that selects the server of an operation.
    var call: MethodCall {
        var arguments: [Expression] = [.literal(ServerPlanner.name(self, offset: 0)), .literal(url)]
        let defaults = variables.compactMap { variable in
            variable.fallback.map { ([variable.name, $0] + variable.values).joined(separator: "\t") }
        }
        if !defaults.isEmpty { arguments.append(.literal(defaults.joined(separator: "\n"))) }
        return MethodCall(method: "server", arguments: arguments)
    }
}
