import GatewayPatterns

/// Reads Schema Objects. Keywords with values of the wrong type are reported and skipped.
struct RawSchemaReader {
    let version: OpenAPIVersion
    /// The types of the user, by their marks.
    var ownTypes = [String: OwnType]()
    let sink: DiagnosticSink

    /// The keywords of a schema object. Nil for boolean schemas and invalid values.
    func read(_ part: RawSchema.Part) -> RawSchema? {
        guard let node = part.node else { return part.schema }
        guard node.object != nil else {
            if node.bool == nil {
                sink.fail(.structure, "a schema must be an object, found \(node.kind)", at: node.position)
            }
            return nil
        }
        var schema = RawSchema(pointer: part.pointer, position: node.position)
        if !ownTypes.isEmpty { schema.own = node[OwnType.keyword]?.string.flatMap { ownTypes[$0] } }
        if let reference = node["$ref"] {
            schema.reference = string(reference, "$ref").map { .init(text: $0, position: reference.position) }
            // OpenAPI 3.0 says that siblings of $ref are ignored.
            if version == .v3_0, schema.reference != nil { return schema }
        }
        for member in node.members { read(member, into: &schema) }
        // `const` takes precedence over `enum`.
        if let constant = node["const"] { schema.values = [constant] }
        readRest(of: node, into: &schema)
        return schema
    }

    /// Reads keywords whose meaning depends on others.
    private func readRest(of node: Node, into schema: inout RawSchema) {
        if let patterns = node["patternProperties"] { read(patterns: patterns, into: &schema) }
        readUnevaluatedItems(of: node, into: &schema)
        if schema.format == nil, Self.fileType(of: node) != nil { schema.format = "binary" }
        schema.hasTypeCondition = node["if"]?["type"] != nil && !schema.conditional.isEmpty
        guard let prefix = node["prefixItems"], prefix.array?.isEmpty == false else { return }
        schema.prefix = parts(prefix, "prefixItems", schema.pointer.appending("prefixItems"))
        if let items = schema.applied[.items]?.node,
            schema.prefix.allSatisfy({ Node.areEqual($0.node?.value, items.value) })
        {
            schema.prefix = []
        }
    }

    /// The media type of a schema of bytes that are sent unchanged: it has no type and no encoding (OpenAPI 3.1, section
    /// 4.4.2, "Working With Binary Data").
    static func fileType(of node: Node) -> String? {
        guard let text = node["contentMediaType"]?.string, MediaType(text).isValid,
            MediaType(text).kind == .bytes, node["type"] == nil, node["contentEncoding"] == nil
        else { return nil }
        return text
    }

