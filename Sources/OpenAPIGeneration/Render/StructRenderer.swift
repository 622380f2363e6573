/// An object as a struct, with one line per property in each of its four parts.
struct StructRenderer {
    let model: CodeModel
    let types: SchemaTypes
    let pointer: JSONPointer
    let object: ObjectDeclaration
    /// Whether it is an array whose elements are the members.
    var isTuple = false

    private struct Member {
        let plan: MemberPlan
        /// As declared, keywords in backticks.
        let name: String
        /// The name of the stored property.
        let stored: String
        /// Its only value, which the initializer sets.
        let fixed: Expression?
        let plain: SwiftType
        let isBoxed: Bool
        /// Whether the property has the attribute. Generated code must not use such a property, because that causes a
        /// warning.
        let isDeprecated: Bool
        let isElement: Bool

        /// Whether the type is `JSONValue`, which represents null itself.
        private var isAny: Bool { plain == .json }
        var key: Expression { .literal(plan.key) }
        /// The arguments before the value, of the methods that decode and encode it.
        var place: [Expression] { isElement ? [] : [key] }
        /// The stored property.
        var own: Expression { .name("self." + stored) }

        /// The public type.
        var type: SwiftType {
            switch plan.optionality {
            case .required: plain
            case .nullable: isAny ? plain : .optional(plain)
            case .optional: .optional(plain)
            case .field: isAny ? .optional(plain) : .generic("Field", [plain])
            }
        }

        /// The type of the stored property.
        var storedType: SwiftType {
            let box = SwiftType.generic("Boxed", [plain])
            switch plan.optionality {
            case _ where !isBoxed: return type
            case .required: return box
            case .nullable, .optional: return .optional(box)
            case .field: return .generic("Field", [box])
            }
        }

        /// The runtime method that decodes and encodes it.
        var access: String {
            switch plan.optionality {
            case .required where isElement: "required"
            case .required:
                switch plain {
                case "String": "string"
                case "Int": "int"
                case "Double": "double"
                case "Bool": "bool"
                default: "required"
                }
            case .nullable: isAny ? "required" : "nullable"
            case .optional: "optional"
            case .field: isAny ? "optional" : "field"
            }
        }

        /// The runtime method that decodes the property. For `JSONValue`, null is a value.
        var reading: String { isAny && access == "optional" ? "any" : access }

        var parameter: SwiftDeclaration.Parameter {
            let fallback: Expression? =
                switch plan.optionality {
                case .required: constant
                case .nullable: nil
                case .optional: "nil"
                case .field: isAny ? "nil" : "Field.absent"
                }
            return .init(SwiftName.label(plan.name), type, fallback)
        }

        /// The only valid value.
        private var constant: Expression? {
            switch (plain, plan.schema.annotations.constant?.value) {
            case ("String", .string(let text)?): .literal(text)
            case ("Int", .number(let text)?): Int64(text).map { .name(String($0)) }
            case ("Bool", .bool(let flag)?): flag ? "true" : "false"
            default: nil
            }
        }

        /// The value that the initializer stores.
        var initial: Expression {
            guard isBoxed else { return fixed ?? .name(name) }
            switch plan.optionality {
            case .required: return .call("Boxed", [.name(name)])
            case .nullable, .optional: return .call("Boxed", [.labelled("optional", .name(name))])
            case .field: return .call(.name(name + ".boxed"), [])
            }
        }
    }

    /// A member for properties that match patterns, or that the document does not define, or for a header field of a
    /// part.
    private struct Rest {
        let name: String
        let type: SwiftType
        /// The expression without properties. Nil: the caller must pass a value.
        let empty: Expression?
        /// The runtime method that decodes and encodes them.
        let access: String
        let comment: String
        /// The schema of a pattern, with its number, or of additional properties.
        var schema: Schema?
        var pattern: Int?
    }

    private func rests(_ parts: MultipartParts?) -> [Rest] {
        let patterns = zip(object.patterns, model.members.patternNames(of: pointer)).enumerated()
            .map { number, pattern in
                let schema = pattern.0.schema
                let value = parts.map { $0.type(of: schema) ?? types.plain(schema) }
                let names = pattern.0.texts.map { SwiftText.code($0) }.joined(separator: " or ")
                return Rest(
                    name: SwiftName.escaped(pattern.1), type: .dictionary(value ?? types.full(schema)),
                    empty: "[:]", access: "matching", comment: "The properties whose names match \(names).",
                    schema: schema, pattern: number)
            }
        let fields = model.members.partFields(of: pointer).map { self.field($0) }
        return patterns + (parts == nil ? [] : fields) + (rest(parts).map { [$0] } ?? [])
    }

