/// Finds the builder's call for a parameter.
struct ParameterEncoder {
    let types: TypeText
    let declarations: [JSONPointer: Declaration]
    let members: MemberPlans

    struct Encoding {
        let method: String
        /// The last argument with its comma, or nothing.
        let style: String
        let type: String
        /// Something that is sent otherwise than the document says.
        var remark: String?
    }

    /// Why a parameter cannot be sent.
    struct Problem: Error {
        let reason: String
    }

    private enum Form {
        case primitive, array, object, other
    }

    func encode(_ parameter: Parameter) -> Result<Encoding, Problem> {
        let type = types.plain(parameter.schema)
        if let mediaType = parameter.mediaType { return content(parameter, mediaType, type) }
        let form = form(parameter.schema)
        if form == .other {
            return .failure(Problem(reason: "is neither a primitive, nor an array of them, nor an object"))
        }
        switch parameter.location {
        case .path: return path(parameter, form, type)
        case .query: return query(parameter, form, type)
        case .header:
            switch form {
            case .primitive: return .success(Encoding(method: "header", style: "", type: type))
            case .array: return .success(Encoding(method: "headerArray", style: "", type: type))
            case .object, .other: return .failure(Problem(reason: "is an object in a header"))
            }
        case .cookie:
            guard form == .primitive else { return .failure(Problem(reason: "is no primitive")) }
            return .success(Encoding(method: "cookie", style: "", type: type))
        }
    }

    private static let reservedRemark = "is no primitive; its reserved characters are encoded"

    private func content(
        _ parameter: Parameter, _ mediaType: String, _ type: String
    ) -> Result<Encoding, Problem> {
        guard mediaType == "application/json" || mediaType.hasSuffix("+json") else {
            return .failure(Problem(reason: "has content of another type than JSON"))
        }
        switch parameter.location {
        case .path: return .success(Encoding(method: "pathJSON", style: "", type: type))
        case .query: return .success(Encoding(method: "queryJSON", style: "", type: type))
        case .header: return .success(Encoding(method: "headerJSON", style: "", type: type))
        case .cookie: return .failure(Problem(reason: "is JSON in a cookie"))
        }
    }

    private func path(_ parameter: Parameter, _ form: Form, _ type: String) -> Result<Encoding, Problem> {
        let style: String
        switch parameter.style {
        case .label: style = parameter.explode && form == .array ? ".labelExploded" : ".label"
        case .matrix: style = parameter.explode && form == .array ? ".matrixExploded" : ".matrix"
        default: style = ".simple"
        }
        switch form {
        case .primitive:
            if style == ".simple" { return .success(Encoding(method: "path", style: "", type: type)) }
            return .success(Encoding(method: "pathStyled", style: ", " + style, type: type))
        case .array: return .success(Encoding(method: "pathArray", style: ", " + style, type: type))
        case .object, .other: return .failure(Problem(reason: "is an object in a path"))
        }
    }

    private func query(_ parameter: Parameter, _ form: Form, _ type: String) -> Result<Encoding, Problem> {
        switch form {
        case .primitive:
            let method = parameter.allowsReserved ? "queryReserved" : "query"
            return .success(Encoding(method: method, style: "", type: type))
        case .array:
            let style: String
            switch parameter.style {
            case .spaceDelimited where !parameter.explode: style = ".spaceDelimited"
            case .pipeDelimited where !parameter.explode: style = ".pipeDelimited"
            case .form where !parameter.explode: style = ".form"
            default: style = ".formExploded"
            }
            return .success(
                Encoding(
                    method: "queryArray", style: ", " + style, type: type,
                    remark: parameter.allowsReserved ? Self.reservedRemark : nil))
        case .object:
            var style = parameter.explode ? ".formExploded" : ".form"
            if parameter.style == .deepObject { style = ".deepObject" }
            var remark =
                isFlat(parameter.schema) ? nil : "holds more than primitives; a call that gives those fails"
            if remark == nil, parameter.allowsReserved { remark = Self.reservedRemark }
            return .success(
                Encoding(method: "queryObject", style: ", " + style, type: type, remark: remark))
        case .other: return .failure(Problem(reason: "has no style"))
        }
    }

    private func form(_ schema: Schema) -> Form {
        switch schema.shape {
        case .boolean, .string, .integer, .number: return .primitive
        case .array(let item): return !item.isNullable && form(item) == .primitive ? .array : .other
        case .map: return .object
        case .any: return .other
        case .declared(let pointer):
            switch declarations[pointer]?.kind {
            case .enumeration: return .primitive
            case .object: return .object
            case .union, .opaque, nil: return .other
            }
        }
    }

    /// Whether an object holds primitives only.
    private func isFlat(_ schema: Schema) -> Bool {
        switch schema.shape {
        case .map(let value): return form(value) == .primitive
        case .declared(let pointer):
            return members.members(of: pointer).allSatisfy { form($0.schema) == .primitive }
        default: return false
        }
    }

    /// Whether a schema is sent as one text.
    func isPrimitive(_ schema: Schema) -> Bool { form(schema) == .primitive }
}

/// A parameter's documentation: what the document says, then the bounds and the default.
enum ParameterText {
    static func text(of parameter: Parameter) -> String? {
        guard let text = parameter.text else { return nil }
        var parts = [SwiftText.oneLine(text)]
        guard let last = parts[0].last else { return nil }
        if !".!?:;".contains(last) { parts[0] += "." }
        let annotations = parameter.schema.annotations
        switch (annotations.minimum, annotations.maximum) {
        case (let low?, let high?): parts.append("From \(low) to \(high).")
        case (let low?, nil): parts.append("At least \(low).")
        case (nil, let high?): parts.append("At most \(high).")
        case (nil, nil): break
        }
        if let value = defaultText(annotations) { parts.append(value) }
        return parts.joined(separator: " ")
    }

    /// `Default: 50.`, for a default that is one word of JSON.
    static func defaultText(_ annotations: Annotations) -> String? {
        switch annotations.defaultValue?.value {
        case .bool(let flag): "Default: \(flag)."
        case .number(let number): "Default: \(number)."
        case .string(let text): text.isEmpty ? nil : "Default: \(SwiftText.oneLine(text))."
        case .null, .array, .object, nil: nil
        }
    }
}
