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
        /// A type of the user, with the shape that the document describes.
        case own(OwnType, Shape)
    }

    var shape: Shape
    var isNullable = false
    @Indirect var annotations = Annotations()
    let position: SourcePosition

    /// The schema without the type of the user.
    var documented: Schema {
        var result = self
        result.shape = shape.documented
        return result
    }

    static func any(at position: SourcePosition) -> Schema {
        Schema(shape: .any, position: position)
    }
}

/// The width of an integer.
enum IntegerFormat: String, Hashable, Sendable {
    case signed, unsigned64
}

/// The precision of a number.
enum NumberFormat: String, Hashable, Sendable {
    case float, double, decimal
    /// All digits, where integers and other numbers are the same value.
    case exact
}

/// What most readers of schemas ask of a shape, so that a further shape is described here once.
extension Schema.Shape {
    var isInteger: Bool { word == "integer" }
    var isNumber: Bool { word == "number" }

    /// Whether a value is a boolean, a number or a string.
    var isPrimitive: Bool {
        guard let kind = documented.kind else { return false }
        return kind != .array && kind != .object
    }

    /// The shape that the document describes.
    var documented: Schema.Shape {
        if case .own(_, let shape) = self { return shape }
        return self
    }

    /// The type of the user.
    var own: OwnType? {
        if case .own(let type, _) = self { return type }
        return nil
    }

    /// The word for a value in names. Nil for a declared type and a type of the user.
    @inline(never)
    var word: String? {
        switch self {
        case .any: "value"
        case .boolean: "bool"
        case .string: "string"
        case .integer: "integer"
        case .number: "number"
        case .array: "array"
        case .map: "object"
        case .declared, .own: nil
        }
    }

    /// The JSON type of the values. Nil: any, or as the declared type says.
    var kind: JSONKind? { word.flatMap { JSONKind(rawValue: isInteger ? "number" : $0) } }

    /// The format of a string, an integer or a number.
    var format: String? {
        switch self {
        case .string(let format): format.rawValue
        case .integer(let format): format.rawValue
        case .number(let format): format.rawValue
        case .any, .boolean, .array, .map, .declared, .own: nil
        }
    }

    /// The schema of the items of an array.
    var items: Schema? {
        if case .array(let items) = self { return items }
        return nil
    }

    /// The schema of the values of a dictionary.
    var values: Schema? {
        if case .map(let values) = self { return values }
        return nil
    }

    /// The schema of what is inside an array or a dictionary.
    var inner: Schema? { items ?? values }

    /// The place of the declared type.
    var target: JSONPointer? {
        if case .declared(let pointer) = self { return pointer }
        return nil
    }
}

extension [JSONPointer: Declaration] {
    /// The kind of the declared type of a schema. Nil for other schemas.
    @inline(never)
    func kind(of schema: Schema) -> Declaration.Kind? {
        schema.shape.target.flatMap { self[$0]?.kind }
    }
}