    private func field(_ field: PartField) -> Rest {
        let header = field.header
        let isRequired =
            header.isRequired && header.fallback == nil
            && model.members.members(of: pointer).contains {
                $0.key.isSame(as: field.part) && $0.optionality == .required
            }
        let subject =
            "The header field \(SwiftText.code(header.name)) of the part \(SwiftText.code(field.part))."
        let text = SwiftText.firstSentence(header.text ?? "")
        let fallback = ParameterText.defaultText(header.schema.annotations)
        let plain = types.plain(header.schema)
        return Rest(
            name: SwiftName.escaped(field.name), type: isRequired ? plain : .optional(plain),
            empty: isRequired ? nil : "nil", access: "field",
            comment: ([subject, text] + (fallback.map { [$0] } ?? [])).filter { !$0.isEmpty }
                .joined(separator: " "))
    }

    private func rest(_ parts: MultipartParts?) -> Rest? {
        guard let plain = model.members.restName(of: pointer) else { return nil }
        let name = SwiftName.escaped(plain)
        guard let additional = object.additional else {
            return Rest(
                name: name, type: "UnknownProperties", empty: .call("UnknownProperties", []),
                access: object.patterns.isEmpty ? "unknown" : "unknownUnmatched",
                comment: "The properties that the schema does not define, as they were received.")
        }
        if isTuple {
            return Rest(
                name: name, type: .array(types.full(additional)), empty: "[]", access: "rest",
                comment: "All further elements.")
        }
        // A part can be absent, but not null.
        let value = parts.map { $0.type(of: additional) ?? types.plain(additional) }
        return Rest(
            name: name, type: .dictionary(value ?? types.full(additional)), empty: "[:]",
            access: object.patterns.isEmpty ? "additional" : "unmatched",
            comment: "The properties that the document does not define.", schema: additional)
    }

    private func members(_ parts: MultipartParts?) -> [Member] {
        model.members.members(of: pointer).map { plan in
            let isBoxed = model.layout.isBoxed(plan.schema, in: pointer)
            let name = SwiftName.escaped(plan.name)
            let isDeprecated =
                plan.schema.annotations.isDeprecated && parts == nil
                && !model.usedMembers.contains(MemberUse(type: pointer, key: plan.key))
            return Member(
                plan: plan, name: name, stored: isBoxed || isDeprecated ? "_" + plan.name : name,
                fixed: plan.fixedValue.map { model.fixedValue($0, of: plan) },
                plain: parts?.type(of: plan.schema) ?? types.plain(plan.schema), isBoxed: isBoxed,
                isDeprecated: isDeprecated, isElement: isTuple)
        }
    }

    func declaration(
        _ name: String, _ documentation: [String], nested: [[SwiftDeclaration]]
    ) -> SwiftDeclaration {
        let direction = model.directions[pointer]
        let proto =
            direction == .multipart && !isTuple
            ? "MultipartBody" : direction.coding(isTuple ? "JSONTuple" : "JSONObject")
        let parts = model.directions.multipart[pointer].map { MultipartParts(model: model, encoding: $0) }
        let members = members(parts)
        let rests = rests(parts)
        var properties = members.flatMap { declarations(of: $0) }
        for rest in rests {
            properties.append(SwiftDeclaration([rest.comment], "var " + rest.name, .variable(rest.type)))
        }
        if !object.patterns.isEmpty {
            properties.append(
                SwiftDeclaration(
                    isVisible: false, "private static let _patterns",
                    .value(.call("NamePatterns", [.literal(patternTable)]))))
        }
        var groups = [properties, [initializer(members, rests)]]
        if let parts {
            groups.append([writer(parts, members, rests)])
        } else {
            if direction != .request { groups.append([reader(members, rests)]) }
            if direction != .response { groups.append([encoder(members, rests)]) }
        }
        // A file is read once.
        let equality = parts == nil ? model.equality.conformances : []
        return SwiftDeclaration(
            documentation, "nonisolated struct " + name, .type([proto] + equality + ["Sendable"]),
            .members(groups + nested))
    }

    // MARK: Properties

    private func declarations(of member: Member) -> [SwiftDeclaration] {
        var comment = comment(member)
        if member.plan.schema.annotations.isDeprecated, !member.isDeprecated {
            comment = SwiftText.deprecated(comment)
        }
        guard member.isBoxed || member.isDeprecated else {
            // A decoded value keeps what was received.
            let setter = member.fixed == nil ? "" : "private(set) "
            var property = SwiftDeclaration(comment, setter + "var " + member.name, .variable(member.type))
            property.key = member.plan.key
            return [property]
        }
        var property = SwiftDeclaration(
            comment, isDeprecated: member.isDeprecated, "var " + member.name, .variable(member.type),
            .block(accessors(of: member)))
        property.key = member.plan.key
        let stored = SwiftDeclaration(
            isVisible: false, "private var " + member.stored, .variable(member.storedType))
        return [stored, property]
    }

    private func accessors(of member: Member) -> [Statement] {
        let value: Expression
        let new: Expression
        switch member.plan.optionality {
        case _ where !member.isBoxed:
            let getter = Statement.accessor("get", .return(member.own))
            return member.fixed == nil
                ? [getter, .accessor("set", .assign(member.own, "newValue"))] : [getter]
        case .required:
            value = .member(member.own, "value")
            new = .call("Boxed", ["newValue"])
        case .nullable, .optional:
            value = .member(member.own, "value", isOptional: true)
            new = .call("Boxed", [.labelled("optional", "newValue")])
        case .field:
            value = .call(.member(member.own, "unboxed"), [])
            new = .call("newValue.boxed", [])
        }
        return [.accessor("get", .return(value)), .accessor("set", .assign(member.own, new))]
    }

