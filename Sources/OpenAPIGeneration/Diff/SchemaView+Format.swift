extension SchemaView {
    /// The type that decodes any number.
    static let exactNumber = "JSONNumber"

    /// Whether the format restricts the values. A plain number is a double, a plain integer has 64 bits.
    var hasFormat: Bool {
        guard let format else { return false }
        return types == .string || !["int64", "double"].contains(format)
    }

    /// The type as which a generated client decodes the values because of their format. Nil: the format has no effect.
    var dedicatedType: String? {
        guard let format else { return nil }
        if types == .number, ["int64", "uint64"].contains(format) { return Self.exactNumber }
        if types != .string {
            if ["uint64", "float", "decimal"].contains(format) { return format }
            // In a string, they are numbers.
            if ["int32", "int64"].contains(format) { return nil }
        }
        guard let type = StringFormat(named: format)?.traits.type, type != "String" else { return nil }
        return type.text()
    }
}
