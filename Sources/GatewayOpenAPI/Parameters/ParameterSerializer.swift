internal import GatewayJSON

/// Encodes a JSON value in a parameter style (OpenAPI 3.2, Style Values; RFC 6570, section 3.2).
///
/// `null` and empty arrays and objects count as undefined. Nested arrays and objects are written as JSON, except in
/// `deepObject`, which nests: `a[b][0][c]=1`.
struct ParameterSerializer {
    /// The name as written in the document.
    let name: String
    let style: ParameterStyle
    /// The characters that are not percent-encoded in values; `nil` if nothing is encoded, as in header fields.
    let allowed: PercentEncoding.Allowed?

    /// The encoded pieces in order: `name=value` pairs in a query, a form or a cookie, otherwise only the text. The
    /// caller joins them with `&`, with `; `, or without a separator. Empty if the value is undefined.
    func pieces(_ element: JSONElement) throws(JSONError) -> [String] {
        if style == .deepObject { return try deep(element).map { $0.name + "=" + $0.text } }
        switch element.type {
        case .null: return []
        case .array:
            let values = try texts(element)
            return values.isEmpty ? [] : array(values)
        case .object:
            let members = try members(element)
            return members.isEmpty ? [] : object(members)
        case .bool, .number, .string: return try text(element).map { array([encode($0)]) } ?? []
        }
    }

    /// The names and texts of the parts of a multipart form, in a style of the query. Delimiters are not
    /// percent-encoded either. Empty if the value is undefined.
    func parts(_ element: JSONElement) throws(JSONError) -> [(name: String, text: String)] {
        let list: [String]
        switch element.type {
        case _ where style == .deepObject: return try deep(element)
        case .null: return []
        case .array:
            list = try texts(element)
            if style == .formExploded { return list.map { (name, $0) } }
        case .object:
            let members = try members(element)
            if style == .formExploded { return members }
            list = members.flatMap { [$0.name, $0.text] }
        case .bool, .number, .string: return try text(element).map { [(name, encode($0))] } ?? []
        }
        let delimiter =
            switch style {
            case .spaceDelimited: " "
            case .pipeDelimited: "|"
            default: ","
            }
        return list.isEmpty ? [] : [(name, list.joined(separator: delimiter))]
    }

    /// The encoded elements of an array.
    private func texts(_ element: JSONElement) throws(JSONError) -> [String] {
        var result: [String] = []
        for element in try element.elements() {
            if let text = try text(element) { result.append(encode(text)) }
        }
        return result
    }

    /// The encoded members of an object.
    private func members(_ element: JSONElement) throws(JSONError) -> [(name: String, text: String)] {
        var result: [(name: String, text: String)] = []
        for (key, element) in try element.object().members {
            if let text = try text(element) { result.append((encode(key), encode(text))) }
        }
        return result
    }

    /// The pieces of encoded values.
    func array(_ values: [String]) -> [String] {
        let name = encode(name)
        let list = values.joined(separator: ",")
        return switch style {
        case .simple, .simpleExploded: [list]
        case .label: ["." + list]
        case .labelExploded: ["." + values.joined(separator: ".")]
        case .matrix: [list.isEmpty ? ";" + name : ";" + name + "=" + list]
        case .matrixExploded: [values.map { $0.isEmpty ? ";" + name : ";" + name + "=" + $0 }.joined()]
        case .form, .cookie: [name + "=" + list]
        case .formExploded, .cookieExploded, .deepObject: values.map { name + "=" + $0 }
        case .spaceDelimited: [name + "=" + values.joined(separator: "%20")]
        case .pipeDelimited: [name + "=" + values.joined(separator: "%7C")]
        }
    }

    private func object(_ members: [(name: String, text: String)]) -> [String] {
        let name = encode(name)
        let flat = members.flatMap { [$0.name, $0.text] }
        let pairs = members.map { $0.name + "=" + $0.text }
        return switch style {
        case .simple: [flat.joined(separator: ",")]
        case .simpleExploded: [pairs.joined(separator: ",")]
        case .label: ["." + flat.joined(separator: ",")]
        case .labelExploded: ["." + pairs.joined(separator: ".")]
        case .matrix: [";" + name + "=" + flat.joined(separator: ",")]
        case .matrixExploded: [pairs.map { ";" + $0 }.joined()]
        case .form, .cookie: [name + "=" + flat.joined(separator: ",")]
        case .formExploded, .cookieExploded, .deepObject: pairs
        case .spaceDelimited: [name + "=" + flat.joined(separator: "%20")]
        case .pipeDelimited: [name + "=" + flat.joined(separator: "%7C")]
        }
    }

    private func deep(_ element: JSONElement) throws(JSONError) -> [(name: String, text: String)] {
        var result: [(name: String, text: String)] = []
        try deep(element, encode(name), &result)
        return result
    }

    /// Appends pairs of `name[key]` and value at any depth: members by name, elements by position.
    private func deep(
        _ element: JSONElement, _ name: String, _ result: inout [(name: String, text: String)]
    ) throws(JSONError) {
        switch element.type {
        case .array:
            var position = 0
            for element in try element.elements() {
                try deep(element, name + encode("[\(position)]"), &result)
                position += 1
            }
        case .object:
            for (key, element) in try element.object().members {
                try deep(element, name + encode("[\(key)]"), &result)
            }
        case .null, .bool, .number, .string:
            if let text = try text(element) { result.append((name, encode(text))) }
        }
    }

    /// The text of a value; `nil` for `null`.
    private func text(_ element: JSONElement) throws(JSONError) -> String? {
        switch element.type {
        case .null: nil
        case .bool: try element.bool().parameterText
        case .number: try element.number().text
        case .string: try element.string()
        case .array, .object: String(decoding: try JSONValue(json: element).jsonBytes(), as: UTF8.self)
        }
    }

    private func encode(_ text: String) -> String {
        guard let allowed else { return text }
        return PercentEncoding.encode(text, allowed)
    }
}