    /// Reads `unevaluatedItems`. It has the meaning of `items` unless other schemas evaluate elements, too.
    private func readUnevaluatedItems(of node: Node, into schema: inout RawSchema) {
        guard let rest = node["unevaluatedItems"], rest.bool != true, schema.applied[.items] == nil,
            schema.types.isEmpty || schema.types.contains(.array)
        else { return }
        let evaluating = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "contains"]
        let isArray = !schema.types.isEmpty || node["prefixItems"] != nil
        guard isArray, !evaluating.contains(where: { node[$0] != nil }) else {
            sink.warn(
                .unsupportedSchema,
                "\"unevaluatedItems\" is not supported next to schemas that may apply to the same array; values are not validated against it",
                at: rest.position)
            return
        }
        schema.applied[.items] = .init(node: rest, pointer: schema.pointer.appending("unevaluatedItems"))
        schema.isUnevaluated = true
    }

    /// Reads `patternProperties`, when all other keywords are known. Properties that match no pattern are kept unless
    /// they are forbidden.
    private func read(patterns node: Node, into schema: inout RawSchema) {
        let place = schema.pointer.appending("patternProperties")
        for member in object(node, "patternProperties").sorted(by: { $0.key < $1.key }) {
            let part = RawSchema.Part(node: member.value, pointer: place.appending(member.key))
            if node.members.count == 1, Self.matchesAll.contains(member.key), schema.properties.isEmpty {
                schema.additional = .schema(part)
            } else if member.key.isPlain, TextPattern(member.key) != nil {
                schema.patterns.append(.init(text: member.key, schema: part))
            } else {
                schema.additional = .allowed
                sink.warn(
                    .unsupportedSchema,
                    "the pattern is not supported; matching properties are handled as additional properties",
                    at: member.keyPosition)
            }
        }
        if !schema.patterns.isEmpty, schema.additional.isUnsaid { schema.additional = .allowed }
    }

    /// Patterns that match any name.
    private static let matchesAll: Set<String> = [
        "", "^", "$", ".*", "^.*", ".*$", "^.*$", ".", ".+", "^.+$",
    ]

    private func read(_ member: Node.Object.Member, into schema: inout RawSchema) {
        let value = member.value
        let pointer = schema.pointer
        var place: JSONPointer { pointer.appending(member.key) }
        switch member.key {
        case "type": schema.types.formUnion(types(value))
        case "nullable": schema.isNullable = value.bool ?? false
        case "format":
            let format = string(value, "format")
            // If `contentEncoding` is also present, it determines the alphabet.
            if format != "byte" || schema.format != "base64url" { schema.format = format }
        case "title": schema.title = string(value, "title")
        case "description": schema.text = string(value, "description")
        case "deprecated": schema.isDeprecated = value.bool ?? false
        case "readOnly": schema.isReadOnly = value.bool ?? false
        case "writeOnly": schema.isWriteOnly = value.bool ?? false
        case "enum": schema.values = array(value, "enum")
        case "contentEncoding":
            if value.string == "base64", schema.format == nil { schema.format = "byte" }
            if value.string == "base64url", schema.format == nil || schema.format == "byte" {
                schema.format = "base64url"
            }
            if value.string == "binary", schema.format == nil { schema.format = "binary" }
        case "contentMediaType":
            // Without an encoding, the bytes are sent unchanged.
            if schema.format == nil, value.string == "application/octet-stream" { schema.format = "binary" }
        case "x-enum-varnames", "x-enumNames", "x-enum-names":
            schema.valueNames = (value.array ?? []).compactMap(\.text)
        case "properties":
            let place = place
            schema.properties = object(value, "properties").map {
                RawSchema.Property(
                    name: $0.key, position: $0.keyPosition,
                    schema: .init(node: $0.value, pointer: place.appending($0.key)))
            }
        case "required":
            // A boolean `required` on a property is OpenAPI 2 syntax and has no effect here.
            if value.bool == nil { schema.required = array(value, "required").compactMap(\.text) }
        case "additionalProperties":
            schema.additional = additional(value, place)
            schema.isUnevaluated = false
        case "unevaluatedProperties":
            // Next to `additionalProperties`, no property is unevaluated.
            guard schema.additional.isUnsaid else { break }
            schema.additional = additional(value, place)
            schema.isUnevaluated = true
        case "allOf": schema.allOf = parts(value, "allOf", place)
        case "oneOf": schema.oneOf = parts(value, "oneOf", place)
        case "anyOf": schema.anyOf = parts(value, "anyOf", place)
        case "then", "else": addConditional(value, place, to: &schema)
        case "dependentSchemas":
            for inner in value.members {
                addConditional(inner.value, place.appending(inner.key), to: &schema)
            }
        case "discriminator": schema.discriminator = discriminator(value)
        case "default": schema.defaultValue = value
        default:
            if let bound = Bound(rawValue: member.key) {
                schema.bounds[bound] = value
            } else if let applicator = Applicator(rawValue: member.key) {
                schema.applied[applicator] = .init(node: value, pointer: place)
            }
        }
    }

    private func addConditional(_ node: Node, _ place: JSONPointer, to schema: inout RawSchema) {
        let keywords = [
            "properties", "$ref", "allOf", "oneOf", "anyOf", "then", "else", "dependentSchemas",
            "patternProperties", "additionalProperties", "items", "prefixItems",
        ]
        guard keywords.contains(where: { node[$0].map { $0.bool == nil } ?? false }) else { return }
        schema.conditional.append(.init(node: node, pointer: place))
    }

    private func additional(_ node: Node, _ place: JSONPointer) -> RawSchema.Additional {
        switch node.value {
        case .bool(let isAllowed): isAllowed ? .allowed : .forbidden
        default: .schema(.init(node: node, pointer: place))
        }
    }

    private func types(_ node: Node) -> RawSchema.Types {
        var result: RawSchema.Types = []
        for item in node.array ?? [node] {
            guard let name = item.string else {
                // An unquoted null in YAML is a common mistake for the type "null".
                if item.isNull { result.insert(.null) }
                continue
            }
            if let type = RawSchema.Types(name: name) {
                result.insert(type)
            } else {
                sink.warn(
                    .unsupportedSchema, "unknown type \"\(name)\"; falling back to JSONValue",
                    at: item.position)
            }
        }
        return result
    }

    private func discriminator(_ node: Node) -> RawSchema.Discriminator? {
        guard let property = node["propertyName"]?.text else {
            sink.warn(.structure, "\"discriminator\" requires \"propertyName\"", at: node.position)
            return nil
        }
        var mapping: [(value: String, target: String, position: SourcePosition)] = []
        for member in node["mapping"]?.members ?? [] {
            guard let target = string(member.value, "mapping") else { continue }
            mapping.append((member.key, target, member.value.position))
        }
        return RawSchema.Discriminator(
            property: property, mapping: mapping, defaultTarget: node["defaultMapping"]?.text,
            position: node.position)
    }

    private func string(_ node: Node, _ keyword: String) -> String? {
        if let text = node.text { return text }
        sink.fail(.structure, "\"\(keyword)\" must be a string, found \(node.kind)", at: node.position)
        return nil
    }

    private func array(_ node: Node, _ keyword: String) -> [Node] {
        if let items = node.array { return items }
        sink.fail(.structure, "\"\(keyword)\" must be an array, found \(node.kind)", at: node.position)
        return []
    }

    private func object(_ node: Node, _ keyword: String) -> [Node.Object.Member] {
        if let object = node.object { return object.members }
        sink.fail(.structure, "\"\(keyword)\" must be an object, found \(node.kind)", at: node.position)
        return []
    }

    private func parts(_ node: Node, _ keyword: String, _ pointer: JSONPointer) -> [RawSchema.Part] {
        array(node, keyword).enumerated().map {
            RawSchema.Part(node: $0.element, pointer: pointer.appending($0.offset))
        }
    }
}
