/// An interpreted schema: its shape, whether it is nullable, and its annotations.
struct Schema {
    /// The Swift-independent form of a value.
    indirect enum Shape {
        /// Any JSON value.
        case any
        case boolean
        case string(StringFormat)
        case integer(IntegerFormat)
        case number(NumberFormat)
        case array(Schema)
        /// A dictionary, with the schema of its values.
        case map(Schema)
        /// A declared type, by its place in the document.
        case declared(JSONPointer)
    }

    var shape: Shape
    var isNullable = false
    var annotations = Annotations()
    let position: SourcePosition

    static func any(at position: SourcePosition) -> Schema {
        Schema(shape: .any, position: position)
    }
}

/// The annotations of a schema.
struct Annotations {
    var title: String?
    var text: String?
    var isDeprecated = false
    var isReadOnly = false
    var isWriteOnly = false
    var defaultValue: Node?
    /// The only valid value.
    var constant: Node?
    var minimum: String?
    var maximum: String?
}

/// The format of a string.
enum StringFormat: String, Hashable, Sendable {
    case plain, date, dateTime, uuid, url, base64, base64URL, duration
    /// A number in a string, because some JSON parsers would lose precision.
    case integerText, unsignedText, decimalText
    /// Raw bytes in a multipart part; plain text elsewhere.
    case binary
}

/// The width of an integer.
enum IntegerFormat: String, Hashable, Sendable {
    case signed, unsigned64
}

/// The precision of a number.
enum NumberFormat: String, Hashable, Sendable {
    case float, double, decimal
}

extension Schema.Shape {
    var isString: Bool {
        if case .string = self { return true }
        return false
    }

    var isInteger: Bool {
        if case .integer = self { return true }
        return false
    }

    var isNumber: Bool {
        if case .number = self { return true }
        return false
    }
}
