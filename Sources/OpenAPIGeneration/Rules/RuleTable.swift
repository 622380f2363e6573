/// What a document demands of the values that are sent, as the runtime reads it: a line for each schema that demands
/// anything.
struct RuleTable {
    /// The whole table; empty where nothing is demanded.
    let text: String
    /// The row of each schema, by its place.
    let rows: [JSONPointer: Int]

    static let empty = RuleTable(text: "", rows: [:])

    subscript(part: RawSchema.Part?) -> Int? { part.flatMap { rows[$0.pointer] } }
}