    private func comment(_ member: Member) -> [String] {
        let annotations = member.plan.schema.annotations
        let subject =
            isTuple
            ? "The element \(member.plan.key)." : "The property \(SwiftText.code(member.plan.key))."
        var lines = SwiftText.comment(annotations.text, subject)
        if let value = ParameterText.defaultText(annotations) { lines += SwiftText.comment(value) }
        if let value = member.plan.fixedValue { lines.append("The discriminator: \(SwiftText.code(value)).") }
        return lines
    }

    // MARK: Methods

    private func initializer(_ members: [Member], _ rests: [Rest]) -> SwiftDeclaration {
        let settable = members.filter { $0.fixed == nil }
        var parameters = settable.map(\.parameter)
        var documented = settable.compactMap { member -> String? in
            let text = SwiftText.firstSentence(member.plan.schema.annotations.text ?? "")
            return text.isEmpty ? nil : "  - \(member.plan.name): \(text)"
        }
        var lines = members.map { Statement.assign($0.own, $0.initial) }
        for rest in rests {
            parameters.append(.init(rest.name, rest.type, rest.empty))
            documented.append("  - \(rest.name): \(rest.comment)")
            lines.append(.assign(.name("self." + rest.name), .name(rest.name)))
        }
        if !documented.isEmpty { documented = ["", "- Parameters:"] + documented }
        return SwiftDeclaration(
            ["Creates a value."] + documented, "init", .function(parameters), .block(lines))
    }

    /// The patterns, one line for each member.
    private var patternTable: String {
        object.patterns.map { $0.texts.joined(separator: "\t") }.joined(separator: "\n")
    }

    /// The arguments after the value, of the methods that read and write the properties of a member.
    private func arguments(_ rest: Rest, _ members: [Member]) -> [Expression] {
        let number: [Expression] = rest.pattern.map { [.name(String($0))] } ?? []
        if isTuple { return [] }
        return [keys(members)] + (object.patterns.isEmpty ? [] : ["Self._patterns"]) + number
    }

    /// The keys that the document defines.
    private func keys(_ members: [Member]) -> Expression { .array(members.map(\.key)) }

    /// A method with the runtime's reader or writer as its argument.
    private func method(
        _ head: String, _ label: String, _ name: String, _ type: SwiftType, throws error: SwiftType? = nil,
        _ lines: [Statement]
    ) -> SwiftDeclaration {
        let parameter = SwiftDeclaration.Parameter(label + (lines.isEmpty ? " _" : " " + name), type)
        return SwiftDeclaration(head, .function([parameter], throws: error), .block(lines))
    }

    private func reader(_ members: [Member], _ rests: [Rest]) -> SwiftDeclaration {
        var lines = members.map { member in
            Statement.assign(member.own, .prefixed("try", .call(.name("_o." + member.reading), member.place)))
        }
        for rest in rests {
            let call = Expression.call(.name("_o." + rest.access), arguments(rest, members))
            lines.append(.assign(.name("self." + rest.name), .prefixed("try", call)))
        }
        return isTuple
            ? method("init", "items", "_o", "inout JSONTuple", throws: "JSONError", lines)
            : method("init", "fields", "_o", "inout JSONObject", throws: "JSONError", lines)
    }

    private func encoder(_ members: [Member], _ rests: [Rest]) -> SwiftDeclaration {
        var calls = members.map { Expression.call(.name("_w." + $0.access), $0.place + [$0.own]) }
        for rest in rests {
            let own = Expression.name("self." + rest.name)
            let isAlone = isTuple || members.isEmpty && object.patterns.isEmpty
            calls.append(
                .call(.name("_w." + rest.access), isAlone ? [own] : [own] + arguments(rest, members)))
        }
        let lines = calls.map { Statement.expression($0) }
        return isTuple
            ? method("func write", "items", "_w", "inout JSONTupleWriter", lines)
            : method("func write", "fields", "_w", "inout JSONWriter", lines)
    }

    private func writer(_ parts: MultipartParts, _ members: [Member], _ rests: [Rest]) -> SwiftDeclaration {
        let fields = parts.fields(of: members.map(\.plan), model.members.partFields(of: pointer))
        var lines = fields.map { Statement.expression($0.on("_p")) }
        lines += members.map { member in
            Statement.expression(parts.call(member.plan, .name("self." + member.name)).on("_p"))
        }
        for rest in rests {
            guard let schema = rest.schema else { continue }
            let own = Expression.name("self." + rest.name)
            let properties = Expression.call(
                .name("_p." + rest.access), [own] + arguments(rest, members))
            lines.append(parts.each(properties, schema))
        }
        return method("func write", "parts", "_p", "inout MultipartWriter", lines)
    }
}
