/// A value of a parameter.
package enum SQLiteValue {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case null

    /// A number, or NULL for `nil`.
    package static func integer(orNull value: Int64?) -> SQLiteValue { value.map { .integer($0) } ?? .null }

    /// A text, or NULL for `nil`.
    package static func text(orNull value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }
}

extension SQLiteStatement {
    /// Sets the parameters in their order.
    package func bind(_ values: SQLiteValue...) throws(SQLiteError) { try bind(values) }

    /// Sets the parameters in their order.
    package func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        var index: Int32 = 0
        for value in values {
            index += 1
            switch value {
            case .integer(let value): try bind(value, at: index)
            case .text(let value): try bind(value, at: index)
            case .bytes(let value): try bind(value, at: index)
            case .null: try bindNull(at: index)
            }
        }
    }
}

extension SQLiteConnection {
    /// A prepared statement with the values of its parameters.
    package func statement(
        _ sql: StaticString, _ values: SQLiteValue...
    ) throws(SQLiteError) -> SQLiteStatement {
        let statement = try statement(sql)
        try statement.bind(values)
        return statement
    }

    /// Runs a statement to its end.
    package func run(_ sql: StaticString, _ values: SQLiteValue...) throws(SQLiteError) {
        let statement = try statement(sql)
        try statement.bind(values)
        try statement.run()
    }
}
