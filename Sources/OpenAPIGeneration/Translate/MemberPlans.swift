/// One property of a generated struct.
struct MemberPlan {
    enum Optionality {
        case required, nullable, optional, field
    }

    /// In the document.
    let key: String
    /// In Swift, not escaped.
    let name: String
    let schema: Schema
    let optionality: Optionality
}

/// The properties of the generated structs, after what their direction leaves out.
struct MemberPlans {
    private var plans: [JSONPointer: [MemberPlan]] = [:]
    /// The name of the member for properties that are not listed.
    private(set) var additionalNames: [JSONPointer: String] = [:]

    init(_ declarations: [JSONPointer: Declaration], directions: TypeDirections) {
        for (pointer, declaration) in declarations {
            guard case .object(let object) = declaration.kind else { continue }
            var scope = NameScope()
            plans[pointer] = Self.members(object, directions[pointer], scope: &scope)
            if object.additional != nil, directions[pointer] != .multipart {
                additionalNames[pointer] = scope.claim("additionalProperties")
            }
        }
    }

    func members(of pointer: JSONPointer) -> [MemberPlan] { plans[pointer] ?? [] }

    private static func members(
        _ object: ObjectDeclaration, _ direction: Direction, scope: inout NameScope
    ) -> [MemberPlan] {
        var required: [MemberPlan] = []
        var optional: [(String, MemberPlan)] = []
        var names: [String: String] = [:]
        for property in object.properties {
            let annotations = property.schema.annotations
            if direction == .request || direction == .multipart, annotations.isReadOnly { continue }
            if direction == .response, annotations.isWriteOnly { continue }
            let name = scope.claim(SwiftName.member(property.name))
            names[property.name] = name
            // A value that one of the two directions lacks cannot be required in a type for both.
            let isOneWay = annotations.isReadOnly || annotations.isWriteOnly
            let isRequired =
                property.isRequired && !(direction == .both && isOneWay)
                && !(direction == .multipart && property.schema.isNullable)
            // A part has no null: it is there or not.
            let isNullable = property.schema.isNullable && direction != .multipart
            let optionality: MemberPlan.Optionality =
                switch (isRequired, isNullable) {
                case (true, false): .required
                case (true, true): .nullable
                case (false, false): .optional
                case (false, true): .field
                }
            let plan = MemberPlan(
                key: property.name, name: name, schema: property.schema, optionality: optionality)
            if isRequired { required.append(plan) } else { optional.append((property.name, plan)) }
        }
        return required + optional.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
