/// If the configuration enables it, renders a protocol for each group of operations, for fakes in tests. Operations
/// that a fake does not implement throw.
struct ProtocolRenderer {
    let model: CodeModel

    private var client: String { model.namespace + "Client" }

    func declarations() -> [SwiftDeclaration] {
        // All operations except those that only return a stream.
        let operations = model.operations.filter { $0.stream?.isOnly != true }
        var scope = NameScope(
            reserving: Set(model.groups.map(\.type) + ["Server", "Credentials", "WithResponse"]))
        var result: [SwiftDeclaration] = []
        for group in model.groups {
            let plans = operations.filter { $0.group == group.type }
            guard !plans.isEmpty else { continue }
            let name = scope.claim(group.type + "Protocol")
            result.append(.extension(client, [], [[requirements(plans, name, "`\(group.property)`")]]))
            result += conformance(plans, of: client + "." + group.type, to: client + "." + name)
        }
        let plans = operations.filter { $0.group == nil }
        guard !plans.isEmpty else { return result }
        let name = client + "Protocol"
        return result + [requirements(plans, name, "the client itself")]
            + conformance(plans, of: client, to: name)
    }

    private func renderers(_ plans: [OperationPlan]) -> [OperationRenderer] {
        plans.flatMap { OperationRenderer(model: model, plan: $0).all }
    }

    private func requirements(
        _ plans: [OperationPlan], _ name: String, _ subject: String
    ) -> SwiftDeclaration {
        SwiftDeclaration(
            [
                "The operations of \(subject), for fakes in tests. Those that a fake does not implement throw."
            ], "nonisolated protocol " + name, .type(["Sendable"]),
            .members([renderers(plans).flatMap { $0.requirements() }]))
    }

    /// The default implementations, and the conformance of the client.
    private func conformance(
        _ plans: [OperationPlan], of type: String, to name: String
    ) -> [SwiftDeclaration] {
        [
            .extension(name, [], renderers(plans).flatMap { $0.fallbacks() }.map { [$0] }),
            .extension(type, [name], []),
        ]
    }
}

extension OperationRenderer {
    /// The requirements for an operation.
    fileprivate func requirements() -> [SwiftDeclaration] {
        let parameters = parameters(hasDefaults: false)
        let own = method(["`\(heading)`"], isVisible: false, parameters, returns: value)
        guard let page = plan.page else { return [own] }
        let pages = method(
            ["`\(heading)`, all pages."], isVisible: false, named: page.methodName,
            self.parameters(hasDefaults: false, choosesType: false),
            returns: items(page))
        return [own, pages]
    }

    /// The default implementations, which throw, and the calls without options.
    fileprivate func fallbacks() -> [SwiftDeclaration] {
        let id = Expression.literal(plan.operation.name)
        func unimplemented(_ type: SwiftType) -> Expression {
            .call(.member(.type(type), "unimplemented"), [id])
        }
        let passed = passed(options: .call("CallOptions", []))
        let call = Expression.prefixed("try await", .call(.name("self." + methodName), passed))
        var result = [
            method(
                ["Throws `misconfigured`: the fake does not implement this operation."],
                parameters(hasDefaults: false), returns: value,
                .block([.expression(.prefixed("throw", unimplemented(error)))])),
            method(
                reference(with: "default options"), parameters(hasOptions: false), returns: value,
                .block([value == nil ? .expression(call) : .return(call)])),
        ]
        if let page = plan.page {
            result += [
                method(
                    ["A list whose first page throws `misconfigured`: the fake does not implement it."],
                    named: page.methodName, parameters(hasDefaults: false, choosesType: false),
                    returns: items(page),
                    .block([.return(unimplemented(items(page)))])),
                method(
                    reference(to: page.methodName, with: "default options"), named: page.methodName,
                    parameters(hasOptions: false, choosesType: false), returns: items(page),
                    .block([
                        .return(
                            .call(
                                .name("self." + page.methodName),
                                self.passed(options: .call("CallOptions", []), choosesType: false)))
                    ])),
            ]
        }
        return result
    }
}
