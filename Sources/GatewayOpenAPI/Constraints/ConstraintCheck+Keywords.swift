internal import GatewayJSON

extension ConstraintCheck {
    /// Whether a value satisfies a keyword. Keywords for other types are satisfied.
    func keeps(
        _ constraint: ConstraintViolation.Constraint, _ bound: String, _ element: JSONElement
    ) throws(JSONError) -> Bool {
        switch element.type {
        case .string: return keeps(constraint, bound, text: try element.string())
        case .number: return keeps(constraint, bound, number: try element.number().text)
        case .array:
            guard constraint != .uniqueItems else { return try areUnique(element) }
            return keeps(
                (.minItems, .maxItems), constraint, bound, count: try element.elements().count)
        case .object:
            guard constraint != .required else { return try Self.has(bound, element) }
            return keeps(
                (.minProperties, .maxProperties), constraint, bound, count: try element.object().count)
        case .bool, .null: return true
        }
    }

    private func keeps(
        _ limits: (ConstraintViolation.Constraint, ConstraintViolation.Constraint),
        _ constraint: ConstraintViolation.Constraint, _ bound: String, count: Int
    ) -> Bool {
        guard constraint == limits.0 || constraint == limits.1, let bound = Int(bound) else { return true }
        return constraint == limits.0 ? count >= bound : count <= bound
    }

    private func keeps(
        _ constraint: ConstraintViolation.Constraint, _ bound: String, text: String
    ) -> Bool {
        keeps((.minLength, .maxLength), constraint, bound, count: text.unicodeScalars.count)
    }

    private func keeps(
        _ constraint: ConstraintViolation.Constraint, _ bound: String, number: String
    ) -> Bool {
        let value = ExactNumber(number)
        let bound = ExactNumber(bound)
        switch constraint {
        case .minimum: return !(value < bound)
        case .maximum: return !(bound < value)
        case .exclusiveMinimum: return bound < value
        case .exclusiveMaximum: return value < bound
        case .multipleOf: return value.isMultiple(of: bound)
        default: return true
        }
    }

    private func areUnique(_ element: JSONElement) throws(JSONError) -> Bool {
        var seen: Set<[UInt8]> = []
        for item in try element.elements() {
            guard seen.insert(try EqualityKey(item).bytes).inserted else { return false }
        }
        return true
    }

    /// Whether a value is one of several.
    static func isListed(_ element: JSONElement, _ values: Set<EqualityKey>) throws(JSONError) -> Bool {
        values.contains(try EqualityKey(element))
    }

    /// The elements of a JSON array.
    static func elements(of text: String) -> Set<EqualityKey> {
        guard let document = try? JSONDocument(Array(text.utf8)),
            let elements = try? document.root.elements()
        else { return [] }
        return Set(elements.compactMap { try? EqualityKey($0) })
    }
}
