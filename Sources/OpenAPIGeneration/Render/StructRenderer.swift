/// Writes an object as a struct, with one line per property in each of its four parts.
struct StructRenderer {
    let model: CodeModel
    let types: TypeText
    let pointer: JSONPointer
    let object: ObjectDeclaration

    private struct Member {
        let plan: MemberPlan
        /// As declared, keywords in backticks.
        let name: String
        /// As an argument label.
        var label: String { SwiftName.label(plan.name) }
        /// What `self` stores it in.
        let stored: String
        /// The expression for its only value, which the initializer sets.
        var fixed: String?
        let plain: String
        let isBoxed: Bool
        /// Whether the property has the attribute. Generated code must not use it then: that is a warning.
        var isDeprecated = false
        /// Whether a private property stores the value.
        var isHidden: Bool { isBoxed || isDeprecated }

        /// The public type.
        var type: String {
            switch plan.optionality {
            case .required: plain
            // Any JSON value holds null itself.
            case .nullable: plain == "JSONValue" ? plain : plain + "?"
            case .optional: plain + "?"
            case .field: plain == "JSONValue" ? plain + "?" : "Field<\(plain)>"
            }
        }

        /// The runtime method that decodes and encodes it.
        var access: String {
            switch plan.optionality {
            case .required:
                switch plain {
                case "String": "string"
                case "Int": "int"
                case "Double": "double"
                case "Bool": "bool"
                default: "required"
                }
            case .nullable: plain == "JSONValue" ? "required" : "nullable"
            case .optional: "optional"
            case .field: plain == "JSONValue" ? "optional" : "field"
            }
        }

        var parameter: String {
            switch plan.optionality {
            case .required:
                guard let value = constant else { return "\(label): \(type)" }
                return "\(label): \(type) = \(value)"
            case .nullable: return "\(label): \(type)"
            case .optional: return "\(label): \(type) = nil"
            case .field: return "\(label): \(type) = " + (plain == "JSONValue" ? "nil" : "Field.absent")
            }
        }

        /// The literal of the only valid value.
        private var constant: String? {
            switch (plain, plan.schema.annotations.constant?.value) {
            case ("String", .string(let text)?): SwiftText.literal(text)
            case ("Int", .number(let text)?): Int64(text).map { String($0) }
            case ("Bool", .bool(let flag)?): flag ? "true" : "false"
            default: nil
            }
        }

        /// Whether the box is optional.
        var isOptionalBox: Bool { plan.optionality == .nullable || plan.optionality == .optional }
    }

    /// The member for properties that the document does not define.
    private struct Rest {
        let name: String
        let type: String
        /// The expression without properties.
        let empty: String
        /// The runtime method that decodes and encodes them.
        let access: String
        let comment: String
    }

    private func rest() -> Rest? {
        guard let plain = model.members.restName(of: pointer) else { return nil }
        let name = SwiftName.escaped(plain)
        guard let additional = object.additional else {
            return Rest(
                name: name, type: "UnknownProperties", empty: "UnknownProperties()", access: "unknown",
                comment: "The properties that the document does not define, as they were received.")
        }
        return Rest(
            name: name, type: "[String: \(types.full(additional))]", empty: "[:]", access: "additional",
            comment: "The properties that the document does not define.")
    }

    func render(
        _ entry: TypeNames.Entry, into writer: inout SourceWriter, nested: (inout SourceWriter) -> Void
    ) {
        let direction = model.directions[pointer]
        let proto =
            switch direction {
            case .request: "JSONObjectEncodable"
            case .response: "JSONObjectDecodable"
            case .both: "JSONObjectCodable"
            case .multipart: "MultipartBody"
            }
        let parts = model.directions.multipart[pointer].map { MultipartParts(model: model, encoding: $0) }
        let members = model.members.members(of: pointer).map { plan -> Member in
            let isBoxed = model.layout.isBoxed(plan.schema, in: pointer)
            let name = SwiftName.escaped(plan.name)
            let isDeprecated =
                plan.schema.annotations.isDeprecated && parts == nil
                && !model.usedMembers.contains(MemberUse(type: pointer, key: plan.key))
            return Member(
                plan: plan, name: name, stored: isBoxed || isDeprecated ? "_" + plan.name : name,
                fixed: plan.fixedValue.map { model.fixedValue($0, of: plan) },
                plain: parts?.type(of: plan.schema) ?? types.plain(plan.schema), isBoxed: isBoxed,
                isDeprecated: isDeprecated)
        }
        let rest = rest()
        // A file is read once.
        let equality = parts == nil ? model.equality.conformance : ""
        writer.openVisible("nonisolated struct \(entry.name): \(proto)\(equality), Sendable")
        for member in members { declare(member, &writer) }
        if let rest {
            writer.line("/// " + rest.comment)
            writer.visible("var \(rest.name): \(rest.type)")
        }
        if !members.isEmpty || rest != nil { writer.blank() }
        initialiser(members, rest, &writer)
        if let parts {
            writer.blank()
            let lines = members.map { parts.call($0.plan, self.member($0)) }
            writer.openVisible("func write(parts \(lines.isEmpty ? "_" : "_p"): inout MultipartWriter)")
            for line in lines { writer.line(line) }
            writer.close()
            nested(&writer)
            writer.close()
            return
        }
        if direction != .request {
            writer.blank()
            reader(members, rest, &writer)
        }
        if direction != .response {
            writer.blank()
            encoder(members, rest, &writer)
        }
        nested(&writer)
        writer.close()
    }

