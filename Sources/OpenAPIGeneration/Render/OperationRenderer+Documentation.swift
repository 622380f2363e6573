extension OperationRenderer {
    /// The result of a method.
    enum Result {
        case value, pages, stream
    }

    /// The doc comment of a method that differs from a documented one, by default from that of the operation.
    func reference(to name: String? = nil, with difference: String) -> [String] {
        ["The same as `\(owner).\(name ?? plan.method)`\(sending), with \(difference)."]
    }

    /// The doc comment of a method.
    func documentation(of result: Result = .value) -> [String] {
        let summary = summary(of: result)
        var lines = summary + (summary.isEmpty ? [] : [""]) + ["`\(heading)`" + sending]
        if result != .pages { lines += links }
        var items = parameters(result) + returns(result)
        if result == .value { items += failures }
        return lines + (items.isEmpty ? [] : [""]) + items
    }

    /// Summary and description.
    private func summary(of result: Result) -> [String] {
        let operation = plan.operation
        var summary = operation.summary.map { SwiftText.oneLine($0) } ?? ""
        let text = operation.text.map { SwiftText.commentLines($0) } ?? []
        if result == .pages {
            if summary.isEmpty { summary = text.first ?? "" }
            if summary.hasSuffix(".") { summary.removeLast() }
            return SwiftText.comment(
                (summary.isEmpty ? "" : summary + ": ") + "the items of all pages, fetched on demand.")
        }
        guard !summary.isEmpty else { return text }
        return [summary] + (text.isEmpty || text == [summary] ? [] : [""] + text)
    }

    private func parameters(_ result: Result) -> [String] {
        let lines = arguments(result == .value).compactMap { argument -> String? in
            let text = SwiftText.oneLine(argument.text ?? "")
            return text.isEmpty ? nil : "  - \(argument.name): \(text)"
        }
        return lines.isEmpty ? [] : ["- Parameters:"] + lines
    }

    private func returns(_ result: Result) -> [String] {
        switch result {
        case .pages: return ["- Returns: The items. A page is fetched when its first item is requested."]
        case .stream:
            return ["- Returns: The values of the stream. The call is made when the first is requested."]
        case .value:
            return value == nil || received.isEmpty ? [] : ["- Returns: " + received]
        }
    }

    /// The descriptions of the successful responses.
    private var received: String {
        var responses = plan.operation.responses.filter { $0.status.isSuccess }
        if responses.isEmpty { responses = plan.operation.responses.filter { $0.status == .default } }
        let texts = responses.compactMap { response -> String? in
            let text = SwiftText.oneLine(response.text ?? "")
            guard !text.isEmpty else { return nil }
            return SwiftText.sentence(responses.count > 1 ? "\(response.status.text): \(text)" : text)
        }
        return texts.joined(separator: " ")
    }

    private var failures: [String] {
        guard !plan.failure.cases.isEmpty else {
            return ["- Throws: `APIError`. The document defines no failures."]
        }
        return ["- Throws: `APIError`, with a documented failure:"]
            + plan.failure.cases.map { response in
                let status = response.status == .default ? "any other status" : response.status.text
                let text = SwiftText.oneLine(response.text)
                let media = response.mediaText.isEmpty ? "" : " in " + response.mediaText
                return "  - `\(response.name)`, \(status)\(media)"
                    + (text.isEmpty ? "." : ": " + SwiftText.sentence(text))
            }
    }

    private var links: [String] {
        plan.operation.links.flatMap { link -> [String] in
            guard let other = model.operations.first(where: { $0.operation.pointer == link.target }) else {
                return []
            }
            let group = model.groups.first { $0.type == other.group }.map { $0.property + "." } ?? ""
            var values = link.parameters.map { "\(SwiftText.code($0.name)) is \(SwiftText.code($0.value))" }
            if let body = link.body { values.append("the body is \(SwiftText.code(body))") }
            let status =
                switch link.status {
                case .exactly(let code): "A \(code)"
                case .range(let digit): "A \(digit)XX"
                case .default: "Any other"
                }
            return [
                "",
                "\(status) response links to `\(group)\(other.method)` (link \(SwiftText.code(link.name)))"
                    + (values.isEmpty ? "." : ": \(values.joined(separator: ", "))."),
            ]
        }
    }

    /// The media type of the body, if it is an alternative one.
    private var sending: String {
        guard isAlternative, let type = plan.operation.body?.content.mediaType else { return "" }
        return ", sent as `\(SwiftText.oneLine(type))`"
    }
}
