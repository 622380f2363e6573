/// Writes, where the configuration asks for it, a protocol for each group of operations, for fakes in tests. Operations that
/// a fake does not implement throw.
struct ProtocolRenderer {
    let model: CodeModel

    private var client: String { model.namespace + "Client" }

    /// All operations but those that only return a stream.
    private var operations: [OperationPlan] { model.operations.filter { $0.stream?.isOnly != true } }

    func render(into writer: inout SourceWriter) {
        var scope = NameScope(
            reserving: Set(model.groups.map(\.type) + ["Server", "Credentials", "WithResponse"]))
        for group in model.groups {
            let plans = operations.filter { $0.group == group.type }
            guard !plans.isEmpty else { continue }
            let name = scope.claim(group.type + "Protocol")
            render(
                plans, as: client + "." + name, of: client + "." + group.type, "`\(group.property)`", &writer
            ) {
                $0.open("nonisolated extension \(client)")
                return name
            }
        }
        let plans = operations.filter { $0.group == nil }
        guard !plans.isEmpty else { return }
        render(plans, as: client + "Protocol", of: client, "the client itself", &writer) { _ in nil }
    }

    private func render(
        _ plans: [OperationPlan], as name: String, of type: String, _ subject: String,
        _ writer: inout SourceWriter, open: (inout SourceWriter) -> String?
    ) {
        writer.blank()
        let nested = open(&writer)
        writer.line(
            "/// The operations of \(subject), for fakes in tests. Those that a fake does not implement throw."
        )
        writer.openVisible("nonisolated protocol \(nested ?? name): Sendable")
        for plan in plans {
            OperationRenderer(model: model, plan: plan).requirement(&writer)
            for other in plan.alternatives {
                OperationRenderer(model: model, plan: other, isAlternative: true).requirement(&writer)
            }
        }
        writer.close()
        if nested != nil { writer.close() }
        writer.blank()
        writer.open("nonisolated extension \(name)")
        for (offset, plan) in plans.enumerated() {
            if offset > 0 { writer.blank() }
            OperationRenderer(model: model, plan: plan).fallbacks(&writer)
            for other in plan.alternatives {
                writer.blank()
                OperationRenderer(model: model, plan: other, isAlternative: true).fallbacks(&writer)
            }
        }
        writer.close()
        writer.blank()
        writer.line("nonisolated extension \(type): \(name) {}")
    }
}

extension OperationRenderer {
    private var result: String { value.map { " -> " + $0 } ?? "" }

    private func list(defaults: Bool, options: Bool) -> String {
        var parts = plan.arguments.map { argument in
            let type = argument.type + (argument.isOptional ? "?" : "")
            return argument.declared + ": " + type + (argument.isOptional && defaults ? " = nil" : "")
        }
        if options { parts.append("options: CallOptions") }
        return parts.joined(separator: ", ")
    }

    private func deprecation(_ writer: inout SourceWriter) {
        if plan.operation.isDeprecated { writer.line("@available(*, deprecated)") }
    }

    /// The requirements for an operation.
    func requirement(_ writer: inout SourceWriter) {
        writer.line("/// `\(heading)`")
        deprecation(&writer)
        writer.line("func \(plan.method)(\(list(defaults: false, options: true))) \(throwing)\(result)")
        guard let page = plan.page else { return }
        writer.line("/// `\(heading)`, all pages.")
        deprecation(&writer)
        writer.line("func \(page.methodName)(\(list(defaults: false, options: true))) -> \(items(page))")
    }

    private func items(_ page: OperationPlan.Page) -> String {
        "PagedItems<\(page.type), \(plan.failureType)>"
    }

    private func pageFallbacks(_ page: OperationPlan.Page, _ name: String, _ writer: inout SourceWriter) {
        writer.blank()
        writer.line("/// A list whose first page throws `misconfigured`: the fake does not implement it.")
        deprecation(&writer)
        writer.openVisible(
            "func \(page.methodName)(\(list(defaults: false, options: true))) -> \(items(page))")
        writer.line("return \(items(page)).unimplemented(\(name))")
        writer.close()
        writer.blank()
        documentation(&writer, of: .pages)
        writer.openVisible(
            "func \(page.methodName)(\(list(defaults: true, options: false))) -> \(items(page))")
        let passed = plan.arguments.map(\.passed)
        writer.line(
            "return self.\(page.methodName)(\((passed + ["options: CallOptions()"]).joined(separator: ", ")))"
        )
        writer.close()
    }

    /// The default implementation, which throws, and the call without options.
    func fallbacks(_ writer: inout SourceWriter) {
        let name = SwiftText.literal(plan.operation.id ?? plan.operation.method + " " + plan.operation.path)
        writer.line("/// Throws `misconfigured`: the fake does not implement this operation.")
        deprecation(&writer)
        writer.openVisible(
            "func \(plan.method)(\(list(defaults: false, options: true))) \(throwing)\(result)")
        writer.line("throw APIError<\(plan.failureType)>.unimplemented(\(name))")
        writer.close()
        writer.blank()
        documentation(&writer)
        writer.openVisible(
            "func \(plan.method)(\(list(defaults: true, options: false))) \(throwing)\(result)")
        let passed = plan.arguments.map(\.passed)
        let arguments = (passed + ["options: CallOptions()"]).joined(separator: ", ")
        writer.line((value == nil ? "" : "return ") + "try await self.\(plan.method)(\(arguments))")
        writer.close()
        if let page = plan.page { pageFallbacks(page, name, &writer) }
    }
}
