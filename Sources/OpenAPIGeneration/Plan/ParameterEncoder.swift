/// Selects the call on the request builder for a parameter.
struct ParameterEncoder {
    let types: SchemaTypes
    let declarations: [JSONPointer: Declaration]

    struct Encoding {
        var method: String
        let type: SwiftType
        /// The last arguments.
        var style: [Expression] = []
    }

    private enum Form {
        case primitive, array, other
    }

    func encode(_ parameter: Parameter) -> Encoding {
        let type = types.plain(parameter.schema)
        if let mediaType = parameter.mediaType { return content(parameter, mediaType, type) }
        let form = form(parameter.schema)
        switch (parameter.location, form) {
        case (.path, .other): return value("pathValue", parameter, type)
        case (.path, _): return path(parameter, form, type)
        case (.query, _): return query(parameter, form, type)
        case (.header, .primitive): return Encoding(method: "header", type: type)
        case (.header, .array): return Encoding(method: "headerArray", type: type)
        case (.header, .other): return value("headerValue", parameter, type)
        case (.cookie, .primitive) where parameter.style == .form:
            return Encoding(method: parameter.allowsReserved ? "cookieReserved" : "cookie", type: type)
        case (.cookie, _): return value("cookieValue", parameter, type)
        }
    }

    /// What the specification does not define for the style of a parameter, and how it is sent. Nil: everything is
    /// defined. `deepObject` has a convention for arrays and nested objects.
    func problem(of parameter: Parameter) -> String? {
        let schema = parameter.schema
        guard parameter.mediaType == nil, parameter.form == nil, parameter.style != .deepObject,
            schema.shape.own == nil
        else { return nil }
        let title = "the \(parameter.location.rawValue) parameter \"\(parameter.name)\""
        let isDelimited = parameter.style == .spaceDelimited || parameter.style == .pipeDelimited
        if isDelimited, parameter.explode, schema.shape.items == nil, isComposite(schema) {
            return
                "the style \"\(parameter.style.rawValue)\" is not defined for an exploded object; \(title) is sent in the style \"form\""
        }
        guard parts(of: schema).contains(where: { isComposite($0) }) else { return nil }
        return
            "the style \"\(parameter.style.rawValue)\" is not defined for nested arrays and objects; those of \(title) are sent as JSON"
    }

    /// Whether all values of a schema are arrays or objects.
    private func isComposite(_ schema: Schema) -> Bool {
        if schema.shape.own != nil { return false }
        if schema.shape.items != nil || schema.shape.values != nil { return true }
        switch declarations.kind(of: schema) {
        case .object?, .tuple?: return true
        case .enumeration?, .union?, .opaque?, nil: return false
        }
    }

    /// The schemas of the elements or members of a value.
    private func parts(of schema: Schema) -> [Schema] {
        if let part = schema.shape.items ?? schema.shape.values { return [part] }
        switch declarations.kind(of: schema) {
        case .object(let object)?, .tuple(let object)?:
            return object.properties.map(\.schema) + (object.additional.map { [$0] } ?? [])
        case .enumeration?, .union?, .opaque?, nil: return []
        }
    }

    private func content(_ parameter: Parameter, _ mediaType: String, _ type: SwiftType) -> Encoding {
        let place = parameter.location.rawValue
        if MediaType(mediaType).isJSON { return Encoding(method: place + "JSON", type: type) }
        // Primitives are encoded as text; other values are passed as text in their media type.
        let own: SwiftType = form(parameter.schema) == .primitive ? type : "String"
        return Encoding(method: place, type: own)
    }

    private func path(_ parameter: Parameter, _ form: Form, _ type: SwiftType) -> Encoding {
        // Exploding has no effect on a list in the style `simple`.
        let explode = parameter.explode && form == .array && parameter.style != .simple
        if form != .array, parameter.style == .simple {
            return Encoding(method: parameter.allowsReserved ? "pathReserved" : "path", type: type)
        }
        return value(form == .array ? "pathArray" : "pathStyled", parameter, type, explode: explode)
    }

    private func query(_ parameter: Parameter, _ form: Form, _ type: SwiftType) -> Encoding {
        switch form {
        case .primitive:
            let method = parameter.allowsReserved ? "queryReserved" : "query"
            return Encoding(method: method, type: type)
        case .array where !parameter.allowsReserved && parameter.style.isList:
            return value("queryArray", parameter, type)
        case .array, .other: return value("queryValue", parameter, type)
        }
    }

    /// A call with the style as an argument, and with another one if reserved characters are not encoded.
    private func value(
        _ method: String, _ parameter: Parameter, _ type: SwiftType, explode: Bool? = nil
    ) -> Encoding {
        let name = parameter.style.name(explode: explode ?? parameter.explode)
        var encoding = Encoding(method: method, type: type, style: [.name("." + name)])
        if parameter.allowsReserved { encoding.style.append(.labelled("isReserved", "true")) }
        return encoding
    }

    private func form(_ schema: Schema) -> Form {
        // The elements of a type of the user are not known.
        if schema.shape.own != nil { return form(schema.documented) == .primitive ? .primitive : .other }
        if schema.shape.isPrimitive { return .primitive }
        if let item = schema.shape.items, !item.isNullable, form(item) == .primitive { return .array }
        if case .enumeration? = declarations.kind(of: schema) { return .primitive }
        return .other
    }

    /// Whether a schema is a primitive, sent as text.
    func isPrimitive(_ schema: Schema) -> Bool { form(schema) == .primitive }

    /// Whether a schema is an array of primitives.
    func isPrimitiveArray(_ schema: Schema) -> Bool { form(schema) == .array }
}