    private func declare(_ member: Member, _ writer: inout SourceWriter) {
        if member.isHidden { declareStorage(member, &writer) }
        comment(member, &writer)
        guard member.isHidden else {
            // A decoded value keeps what was received.
            let setter = member.fixed == nil ? "" : "private(set) "
            writer.visible("\(setter)var \(member.name): \(member.type)")
            return
        }
        writer.openVisible("var \(member.name): \(member.type)")
        guard member.isBoxed else {
            writer.line("get { return self.\(member.stored) }")
            if member.fixed == nil { writer.line("set { self.\(member.stored) = newValue }") }
            writer.close()
            return
        }
        switch member.plan.optionality {
        case .required:
            writer.line("get { return self.\(member.stored).value }")
            writer.line("set { self.\(member.stored) = Boxed(newValue) }")
        case .nullable, .optional:
            writer.line("get { return self.\(member.stored)?.value }")
            writer.line("set { self.\(member.stored) = Boxed(optional: newValue) }")
        case .field:
            writer.line("get { return self.\(member.stored).unboxed() }")
            writer.line("set { self.\(member.stored) = newValue.boxed() }")
        }
        writer.close()
    }

    private func comment(_ member: Member, _ writer: inout SourceWriter) {
        let annotations = member.plan.schema.annotations
        let text = annotations.text ?? ""
        let isEmpty = SwiftText.commentLines(text).isEmpty
        writer.comment(isEmpty ? "The property \(SwiftText.code(member.plan.key))." : text)
        if let value = ParameterText.defaultText(annotations) { writer.comment(value) }
        if let value = member.plan.fixedValue {
            writer.comment("The discriminator: \(SwiftText.code(value)).")
        }
        guard annotations.isDeprecated else { return }
        writer.line(member.isDeprecated ? "@available(*, deprecated)" : "/// Deprecated.")
    }

    /// The public value of a member.
    private func member(_ member: Member) -> String { "self." + member.name }

    private func declareStorage(_ member: Member, _ writer: inout SourceWriter) {
        let type =
            switch member.plan.optionality {
            case _ where !member.isBoxed: member.type
            case .required: "Boxed<\(member.plain)>"
            case .nullable, .optional: "Boxed<\(member.plain)>?"
            case .field: "Field<Boxed<\(member.plain)>>"
            }
        writer.line("private var \(member.stored): \(type)")
    }

    private func initialiser(_ members: [Member], _ rest: Rest?, _ writer: inout SourceWriter) {
        var parameters = members.filter { $0.fixed == nil }.map(\.parameter)
        if let rest { parameters.append("\(rest.name): \(rest.type) = \(rest.empty)") }
        guard !members.isEmpty || rest != nil else {
            writer.visible("init() {}")
            return
        }
        writer.openVisible("init(\(parameters.joined(separator: ", ")))")
        for member in members {
            let value: String
            switch (member.isBoxed, member.plan.optionality) {
            case (false, _): value = member.fixed ?? member.name
            case (true, .required): value = "Boxed(\(member.name))"
            case (true, .nullable), (true, .optional): value = "Boxed(optional: \(member.name))"
            case (true, .field): value = member.name + ".boxed()"
            }
            writer.line("self.\(member.stored) = \(value)")
        }
        if let rest { writer.line("self.\(rest.name) = \(rest.name)") }
        writer.close()
    }

    private func reader(_ members: [Member], _ rest: Rest?, _ writer: inout SourceWriter) {
        guard !members.isEmpty || rest != nil else {
            writer.visible("init(fields _: inout JSONObject) throws(JSONError) {}")
            return
        }
        writer.openVisible("init(fields _o: inout JSONObject) throws(JSONError)")
        for member in members {
            let key = SwiftText.literal(member.plan.key)
            // Among any values null is one.
            let isAny = member.plain == "JSONValue" && member.access == "optional"
            writer.line("self.\(member.stored) = try _o.\(isAny ? "any" : member.access)(\(key))")
        }
        if let rest {
            let keys = members.map { SwiftText.literal($0.plan.key) }.joined(separator: ", ")
            writer.line("self.\(rest.name) = try _o.\(rest.access)([\(keys)])")
        }
        writer.close()
    }

    private func encoder(_ members: [Member], _ rest: Rest?, _ writer: inout SourceWriter) {
        guard !members.isEmpty || rest != nil else {
            writer.visible("func write(fields _: inout JSONWriter) {}")
            return
        }
        writer.openVisible("func write(fields _w: inout JSONWriter)")
        for member in members {
            let key = SwiftText.literal(member.plan.key)
            writer.line("_w.\(member.access)(\(key), self.\(member.stored))")
        }
        if let rest {
            let keys = members.map { SwiftText.literal($0.plan.key) }.joined(separator: ", ")
            writer.line("_w.\(rest.access)(self.\(rest.name)" + (keys.isEmpty ? ")" : ", [\(keys)])"))
        }
        writer.close()
    }
}
