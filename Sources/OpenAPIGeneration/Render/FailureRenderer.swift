/// Writes enums of documented responses: failures, and successes of several kinds.
struct FailureRenderer {
    let model: CodeModel

    /// All failures, in an extension of the namespace.
    func render(into writer: inout SourceWriter) {
        guard !model.failures.isEmpty else { return }
        writer.blank()
        writer.open("nonisolated extension \(model.namespace)")
        for (offset, failure) in model.failures.enumerated() {
            if offset > 0 { writer.blank() }
            let subject = self.subject(of: failure)
            if failure.cases.isEmpty {
                writer.line("/// \(subject): none.")
                writer.visible("typealias \(failure.name) = NoDocumentedFailure")
            } else if let alias = failure.alias {
                writer.line("/// \(subject).")
                writer.visible("typealias \(failure.name) = \(model.namespace).\(alias)")
            } else {
                writer.line("/// \(subject).")
                Self.render(
                    failure.name, "DocumentedFailure" + model.equality.conformance, failure.cases,
                    headers: failure.headers, into: &writer)
            }
        }
        writer.close()
    }

    private func subject(of failure: FailurePlan) -> String {
        guard let operation = failure.operationName else {
            let statuses = failure.cases.map(\.status.text).joined(separator: ", ")
            return "The failures that several operations document: \(statuses)"
        }
        return "The failures that `\(SwiftText.oneLine(operation))` documents"
    }

    static func render(
        _ name: String, _ proto: String, _ cases: [ResponseCase],
        headers: [OperationPlan.HeaderPlan] = [], into writer: inout SourceWriter
    ) {
        writer.openVisible("nonisolated enum \(name): \(proto)")
        for response in cases {
            writer.comment(comment(response))
            writer.line("case \(response.name)\(payload(response))")
        }
        writer.blank()
        writer.openVisible("init?(response: DocumentedResponse) throws(JSONError)")
        writer.line("switch response.status {")
        var hasDefault = false
        for response in cases {
            let value = value(response)
            switch response.status {
            case .exactly(let code): writer.line("case \(code): self = .\(value)")
            case .range(let digit): writer.line("case \(digit)00...\(digit)99: self = .\(value)")
            case .default:
                hasDefault = true
                writer.line("default: self = .\(value)")
            }
        }
        if !hasDefault { writer.line("default: return nil") }
        writer.line("}")
        writer.close()
        if !headers.isEmpty {
            writer.blank()
            writer.line("/// The headers that the document names for any of them.")
            writer.openVisible("nonisolated struct Headers: ResponseHeaders")
            HeaderRenderer.members(headers, into: &writer)
            writer.close()
        }
        writer.close()
    }

    private static func comment(_ response: ResponseCase) -> String {
        let text = SwiftText.commentLines(response.text).first ?? ""
        switch response.status {
        case .exactly(let code): return text.isEmpty ? "\(code)." : "\(code): \(text)"
        case .range(let digit): return text.isEmpty ? "\(digit)XX." : "\(digit)XX: \(text)"
        case .default: return text.isEmpty ? "Any other status." : text
        }
    }

    private static func bodyType(_ body: OperationPlan.Reading) -> String? {
        switch body {
        case .json(let type): type
        case .text: "String"
        case .bytes, .stream: "[UInt8]"
        case .empty, .several: nil
        }
    }

    private static func isSpan(_ status: Response.Status) -> Bool {
        if case .exactly = status { return false }
        return true
    }

    private static func payload(_ response: ResponseCase) -> String {
        switch (isSpan(response.status), bodyType(response.body)) {
        case (false, nil): ""
        case (false, let type?): "(\(type))"
        case (true, nil): "(status: Int)"
        case (true, let type?): "(status: Int, \(type))"
        }
    }

    private static func value(_ response: ResponseCase) -> String {
        var parts: [String] = []
        if isSpan(response.status) { parts.append("status: response.status") }
        switch response.body {
        case .json(let type): parts.append("try response.json(\(type).self)")
        case .text: parts.append("try response.text()")
        case .bytes, .stream: parts.append("response.bytes()")
        case .empty, .several: break
        }
        return parts.isEmpty ? response.name : "\(response.name)(\(parts.joined(separator: ", ")))"
    }
}
