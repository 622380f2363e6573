/// Writes the client's `Server`: the servers of the document, also those without an origin, and custom servers.
struct ServerRenderer {
    let servers: [APIServer]
    /// Whether operations have servers of their own.
    let hasOwn: Bool
    private let planner: ServerPlanner

    init(_ document: APIDocument) {
        servers = document.servers
        hasOwn = document.operations.contains { !$0.servers.isEmpty }
        planner = ServerPlanner(document.servers)
    }

    /// The default argument of the client's `server`; empty if the argument is required.
    var fallback: String {
        guard let first = planner.plans.first, first.server.isAbsolute,
            !first.server.variables.contains(where: { $0.fallback == nil })
        else { return "" }
        return " = Server." + first.name + (first.parameters.isEmpty ? "" : "()")
    }

    func render(into writer: inout SourceWriter) {
        writer.blank()
        writer.comment("A server of the document, or a custom server.")
        writer.openVisible("nonisolated struct Server: Sendable")
        writer.line("let choice: ServerChoice")
        writer.blank()
        writer.comment("The base URL, without a query; operations' paths are appended to it.")
        writer.visible("var url: String { self.choice.url }")
        writer.blank()
        writer.open("init(choice: ServerChoice)")
        writer.line("self.choice = choice")
        writer.close()
        writer.blank()
        writer.comment("A custom server.")
        if hasOwn {
            writer.line("///")
            writer.comment(
                "- Parameter everywhere: Whether this server is also used by operations that define their own servers."
            )
            writer.openVisible("init(url: String, everywhere: Bool = true)")
            writer.line("self.choice = ServerChoice(url: url, everywhere: everywhere)")
        } else {
            writer.openVisible("init(url: String)")
            writer.line("self.choice = ServerChoice(url: url)")
        }
        writer.close()
        for plan in planner.plans { render(plan, &writer) }
        for type in planner.enums { render(type, &writer) }
        writer.close()
    }

    private func render(_ plan: ServerPlan, _ writer: inout SourceWriter) {
        let server = plan.server
        writer.blank()
        let text = server.text ?? ""
        writer.comment(SwiftText.commentLines(text).isEmpty ? server.url : text)
        var parameters = plan.parameters.map { parameter in
            parameter.label + ": " + parameter.type + (parameter.fallback.map { " = " + $0 } ?? "")
        }
        var documented = plan.parameters.filter { $0.variable.text != nil }.map { parameter in
            let name = parameter.name.filter { $0 != "`" }
            return "\(name): \(SwiftText.oneLine(parameter.variable.text ?? ""))"
        }
        var arguments = [SwiftText.literal(plan.name.filter { $0 != "`" }), SwiftText.literal(server.url)]
        if !plan.parameters.isEmpty {
            let values = plan.parameters.map { SwiftText.literal($0.variable.name) + ", " + $0.text }
            arguments.append("[" + values.joined(separator: ", ") + "]")
        }
        if !server.isAbsolute {
            parameters.insert("origin: String", at: 0)
            documented.insert("origin: Scheme, host and port; the document does not define them.", at: 0)
            arguments.append("origin: origin")
        }
        if !documented.isEmpty {
            writer.line("///")
            writer.line("/// - Parameters:")
            for line in documented { writer.line("///   - \(line)") }
        }
        let value = "Server(choice: ServerChoice(" + arguments.joined(separator: ", ") + "))"
        if parameters.isEmpty {
            writer.visible("static var \(plan.name): Server { \(value) }")
        } else {
            writer.openVisible("static func \(plan.name)(\(parameters.joined(separator: ", "))) -> Server")
            writer.line("return " + value)
            writer.close()
        }
    }

    private func render(_ type: ServerEnum, _ writer: inout SourceWriter) {
        writer.blank()
        let text = type.variable.text ?? ""
        writer.comment(
            SwiftText.commentLines(text).isEmpty
                ? "The values of the server variable `\(SwiftText.oneLine(type.variable.name))`." : text)
        writer.openVisible("nonisolated enum \(type.name): String, CaseIterable, Sendable")
        for item in type.cases {
            writer.comment("The value \(SwiftText.code(item.value)).")
            writer.line("case \(item.name) = \(SwiftText.literal(item.value))")
        }
        writer.close()
    }
}

extension APIServer {
    /// The call on the request builder that selects the server of an operation.
    var call: String {
        let name = ServerPlanner.name(self, offset: 0)
        var arguments = [SwiftText.literal(name), SwiftText.literal(url)]
        let defaults = variables.compactMap { variable in
            variable.fallback.map { ([variable.name, $0] + variable.values).joined(separator: "\t") }
        }
        if !defaults.isEmpty { arguments.append(SwiftText.literal(defaults.joined(separator: "\n"))) }
        return "server(" + arguments.joined(separator: ", ") + ")"
    }
}
