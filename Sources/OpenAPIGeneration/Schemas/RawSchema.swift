/// A Schema Object with its keywords, not yet interpreted.
struct RawSchema {
    /// A `$ref`.
    struct Reference {
        let text: String
        let position: SourcePosition
    }

    struct Property {
        let name: String
        let position: SourcePosition
        let schema: Part
    }

    /// A schema of `patternProperties`.
    struct Pattern {
        let text: String
        let schema: Part
    }

    enum Additional {
        case unsaid, forbidden, allowed
        case schema(Part)
    }

    struct Discriminator {
        let property: String
        /// Value → reference or component name, in document order.
        let mapping: [(value: String, target: String, position: SourcePosition)]
        /// The target of values that are not in `mapping`: a reference or component name.
        var defaultTarget: String?
        let position: SourcePosition
    }

    /// The types of JSON, as a set.
    struct Types: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let null = Types(rawValue: 1)
        static let boolean = Types(rawValue: 2)
        static let integer = Types(rawValue: 4)
        static let number = Types(rawValue: 8)
        static let string = Types(rawValue: 16)
        static let array = Types(rawValue: 32)
        static let object = Types(rawValue: 64)

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init?(name: String) {
            switch name {
            case "null": self = .null
            case "boolean": self = .boolean
            case "integer": self = .integer
            case "number": self = .number
            case "string": self = .string
            case "array": self = .array
            case "object": self = .object
            default: return nil
            }
        }
    }

    var pointer: JSONPointer
    let position: SourcePosition
    var reference: Reference?
    var types: Types = []
    var isNullable = false
    var format: String?
    var title: String?
    var text: String?
    var isDeprecated = false
    var isReadOnly = false
    var isWriteOnly = false
    var values: [Node]?
    /// Names for `values`, from `x-enum-varnames` and similar extensions.
    var valueNames: [String] = []
    var properties: [Property] = []
    var required: [String] = []
    /// If there are any, `additional` is said, too.
    var patterns: [Pattern] = []
    var additional = Additional.unsaid
    /// Whether `additional` or the items do not apply to what other members of `allOf` list.
    var isUnevaluated = false
    /// The schemas of `then`, `else` and `dependentSchemas` that can have properties or elements.
    var conditional: [Part] = []
    /// Whether `if` asks for a JSON type: the values of others are valid, too.
    var hasTypeCondition = false
    var applied = [Applicator: Part]()
    /// The schemas of the first elements, unless `items` applies to all.
    var prefix: [Part] = []
    var allOf: [Part] = []
    var oneOf: [Part] = []
    var anyOf: [Part] = []
    var discriminator: Discriminator?
    var defaultValue: Node?
    var bounds = [Bound: Node]()
    /// The type of the user for the values.
    var own: OwnType?

    /// The text of a bound that is a number.
    func number(_ bound: Bound) -> String? {
        if case .number(let text)? = bounds[bound]?.value { return text }
        return nil
    }

    /// Whether it has keywords other than a reference and annotations.
    var hasAssertions: Bool {
        !types.isEmpty || isNullable || values != nil || !properties.isEmpty || !required.isEmpty
            || !applied.isEmpty || !allOf.isEmpty || !oneOf.isEmpty || !anyOf.isEmpty || format != nil
            || !additional.isUnsaid || discriminator != nil || !conditional.isEmpty || !prefix.isEmpty
    }

    /// Whether it only restricts other schemas, such as with `required`, and has no shape.
    var isRestriction: Bool {
        types.isSubset(of: .object) && reference == nil && values == nil && properties.isEmpty
            && applied.isEmpty
            && allOf.isEmpty && oneOf.isEmpty && anyOf.isEmpty && additional.isUnsaid && conditional.isEmpty
            && prefix.isEmpty
    }
}

extension RawSchema {
    /// The same schema in another place, with all its parts.
    func moved(to pointer: JSONPointer) -> RawSchema {
        func moved(_ parts: [Part], _ keyword: String) -> [Part] {
            let place = pointer.appending(keyword)
            return parts.enumerated().map { $1.moved(to: place.appending($0)) }
        }
        var result = self
        result.pointer = pointer
        let place = pointer.appending("properties")
        result.properties = properties.map {
            Property(
                name: $0.name, position: $0.position, schema: $0.schema.moved(to: place.appending($0.name)))
        }
        let patternPlace = pointer.appending("patternProperties")
        result.patterns = patterns.map {
            Pattern(text: $0.text, schema: $0.schema.moved(to: patternPlace.appending($0.text)))
        }
        if case .schema(let part) = additional {
            result.additional = .schema(part.moved(to: pointer.appending("additionalProperties")))
        }
        for (applicator, part) in applied {
            result.applied[applicator] = part.moved(to: pointer.appending(applicator.rawValue))
        }
        result.prefix = moved(prefix, "prefixItems")
        result.allOf = moved(allOf, "allOf")
        result.oneOf = moved(oneOf, "oneOf")
        result.anyOf = moved(anyOf, "anyOf")
        return result
    }
}

extension RawSchema.Additional {
    var isUnsaid: Bool {
        if case .unsaid = self { return true }
        return false
    }
}
