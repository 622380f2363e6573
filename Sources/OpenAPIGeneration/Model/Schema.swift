/// What a schema means, once its idioms are read: a shape, whether null fits too, and what it says to people.
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
        /// An object whose keys are not known; the schema of its values.
        case map(Schema)
        /// A type with a declaration of its own, by its place in the document.
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

/// What a schema says to people and about its use.
struct Annotations {
    var title: String?
    var text: String?
    var isDeprecated = false
    var isReadOnly = false
    var isWriteOnly = false
    var defaultValue: Node?
    /// The one value that fits.
    var constant: Node?
    var minimum: String?
    var maximum: String?
}

/// How a string is read.
enum StringFormat: String, Hashable, Sendable {
    case plain, date, dateTime, uuid, url, base64, duration
    /// A number that is written as a string: it may be too large or too exact for some readers of JSON.
    case integerText, unsignedText, decimalText
    /// Bytes as they are, in a part of their own; elsewhere plain text.
    case binary
}

/// How wide an integer is.
enum IntegerFormat: String, Hashable, Sendable {
    case signed, unsigned64
}

/// How precise a number is.
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
