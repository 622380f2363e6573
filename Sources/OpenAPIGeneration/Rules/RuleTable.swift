/// The validation rules of request values, as the runtime (`RequestRules`) reads them: one line per schema that has rules.
struct RuleTable {
    /// The whole table. Empty if there are no rules.
    let text: String
    /// The row of each schema, by JSON Pointer.
    let rows: [JSONPointer: Int]

    static let empty = RuleTable(text: "", rows: [:])

    subscript(part: RawSchema.Part?) -> Int? { part.flatMap { rows[$0.pointer] } }
}
