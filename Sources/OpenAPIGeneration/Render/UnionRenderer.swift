/// Writes a union as an enum that keeps what it does not recognise.
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
            case .both: "JSONCodable"
            }
        let names = caseNames()
        let texts = union.branches.map { types.plain($0.schema) }
        writer.openVisible("nonisolated enum \(entry.name): \(proto), Sendable")
        for (offset, name) in names.enumerated() {
            let isBoxed = model.layout.isBoxed(union.branches[offset].schema, in: pointer)
            writer.line((isBoxed ? "indirect case " : "case ") + "\(name)(\(texts[offset]))")
        }
        writer.line("/// A variant that the document does not name.")
        writer.line("case unrecognized(JSONValue)")
        if direction != .request {
            writer.blank()
            reader(names, texts, &writer)
        }
        if direction != .response {
            writer.blank()
            writer.openVisible("func write(to _w: inout JSONWriter)")
            writer.line("switch self {")
            for name in names + ["unrecognized"] {
                writer.line("case .\(name)(let _value): _value.write(to: &_w)")
            }
            writer.line("}")
            writer.close()
        }
        nested(&writer)
        writer.close()
    }

    private func caseNames() -> [String] {
        var scope = NameScope(reserving: ["unrecognized"])
        return union.branches.enumerated().map { offset, branch in
            let name = branch.label.map { SwiftName.member($0) } ?? kindName(branch.schema, offset)
            return SwiftName.escaped(scope.claim(name))
        }
    }

    private func kindName(_ schema: Schema, _ offset: Int) -> String {
        switch schema.shape {
        case .any: return "value"
        case .boolean: return "bool"
        case .string: return "string"
        case .integer: return "integer"
        case .number: return "number"
        case .array: return "array"
        case .map: return "object"
        case .declared(let pointer):
            switch model.declarations[pointer]?.kind {
            case .enumeration(let enumeration):
                if case .strings = enumeration.values { return "string" }
                return "integer"
            case .object where pointer.tokens.suffix(2).first == "type": return "object"
            default: return "variant\(offset + 1)"
            }
        }
    }

    private func reader(_ names: [String], _ texts: [String], _ writer: inout SourceWriter) {
        writer.openVisible("init(json _json: JSONElement) throws(JSONError)")
        switch plan {
        case .discriminator(let property, let cases):
            writer.line("switch _json.discriminator(\(SwiftText.literal(property))) {")
            for (values, branch) in cases {
                let patterns = values.map { SwiftText.literal($0) + "?" }.joined(separator: ", ")
                writer.line("case \(patterns): self = \(value(branch, names, texts))")
            }
            writer.line("default: self = .unrecognized(try JSONValue(json: _json))")
            writer.line("}")
        case .types(let cases):
            writer.line("switch _json.type {")
            for (type, choice) in cases {
                switch choice {
                case .only(let branch):
                    writer.line("case JSONType.\(type.rawValue): self = \(value(branch, names, texts))")
                case .keys(let keys):
                    var text = "case JSONType.\(type.rawValue): "
                    for (key, branch) in keys {
                        text +=
                            "if _json.has(\(SwiftText.literal(key))) { self = \(value(branch, names, texts)) } else "
                    }
                    writer.line(text + "{ self = .unrecognized(try JSONValue(json: _json)) }")
                }
            }
            writer.line("default: self = .unrecognized(try JSONValue(json: _json))")
            writer.line("}")
        }
        writer.close()
    }

    private func value(_ branch: Int, _ names: [String], _ texts: [String]) -> String {
        ".\(names[branch])(try \(texts[branch])(json: _json))"
    }
}
