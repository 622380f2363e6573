/// Webhooks and callbacks: one enum per set, which decodes received requests.
struct EventRenderer {
    let model: CodeModel

    func declarations() -> [SwiftDeclaration] {
        guard !model.events.isEmpty else { return [] }
        return [.extension(model.namespace, [], model.events.map { [declaration($0)] })]
    }

    private func declaration(_ plan: EventSetPlan) -> SwiftDeclaration {
        var comment = "The webhooks of the service, one case each."
        if let operation = plan.set.operation {
            let name = SwiftText.oneLine(operation.name)
            comment = "The callbacks of `\(name)`: requests that the service sends after the call."
        }
        var cases = plan.cases.map { item in
            SwiftDeclaration.enumCase(
                self.comment(item), isIndirect: item.isIndirect, item.name,
                item.payload.received.map { [SwiftDeclaration.Parameter(nil, $0)] } ?? [])
        }
        let received = SwiftDeclaration.Parameter("received _received", "ReceivedWebhook")
        var head = "init"
        var parameters = [received]
        let body: [Statement]
        switch plan.recognition {
        case .property(let property):
            cases.append(
                .enumCase(
                    ["A webhook that the document does not define."], "unrecognized", [.init(nil, .json)]))
            body = byProperty(property, plan)
        case .only: body = plan.cases.map { .assign("self", value($0)) }
        case .name:
            head = "init?"
            parameters.insert(.init("name _name", "String"), at: 0)
            body = byName(plan)
        }
        return SwiftDeclaration(
            [comment], "nonisolated enum " + plan.name,
            .type([plan.recognition.conformance] + model.equality.conformances),
            .members([
                cases, [.init(head, .function(parameters, throws: "JSONError"), .block(body))],
            ]))
    }

    private func byProperty(_ property: String, _ plan: EventSetPlan) -> [Statement] {
        func read(_ name: String, _ type: SwiftType) -> Statement {
            let decoded = Expression.call(.type(type), [.labelled("json", "_json")])
            return .assign("self", .call(.name("." + name), [.prefixed("try", decoded)]))
        }
        let cases = plan.cases.compactMap { item -> Statement.Case? in
            guard case .value(let type, .json) = item.payload else { return nil }
            return .init(item.values.map { .suffixed(.literal($0), "?") }, read(item.name, type))
        }
        return [
            .variable("let _json", "JSONElement", .prefixed("try", .call("_received.root", []))),
            .switch(
                .call("_json.discriminator", [.literal(property)])
                    .exact(plan.cases.flatMap(\.values), isOptional: true),
                cases + [.init([], read("unrecognized", .json))]),
        ]
    }

    private func byName(_ plan: EventSetPlan) -> [Statement] {
        let cases = plan.cases.map { item in
            Statement.Case([.literal(item.event.name)], .assign("self", value(item)))
        }
        let name = Expression.name("_name").exact(plan.cases.map(\.event.name))
        return [.switch(name, cases + [.init([], .return("nil"))])]
    }

    private func comment(_ item: EventSetPlan.Case) -> [String] {
        let event = item.event
        var lines: [String] = []
        for text in [event.summary, event.text] {
            let own = SwiftText.comment(text)
            if !own.isEmpty { lines += own + [""] }
        }
        let place = event.expression.map { event.method + " " + SwiftText.oneLine($0) } ?? event.method
        var line = "`\(SwiftText.oneLine(event.name))`, `\(place)`"
        let answers = event.answers.map { SwiftText.oneLine($0) }
        if !answers.isEmpty { line += "; expected response: " + answers.joined(separator: ", ") }
        let isMarked = event.isDeprecated && !SwiftText.saysDeprecated(lines)
        return lines + [line + "." + (isMarked ? " Deprecated." : "")]
    }

    private func value(_ item: EventSetPlan.Case) -> Expression {
        let name = Expression.name("." + item.name)
        return item.payload.webhook.map { Expression.call(name, [$0]) } ?? name
    }
}

extension EventSetPlan.Recognition {
    /// The protocol of the runtime to which the enum conforms.
    fileprivate var conformance: String {
        switch self {
        case .only, .property: "DiscriminatedWebhook"
        case .name: "DocumentedWebhook"
        }
    }
}
