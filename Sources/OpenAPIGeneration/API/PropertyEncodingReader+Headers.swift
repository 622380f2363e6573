/// The header fields of parts.
extension PropertyEncodingReader {
    /// The `headers` of the encoding of a property. `Content-Type` is described by `contentType`.
    func headers(of property: Node.Object.Member, at pointer: JSONPointer) -> [PartHeader] {
        var result: [PartHeader] = []
        let members = property.value["headers"]?.members ?? []
        for member in members where member.key.lowercased() != "content-type" {
            guard member.key.lowercased() != "content-disposition", Self.isToken(member.key) else {
                let reason =
                    Self.isToken(member.key)
                    ? "it has the names of the part and of the file" : "it is not the name of a header field"
                sink.warn(
                    .ignoredKeyword,
                    "\"\(member.key)\" of the part \"\(property.key)\" is ignored: \(reason)",
                    at: member.keyPosition)
                continue
            }
            do throws(Diagnostic) {
                let target = try schemas.resolver.final(member.value, at: pointer.appending(member.key))
                result.append(header(member, target))
            } catch {
                sink.report(error)
            }
        }
        return result.sorted { $0.name < $1.name }
    }

    private func header(
        _ member: Node.Object.Member, _ target: ReferenceResolver.Target
    ) -> PartHeader {
        // Without a schema of its own, it is text.
        var schema = Schema(shape: .string(.plain), position: member.keyPosition)
        var isJSON = false
        if let own = target.node["schema"] {
            schema = schemas.schema(of: .init(node: own, pointer: target.pointer.appending("schema")))
        } else if let content = target.node["content"]?.members.first, MediaType(content.key).isJSON {
            isJSON = true
            let place = target.pointer.appending("content").appending(content.key).appending("schema")
            schema =
                content.value["schema"].map { schemas.schema(of: .init(node: $0, pointer: place)) }
                ?? .any(at: content.keyPosition)
        }
        return PartHeader(
            name: member.key, schema: schema, text: target.node["description"]?.string,
            explode: target.node["explode"]?.bool ?? Parameter.Location.header.style.isExploded,
            isRequired: target.node["required"]?.bool ?? false, isJSON: isJSON,
            constant: isJSON ? nil : schema.annotations.constant.flatMap { Self.text($0) },
            fallback: isJSON ? nil : schema.annotations.defaultValue.flatMap { Self.text($0) },
            position: member.keyPosition)
    }

    /// The text of a primitive. Nil: it has none that a header field can have.
    private static func text(_ value: Node) -> String? {
        switch value.value {
        case .bool(let flag): flag ? "true" : "false"
        case .number(let text): text
        case .string(let text): text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? text : nil
        case .null, .array, .object: nil
        }
    }

    /// Whether a text is a token (RFC 9110, section 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
