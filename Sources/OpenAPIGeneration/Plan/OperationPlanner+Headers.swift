extension OperationPlanner {
    /// The documented header fields of responses, without duplicates.
    func headers(_ responses: [Response]) -> [OperationPlan.HeaderPlan] {
        var scope = NameScope(reserving: ["fields"])
        var seen = Set<String>()
        var result: [OperationPlan.HeaderPlan] = []
        for header in responses.flatMap(\.headers) where seen.insert(header.name.lowercased()).inserted {
            guard let call = call(header) else {
                sink.warn(
                    .unsupportedParameter,
                    "nested values of the header \"\(header.name)\" cannot be decoded; use the header fields of the response",
                    at: header.schema.position)
                continue
            }
            result.append(
                OperationPlan.HeaderPlan(
                    name: header.name, member: SwiftName.escaped(scope.claim(SwiftName.member(header.name))),
                    type: types.plain(header.schema), call: call,
                    text: header.text ?? header.schema.annotations.text))
        }
        return result
    }

    /// The call that decodes a header field. Nil if it cannot be decoded.
    private func call(_ header: Response.Header) -> MethodCall? {
        let encoder = ParameterEncoder(types: types, declarations: declarations)
        func call(_ method: String, _ type: SwiftType, _ further: [Expression] = []) -> MethodCall {
            MethodCall(method: method, arguments: [.literal(header.name), .metatype(type)] + further)
        }
        let type = types.plain(header.schema)
        if let mediaType = header.mediaType {
            return call(MediaType(mediaType).isJSON ? "documentedJSON" : "documented", type)
        }
        if encoder.isPrimitive(header.schema) { return call("documented", type) }
        if encoder.isPrimitiveArray(header.schema), case .array(let item) = type {
            return call("documentedList", item)
        }
        return literals(header.schema, encoder).map { literals in
            call(
                "documentedObject", type,
                [.literal(literals)] + (header.explode ? [.labelled("isExploded", "true")] : []))
        }
    }

    /// The members of an object of primitives that are not strings, one per line; `*` for all members of a map. Nil if
    /// it is not such an object.
    private func literals(_ schema: Schema, _ encoder: ParameterEncoder) -> String? {
        let shapes = ValueShapes(declarations: declarations)
        func isText(_ schema: Schema) -> Bool { shapes.kinds(of: schema) == [.string] }
        if let value = schema.shape.values {
            guard encoder.isPrimitive(value) else { return nil }
            return isText(value) ? "" : "*"
        }
        guard let object = shapes.object(schema),
            object.properties.allSatisfy({ encoder.isPrimitive($0.schema) }),
            object.properties.allSatisfy({ $0.name.isPlain })
        else { return nil }
        return object.properties.filter { !isText($0.schema) }.map(\.name).joined(separator: "\n")
    }
}
