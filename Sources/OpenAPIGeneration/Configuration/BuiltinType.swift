/// The Swift types that a configuration can name, with their equivalent schemas.
enum BuiltinType: String, CaseIterable, Sendable {
    case string = "String"
    case int = "Int"
    case uint64 = "UInt64"
    case double = "Double"
    case float = "Float"
    case decimal = "Decimal"
    case bool = "Bool"
    case date = "Date"
    case calendarDate = "CalendarDate"
    case uuid = "UUID"
    case uri = "URI"
    case url = "URL"
    case base64 = "Base64Data"
    case base64URL = "Base64URLData"
    case any = "JSONValue"

    static let names = allCases.map(\.rawValue)

    /// The type that a value of a configuration names.
    init?(_ node: Node) { self.init(rawValue: node.string ?? "") }

    /// The JSON type; nil for any.
    var type: String? {
        switch self {
        case .string, .date, .calendarDate, .uuid, .uri, .url, .base64, .base64URL: "string"
        case .int, .uint64: "integer"
        case .double, .float, .decimal: "number"
        case .bool: "boolean"
        case .any: nil
        }
    }

    var format: String? {
        switch self {
        case .uint64: "uint64"
        case .float: "float"
        case .decimal: "decimal"
        case .string, .date, .calendarDate, .uuid, .uri, .url, .base64, .base64URL:
            StringFormat.allCases.first { $0.traits.type == .named(rawValue) }?.traits.names.first
        case .int, .double, .bool, .any: nil
        }
    }

    /// The format for values in a JSON string. Nil if a string cannot contain such values.
    var stringFormat: String? {
        switch self {
        case .int: "int64"
        case .uint64: "uint64"
        case .decimal: "decimal"
        default: type == "string" ? format ?? "" : nil
        }
    }
}
