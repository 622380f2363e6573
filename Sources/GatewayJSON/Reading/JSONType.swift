/// What a JSON value is.
public enum JSONType: String, Hashable, Sendable, CaseIterable {
    case null, bool, number, string, array, object

    init(_ kind: JSONTape.Kind) {
        switch kind {
        case .null: self = .null
        case .true, .false: self = .bool
        case .integer, .number: self = .number
        case .string, .escapedString: self = .string
        case .array: self = .array
        case .object: self = .object
        }
    }
}
