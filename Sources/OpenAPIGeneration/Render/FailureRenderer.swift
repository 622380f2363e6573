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
            let statuses = failure.cases.statuses.map(\.text).joined(separator: ", ")
            return "The failures that several operations document: \(statuses)"
        }
        return "The failures that `\(SwiftText.oneLine(operation))` documents"
    }

    static func declaration(
        _ name: String, _ conformances: [String], _ documentation: [String], _ responses: [ResponseCase],
        headers: [OperationPlan.HeaderPlan] = [], choices: [OperationPlan.Choice] = []
    ) -> SwiftDeclaration {
        let cases = responses.map { response in
            SwiftDeclaration.enumCase(SwiftText.comment(comment(response)), response.name, payload(response))
        }
        var branches = responses.statuses.map { status in
            Statement.Case(patterns(status), reading(responses.filter { $0.status == status }))
        }
        if !responses.contains(where: { $0.status == .default }) {
            branches.append(.init([], .return("nil")))
        }
        let reader = SwiftDeclaration(
            "init?", .function([.init("response", "DocumentedResponse")], throws: "JSONError"),
            .block([.switch("response.status", branches)]))
        let fields =
            headers.isEmpty
            ? []
            : [
                HeaderRenderer.declaration(
                    "Headers", "The headers that the document names for any of them.", headers)
            ]
        return SwiftDeclaration(
            documentation, "nonisolated enum " + name, .type(conformances),
            .members([cases, [reader], fields, accept(choices)]))
    }

    private static func comment(_ response: ResponseCase) -> String {
        let text = SwiftText.commentLines(response.text).first ?? ""
        let media = response.mediaText.isEmpty ? "" : " in " + response.mediaText
        if response.status == .default {
            return text.isEmpty
                ? "Any other status\(media)." : media.isEmpty ? text : "Any other status\(media): \(text)"
        }
        return response.status.text + media + (text.isEmpty ? "." : ": " + text)
    }

    /// Reads the response of one status, which several media types can have.
    private static func reading(_ responses: [ResponseCase]) -> Statement {
        guard let first = responses.first else { return .return("nil") }
        guard responses.count > 1 else { return .assign("self", value(first)) }
        let types = responses.map { $0.mediaTypes.joined(separator: "\t") }.joined(separator: "\n")
        let others = responses.enumerated().dropFirst().map { index, response in
            Statement.Case([.name(String(index))], .assign("self", value(response)))
        }
        return .switch(
            .call("response.content", [.labelled("of", .literal(types))]),
            others + [.init([], .assign("self", value(first)))])
    }

    /// The media types that can be requested.
    private static func accept(_ choices: [OperationPlan.Choice]) -> [SwiftDeclaration] {
        guard !choices.isEmpty else { return [] }
        let cases = choices.map { choice in
            SwiftDeclaration(isVisible: false, "case " + choice.name, .value(.literal(choice.mediaType)))
        }
        return [
            SwiftDeclaration(
                ["A media type that can be requested."], "nonisolated enum Accept",
                .type(["String", "Sendable"]), .members([cases]))
        ]
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
