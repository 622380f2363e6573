/// Writes webhooks and callbacks: one enum per set, which decodes received requests.
struct EventRenderer {
    let model: CodeModel

    func render(into writer: inout SourceWriter) {
        guard !model.events.isEmpty else { return }
        writer.blank()
        writer.open("nonisolated extension \(model.namespace)")
        for (offset, plan) in model.events.enumerated() {
            if offset > 0 { writer.blank() }
            render(plan, &writer)
        }
        writer.close()
    }

    private func render(_ plan: EventSetPlan, _ writer: inout SourceWriter) {
        if let operation = plan.set.operation {
            let name = SwiftText.oneLine(operation.id ?? operation.method + " " + operation.path)
            writer.line("/// The callbacks of `\(name)`: requests that the service sends after the call.")
        } else {
            writer.line("/// The webhooks of the service, one case each.")
        }
        switch plan.recognition {
        case .only, .property:
            writer.openVisible(
                "nonisolated enum \(plan.name): DiscriminatedWebhook\(model.equality.conformance)")
        case .name:
            writer.openVisible(
                "nonisolated enum \(plan.name): DocumentedWebhook\(model.equality.conformance)")
        }
        for item in plan.cases {
            comment(item, &writer)
            writer.line((item.isIndirect ? "indirect case " : "case ") + item.name + payload(item))
        }
        switch plan.recognition {
        case .property(let property):
            writer.line("/// A webhook that the document does not define.")
            writer.line("case unrecognized(JSONValue)")
            writer.blank()
            byProperty(property, plan, &writer)
        case .only:
            writer.blank()
            writer.openVisible("init(received _received: ReceivedWebhook) throws(JSONError)")
            for item in plan.cases { writer.line("self = " + value(item)) }
            writer.close()
        case .name:
            writer.blank()
            byName(plan, &writer)
        }
        writer.close()
    }

    private func byProperty(
        _ property: String, _ plan: EventSetPlan, _ writer: inout SourceWriter
    ) {
        writer.openVisible("init(received _received: ReceivedWebhook) throws(JSONError)")
        writer.line("let _json: JSONElement = try _received.root()")
        writer.line("switch _json.discriminator(\(SwiftText.literal(property))) {")
        for item in plan.cases {
            guard case .json(let type) = item.payload else { continue }
            let patterns = item.values.map { SwiftText.literal($0) + "?" }.joined(separator: ", ")
            writer.line("case \(patterns): self = .\(item.name)(try \(type)(json: _json))")
        }
        writer.line("default: self = .unrecognized(try JSONValue(json: _json))")
        writer.line("}")
        writer.close()
    }

    private func byName(_ plan: EventSetPlan, _ writer: inout SourceWriter) {
        writer.openVisible("init?(name _name: String, received _received: ReceivedWebhook) throws(JSONError)")
        writer.line("switch _name {")
        for item in plan.cases {
            writer.line("case \(SwiftText.literal(item.event.name)): self = \(value(item))")
        }
        writer.line("default: return nil")
        writer.line("}")
        writer.close()
    }

    private func comment(_ item: EventSetPlan.Case, _ writer: inout SourceWriter) {
        let event = item.event
        for text in [event.summary, event.text].compactMap({ $0 }) where !SwiftText.commentLines(text).isEmpty
        {
            writer.comment(text)
            writer.line("///")
        }
        let place = event.expression.map { event.method + " " + SwiftText.oneLine($0) } ?? event.method
        var line = "`\(SwiftText.oneLine(event.name))`, `\(place)`"
        let answers = event.answers.map { SwiftText.oneLine($0) }
        if !answers.isEmpty { line += "; expected response: " + answers.joined(separator: ", ") }
        writer.comment(line + "." + (event.isDeprecated ? " Deprecated." : ""))
    }

    private func payload(_ item: EventSetPlan.Case) -> String {
        switch item.payload {
        case .json(let type): "(\(type))"
        case .text: "(String)"
        case .bytes, .stream: "([UInt8])"
        case .empty, .several: ""
        }
    }

    private func value(_ item: EventSetPlan.Case) -> String {
        switch item.payload {
        case .json(let type): ".\(item.name)(try _received.payload(\(type).self))"
        case .text: ".\(item.name)(try _received.text())"
        case .bytes, .stream: ".\(item.name)(_received.body)"
        case .empty, .several: ".\(item.name)"
        }
    }
}
