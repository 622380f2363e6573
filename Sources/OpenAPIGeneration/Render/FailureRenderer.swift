/// Enums of documented responses: failures, and successes of several kinds.
struct FailureRenderer {
    let model: CodeModel

    /// All failures, in an extension of the namespace.
    func declarations() -> [SwiftDeclaration] {
        guard !model.failures.isEmpty else { return [] }
        return [.extension(model.namespace, [], model.failures.map { [declaration($0)] })]
    }

    private func declaration(_ failure: FailurePlan) -> SwiftDeclaration {
        let subject = subject(of: failure)
        if failure.cases.isEmpty {
            return SwiftDeclaration(
                [subject + ": none."], "typealias " + failure.name, .value("NoDocumentedFailure"))
        }
        if let alias = failure.alias {
            return SwiftDeclaration(
                [subject + "."], "typealias " + failure.name, .value(.type(.declared(alias))))
        }
        return Self.declaration(
            failure.name, ["DocumentedFailure"] + model.equality.conformances, [subject + "."],
            failure.cases, headers: failure.headers)
    }

    private func subject(of failure: FailurePlan) -> String {
        guard let operation = failure.operationName else {
            let statuses = failure.cases.map(\.status.text).joined(separator: ", ")
            return "The failures that several operations document: \(statuses)"
        }
        return "The failures that `\(SwiftText.oneLine(operation))` documents"
    }

    static func declaration(
        _ name: String, _ conformances: [String], _ documentation: [String], _ responses: [ResponseCase],
        headers: [OperationPlan.HeaderPlan] = []
    ) -> SwiftDeclaration {
        let cases = responses.map { response in
            SwiftDeclaration.enumCase(SwiftText.comment(comment(response)), response.name, payload(response))
        }
        var choices = responses.map { response in
            Statement.Case(patterns(response.status), .assign("self", value(response)))
        }
        if !responses.contains(where: { $0.status == .default }) { choices.append(.init([], .return("nil"))) }
        let reader = SwiftDeclaration(
            "init?", .function([.init("response", "DocumentedResponse")], throws: "JSONError"),
            .block([.switch("response.status", choices)]))
        let fields =
            headers.isEmpty
            ? []
            : [
                HeaderRenderer.declaration(
                    "Headers", "The headers that the document names for any of them.", headers)
            ]
        return SwiftDeclaration(
            documentation, "nonisolated enum " + name, .type(conformances),
            .members([cases, [reader], fields]))
    }

    private static func comment(_ response: ResponseCase) -> String {
        let text = SwiftText.commentLines(response.text).first ?? ""
        switch response.status {
        case .exactly(let code): return text.isEmpty ? "\(code)." : "\(code): \(text)"
        case .range(let digit): return text.isEmpty ? "\(digit)XX." : "\(digit)XX: \(text)"
        case .default: return text.isEmpty ? "Any other status." : text
        }
    }

    private static func patterns(_ status: Response.Status) -> [Expression] {
        switch status {
        case .exactly(let code): [.name(String(code))]
        case .range(let digit): [.name("\(digit)00...\(digit)99")]
        case .default: []
        }
    }

    private static func isSpan(_ status: Response.Status) -> Bool {
        if case .exactly = status { return false }
        return true
    }

    private static func payload(_ response: ResponseCase) -> [SwiftDeclaration.Parameter] {
        var payload: [SwiftDeclaration.Parameter] = []
        if isSpan(response.status) { payload.append(.init("status", "Int")) }
        if let type = response.body.received { payload.append(.init(nil, type)) }
        return payload
    }

    private static func value(_ response: ResponseCase) -> Expression {
        var parts: [Expression] = []
        if isSpan(response.status) { parts.append(.labelled("status", "response.status")) }
        if let body = response.body.response { parts.append(body) }
        let name = Expression.name("." + response.name)
        return parts.isEmpty ? name : .call(name, parts)
    }
}
