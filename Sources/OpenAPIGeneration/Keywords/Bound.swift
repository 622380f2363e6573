/// The keywords that bound the values of a schema (JSON Schema 2020-12, Validation, section 6).
///
/// Reading, merging, comparing and validating schemas all use this list. These keywords do not change the Swift type of
/// a value. The server validates requests; responses are not validated.
enum Bound: String, CaseIterable {
    case minLength, maxLength, minItems, maxItems, minProperties, maxProperties
    case minimum, exclusiveMinimum, maximum, exclusiveMaximum
    case multipleOf, uniqueItems, pattern

    /// The form of the keyword's value.
    enum Form {
        case count, number, flag, pattern
    }

    var form: Form {
        switch self {
        case .minLength, .maxLength, .minItems, .maxItems, .minProperties, .maxProperties: .count
        case .minimum, .exclusiveMinimum, .maximum, .exclusiveMaximum, .multipleOf: .number
        case .uniqueItems: .flag
        case .pattern: .pattern
        }
    }

    /// Whether a greater bound allows fewer values; nil if every different bound does.
    var isLower: Bool? {
        switch self {
        case .minLength, .minItems, .minProperties, .minimum, .exclusiveMinimum: true
        case .maxLength, .maxItems, .maxProperties, .maximum, .exclusiveMaximum: false
        case .multipleOf, .uniqueItems, .pattern: nil
        }
    }

    /// The boolean keyword that modifies this keyword in OpenAPI 3.0.
    var exclusive: Bound? {
        switch self {
        case .minimum: .exclusiveMinimum
        case .maximum: .exclusiveMaximum
        default: nil
        }
    }
}
