/// Writes a union as an enum that keeps unrecognized values.
struct UnionRenderer {
    let model: CodeModel
    let types: TypeText
    let pointer: JSONPointer
    let union: UnionDeclaration
    let plan: UnionPlan

    func render(
        _ entry: TypeNames.Entry, into writer: inout SourceWriter, nested: (inout SourceWriter) -> Void
    ) {
        let direction = model.directions[pointer]
        let proto =
            switch direction {
            case .request: "JSONEncodable"
            case .response: "JSONDecodable"
            case .both, .multipart: "JSONCodable"
            }
        let names = model.cases[pointer].map { SwiftName.escaped($0) }
        let texts = union.branches.map { types.plain($0.schema) }
        writer.openVisible(
            "nonisolated enum \(entry.name): \(proto)\(model.equality.conformance), Sendable")
        for (offset, name) in names.enumerated() {
            let isBoxed = model.layout.isBoxed(union.branches[offset].schema, in: pointer)
            writer.comment(comment(offset, texts[offset]))
            writer.line((isBoxed ? "indirect case " : "case ") + "\(name)(\(texts[offset]))")
        }
        writer.line("/// A variant that the document does not define.")
        writer.line("case unrecognized(JSONValue)")
        if direction != .request {
            writer.blank()
            reader(names, texts, &writer)
        }
        if direction != .response {
            writer.blank()
            writer.openVisible("func write(to _w: inout JSONWriter)")
            writer.line("switch self {")
            for (offset, name) in names.enumerated() {
                writer.line("case .\(name)(let _value): \(write(offset))")
            }
            writer.line("case .unrecognized(let _value): _value.write(to: &_w)")
            writer.line("}")
            writer.close()
        }
        nested(&writer)
        writer.close()
    }

    /// The first line of the branch's description, otherwise its schema or type, and its discriminator values.
    private func comment(_ offset: Int, _ type: String) -> String {
        let schema = union.branches[offset].schema
        var text = schema.annotations.text.flatMap { SwiftText.commentLines($0).first } ?? ""
        if text.isEmpty, case .declared(let target) = schema.shape {
            let own = model.declarations[target]?.annotations.text
            text = own.flatMap { SwiftText.commentLines($0).first } ?? model.names[target]?.subject ?? ""
        }
        if text.isEmpty { text = "A value of type `\(type)`." }
        guard case .discriminator(let discriminator) = plan,
            let values = discriminator.cases.first(where: { $0.branch == offset })?.values
        else { return text }
        if let last = text.last, !".!?:;".contains(last) { text += "." }
        let list = values.map { SwiftText.code($0) }.joined(separator: ", ")
        return "\(text) \(SwiftText.code(discriminator.property)) is \(list)."
    }

    /// The statement that writes a branch. The fallback branch must not have a value that selects another one.
    private func write(_ branch: Int) -> String {
        guard let discriminator = plan.discriminators.first(where: { $0.fallback == branch }) else {
            return "_value.write(to: &_w)"
        }
        let others = discriminator.cases.filter { $0.branch != branch }.flatMap(\.values)
            .map { SwiftText.literal($0) }
        let property = SwiftText.literal(discriminator.property)
        return "_w.fallback(_value, \(property), [\(others.joined(separator: ", "))])"
    }

    private func reader(_ names: [String], _ texts: [String], _ writer: inout SourceWriter) {
        writer.openVisible("init(json _json: JSONElement) throws(JSONError)")
        let cases = Cases(names: names, texts: texts)
        switch plan {
        case .discriminator(let discriminator): write(discriminator, cases, &writer)
        case .types(let types):
            writer.line("switch _json.type {")
            for (type, choice) in types { write(type, choice, cases, &writer) }
            writer.line("default: \(Self.unrecognized)")
            writer.line("}")
        }
        writer.close()
    }

    private static let unrecognized = "self = .unrecognized(try JSONValue(json: _json))"

    private struct Cases {
        let names: [String]
        let texts: [String]

        func read(_ branch: Int) -> String { "self = .\(names[branch])(try \(texts[branch])(json: _json))" }

        /// Decodes a branch if the value matches it.
        func attempt(_ branch: Int) -> String {
            "if let _value = try? \(texts[branch])(json: _json) { self = .\(names[branch])(_value) }"
        }
    }

    private func write(
        _ discriminator: UnionPlan.Discriminator, _ cases: Cases, _ writer: inout SourceWriter
    ) {
        let method = discriminator.isInteger ? "integerDiscriminator" : "discriminator"
        writer.line("switch _json.\(method)(\(SwiftText.literal(discriminator.property))) {")
        for (values, branch) in discriminator.cases {
            let patterns = values.map { (discriminator.isInteger ? $0 : SwiftText.literal($0)) + "?" }
            writer.line("case \(patterns.joined(separator: ", ")): \(cases.read(branch))")
        }
        writer.line("default: \(discriminator.fallback.map { cases.read($0) } ?? Self.unrecognized)")
        writer.line("}")
    }

    private func write(
        _ type: JSONKind, _ choice: UnionPlan.Choice, _ cases: Cases, _ writer: inout SourceWriter
    ) {
        let head = "case JSONType.\(type.rawValue):"
        switch choice {
        case .only(let branch): writer.line("\(head) \(cases.read(branch))")
        case .keys(let keys):
            var text = head + " "
            for (key, branch) in keys {
                text += "if _json.has(\(SwiftText.literal(key))) { \(cases.read(branch)) } else "
            }
            writer.line(text + "{ \(Self.unrecognized) }")
        case .property(let discriminator):
            writer.line(head)
            writer.indented { self.write(discriminator, cases, &$0) }
        case .match(let table, let branches, let isCertain):
            writer.line(head)
            writer.indented { writer in
                writer.line("switch _json.bestMatch(\(SwiftText.literal(table))) {")
                for branch in Array(Set(branches)).sorted() {
                    let rows = branches.indices.filter { branches[$0] == branch }.map { String($0) }
                    let read =
                        isCertain
                        ? cases.read(branch) : cases.attempt(branch) + " else { \(Self.unrecognized) }"
                    writer.line("case \(rows.joined(separator: ", ")): \(read)")
                }
                writer.line("default: \(Self.unrecognized)")
                writer.line("}")
            }
        case .values(let attempts, let values, let fallback):
            writer.line(head)
            writer.indented { writer in
                self.write(type, attempts, values, fallback, cases, &writer)
            }
        }
    }

    private func write(
        _ type: JSONKind, _ attempts: [Int], _ values: [(values: [String], branch: Int)], _ fallback: Int?,
        _ cases: Cases, _ writer: inout SourceWriter
    ) {
        let last = fallback.map { cases.read($0) } ?? Self.unrecognized
        guard !values.isEmpty else {
            let tries = attempts.map { cases.attempt($0) + " else " }.joined()
            writer.line(tries.isEmpty ? last : tries + "{ \(last) }")
            return
        }
        let isText = type == .string
        writer.line(isText ? "switch _json.stringOrNil {" : "switch _json.integerOrNil {")
        for (values, branch) in values {
            let patterns = values.map { (isText ? SwiftText.literal($0) : $0) + "?" }
            writer.line("case \(patterns.joined(separator: ", ")): \(cases.read(branch))")
        }
        let tries = attempts.map { cases.attempt($0) + " else " }.joined()
        writer.line("default: " + (tries.isEmpty ? last : tries + "{ \(last) }"))
        writer.line("}")
    }
}
